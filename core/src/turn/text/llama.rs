//! `<|python_tag|>{"name": …, "parameters": …}`, as Llama 3 writes it; several stand apart by semicolons.

use super::{Notation, Search, json_object};
use crate::turn::raw::Node;

pub(crate) const OPEN: &str = "<|python_tag|>";

/// Marks that end a turn.
const ENDS: [&str; 2] = ["<|eom_id|>", "<|eot_id|>"];

pub(super) fn find(search: &mut Search<'_, '_>) {
    let Some(at) = search.marker(OPEN, 0) else { return };
    let mut calls = Vec::new();
    let mut from = search.skip_space(at + OPEN.len());
    while let Some((node, length)) = Node::prefix(search.from(from)) {
        let Some(call) = node.object().and_then(|object| json_object(&object)) else {
            break;
        };
        calls.push((from..from + length, call));
        from += length;
        let next = search.skip_space(from);
        if !search.from(next).starts_with(';') {
            break;
        }
        from = search.skip_space(next + 1);
    }
    let rest = search.from(from);
    let end = ENDS.iter().find(|end| rest.trim_start().starts_with(**end));
    let closed = rest.trim().is_empty() || end.is_some();
    if calls.is_empty() {
        search.cut = search.starts_line(at) && rest.starts_with('{') && Node::prefix(rest).is_none();
        return;
    }
    let offered = calls.iter().all(|(_, call)| search.is_offered(&call.name));
    if closed && (offered || search.starts_line(at)) {
        let end = end.map_or(from, |end| search.skip_space(from) + end.len());
        search.keep(Notation::Llama, at..end, calls);
    }
}
