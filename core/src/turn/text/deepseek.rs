//! DeepSeek's markers: `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`, and the older form with the word
//! `function` first and the arguments in a code fence.

use std::borrow::Cow;

use super::{Notation, Search, proposed};
use crate::turn::{arguments::Written, raw::Node};

pub(crate) const ALL_BEGIN: &str = "<｜tool▁calls▁begin｜>";
pub(crate) const ALL_END: &str = "<｜tool▁calls▁end｜>";
pub(crate) const BEGIN: &str = "<｜tool▁call▁begin｜>";
pub(crate) const SEPARATOR: &str = "<｜tool▁sep｜>";
pub(crate) const END: &str = "<｜tool▁call▁end｜>";

pub(super) fn find(search: &mut Search<'_, '_>) {
    // The fence inside the older form is no code block.
    search
        .code
        .retain(|block| !search.text.get(block.clone()).unwrap_or_default().contains(END));
    let mut from = 0;
    while let Some(at) = search.marker(BEGIN, from) {
        let start = at + BEGIN.len();
        let Some(length) = memchr::memmem::find(search.from(start).as_bytes(), END.as_bytes()) else {
            search.cut = search.starts_line(at) && search.from(start).contains(SEPARATOR);
            return;
        };
        let inside = start..start + length;
        from = inside.end + END.len();
        let Some((head, tail)) = search.slice(inside.clone()).split_once(SEPARATOR) else {
            continue;
        };
        let (name, arguments) = match tail.split_once('\n') {
            Some((name, fenced)) if head.trim() == "function" => (name.trim(), without_fence(fenced)),
            _ => (head.trim(), tail.trim()),
        };
        if name.is_empty() || (!search.is_offered(name) && !search.starts_line(at)) {
            continue;
        }
        let written = match Node::parse(arguments) {
            Some(node) => Written::from_value(Some(node)),
            None => Written::Text(Cow::Borrowed(arguments)),
        };
        let (first, last) = (opened(search, at), closed(search, from));
        from = last;
        search.keep(
            Notation::DeepSeek,
            first..last,
            vec![(inside, proposed(Cow::Borrowed(name), written))],
        );
    }
}

/// With the mark that opens the list, where it stands right before.
fn opened(search: &Search<'_, '_>, at: usize) -> usize {
    let before = search.text.get(..at).unwrap_or_default().trim_end();
    before.strip_suffix(ALL_BEGIN).map_or(at, str::len)
}

/// With the mark that closes the list, where it stands right behind.
fn closed(search: &Search<'_, '_>, at: usize) -> usize {
    let next = search.skip_space(at);
    if search.from(next).starts_with(ALL_END) {
        next + ALL_END.len()
    } else {
        at
    }
}

fn without_fence(text: &str) -> &str {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(trimmed, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}
