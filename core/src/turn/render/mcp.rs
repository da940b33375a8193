//! JSON-RPC requests. There is no place for text here: where no call is left, nothing can be written.

use super::rewrite::{Rewrite, array, object, quote};
use crate::turn::{
    mcp as wire,
    raw::{Kind, Node, Object},
};

/// One request, or a batch of those that are left.
pub(super) fn response(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let mut written = Vec::new();
    for (position, request) in wire::requests(root).ok()?.iter().enumerate() {
        let Some(left) = rewrite.call(position) else { continue };
        if !left.replaced {
            written.push(object(request, &[]));
            continue;
        }
        let params = request.object("params").unwrap_or(Object(Vec::new()));
        let changes = [
            ("name", Some(quote(left.name))),
            ("arguments", Some(left.object().into_owned())),
        ];
        written.push(object(request, &[("params", Some(object(&params, &changes)))]));
    }
    if written.is_empty() {
        return None;
    }
    if root.kind() == Kind::Array {
        Some(array(&written))
    } else {
        written.pop()
    }
}
