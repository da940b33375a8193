//! `<tool_call>{"name": …, "arguments": …}</tool_call>`, as Hermes and Qwen write it.

use super::{Notation, Search, json_object};
use crate::turn::raw::Node;

pub(crate) const OPEN: &str = "<tool_call>";
pub(crate) const CLOSE: &str = "</tool_call>";

pub(super) fn find(search: &mut Search<'_, '_>) {
    let mut from = 0;
    while let Some(at) = search.marker(OPEN, from) {
        from = whole(search, at)
            .or_else(|| broken(search, at))
            .unwrap_or(at + OPEN.len());
        if search.cut {
            return;
        }
    }
}

/// A block that holds JSON; gives its end. Models stop after the object now and then, without the closing tag.
fn whole(search: &mut Search<'_, '_>, at: usize) -> Option<usize> {
    let start = search.skip_space(at + OPEN.len());
    let (node, length) = Node::prefix(search.from(start))?;
    let after = search.skip_space(start + length);
    let rest = search.from(after);
    let end = if rest.starts_with(CLOSE) {
        after + CLOSE.len()
    } else {
        start + length
    };
    let closes = end > after || rest.is_empty() || rest.starts_with(OPEN);
    let objects = node.items().unwrap_or_else(|| vec![node]);
    let calls: Option<Vec<_>> = objects.iter().map(|node| json_object(&node.object()?)).collect();
    let calls = calls.filter(|calls| !calls.is_empty())?;
    let meant = calls.iter().all(|call| search.is_offered(&call.name)) || (end > after && search.starts_line(at));
    if !closes || !meant {
        return None;
    }
    let calls = calls.into_iter().map(|call| (start..start + length, call)).collect();
    search.keep(Notation::Hermes, at..end, calls);
    Some(end)
}

/// A block of broken JSON. The next opening tag bounds the search for the closing one, so that many cost no more.
fn broken(search: &mut Search<'_, '_>, at: usize) -> Option<usize> {
    if !search.starts_line(at) {
        return None;
    }
    let start = search.skip_space(at + OPEN.len());
    let rest = search.from(start);
    let next = memchr::memmem::find(rest.as_bytes(), OPEN.as_bytes());
    let block = next.map_or(rest, |next| rest.get(..next).unwrap_or_default());
    let Some(length) = memchr::memmem::find(block.as_bytes(), CLOSE.as_bytes()) else {
        search.cut = next.is_none() && rest.starts_with('{') && Node::prefix(rest).is_none();
        return None;
    };
    let end = start + length + CLOSE.len();
    let source = search.slice(start..start + length).trim_end();
    if !source.starts_with('{') {
        return None;
    }
    let call = search.rescue(source)?;
    search.keep(Notation::Hermes, at..end, vec![(start..start + length, call)]);
    Some(end)
}
