//! `[TOOL_CALLS][{"name": …, "arguments": …}]`, and the newer `[TOOL_CALLS]name[ARGS]{…}`, as Mistral writes them.

use std::borrow::Cow;

use super::{Notation, Search, json_object, proposed};
use crate::turn::{arguments::Written, raw::Node};

pub(crate) const OPEN: &str = "[TOOL_CALLS]";
pub(crate) const ARGUMENTS: &str = "[ARGS]";

pub(super) fn find(search: &mut Search<'_, '_>) {
    let mut from = 0;
    while let Some(at) = search.marker(OPEN, from) {
        from = listed(search, at)
            .or_else(|| named(search, at))
            .unwrap_or(at + OPEN.len());
    }
}

fn listed(search: &mut Search<'_, '_>, at: usize) -> Option<usize> {
    let start = search.skip_space(at + OPEN.len());
    let (node, length) = Node::prefix(search.from(start))?;
    let objects = node.items().unwrap_or_else(|| vec![node]);
    let calls: Option<Vec<_>> = objects.iter().map(|node| json_object(&node.object()?)).collect();
    let calls = calls.filter(|calls| !calls.is_empty())?;
    if !search.starts_line(at) && !calls.iter().all(|call| search.is_offered(&call.name)) {
        return None;
    }
    let end = start + length;
    search.keep(
        Notation::Mistral,
        at..end,
        calls.into_iter().map(|call| (start..end, call)).collect(),
    );
    Some(end)
}

fn named(search: &mut Search<'_, '_>, at: usize) -> Option<usize> {
    let start = search.skip_space(at + OPEN.len());
    let rest = search.window(start);
    let brace = rest.find('{')?;
    let name = rest.get(..brace)?.trim().trim_end_matches(ARGUMENTS).trim();
    if !search.is_offered(name) {
        return None;
    }
    let Some((node, length)) = Node::prefix(search.from(start + brace)) else {
        search.cut = search.starts_line(at);
        return None;
    };
    let end = start + brace + length;
    let call = proposed(Cow::Borrowed(name), Written::from_value(Some(node)));
    search.keep(Notation::Mistral, at..end, vec![(start..end, call)]);
    Some(end)
}
