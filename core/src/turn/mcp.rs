//! A JSON-RPC `tools/call` request of MCP, or a batch of them.

use std::borrow::Cow;

use super::{
    WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    raw::{Kind, Node, Object},
};
use crate::limits::Refusal;

/// The requests: one, or a batch.
pub(super) fn requests(root: Node<'_>) -> Result<Vec<Object<'_>>, Refusal> {
    let nodes = root.items().unwrap_or_else(|| vec![root]);
    if nodes.is_empty() {
        return Err(invalid("the batch is empty"));
    }
    nodes.into_iter().map(request).collect()
}

fn request(node: Node<'_>) -> Result<Object<'_>, Refusal> {
    let request = node
        .object()
        .ok_or_else(|| invalid("a JSON-RPC request is an object without repeated keys"))?;
    match request.string("method").as_deref() {
        Some("tools/call") => {}
        Some(_) => {
            return Err(invalid(
                "the method is not tools/call; the tool's name belongs under params.name",
            ));
        }
        None => return Err(invalid("a JSON-RPC request has a method")),
    }
    match request.get("params") {
        Some(params) if params.object().is_none() => Err(invalid("params is not an object without repeated keys")),
        _ => Ok(request),
    }
}

/// Reads it.
pub(super) fn read(root: Node<'_>) -> Result<Draft<'_>, Refusal> {
    let mut draft = Draft::new(WireFormat::Mcp);
    for request in requests(root)? {
        let params = request.object("params").unwrap_or(Object(Vec::new()));
        let id = request.get("id");
        draft.origin.request_ids.push(id.map(|id| id.text().to_owned()));
        draft.calls.push(Proposed {
            id: id.and_then(|id| match id.kind() {
                Kind::String => id.string(),
                Kind::Scalar => Some(Cow::Borrowed(id.text())),
                Kind::Null | Kind::Array | Kind::Object => None,
            }),
            wants_id: false,
            name: params.string("name").unwrap_or_default(),
            written: Written::from_value(params.get("arguments")),
            findings: Vec::new(),
        });
    }
    Ok(draft)
}
