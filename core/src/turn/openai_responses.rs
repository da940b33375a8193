//! OpenAI Responses: a whole response, its list of output items, or one item.

use super::{
    Finish, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    raw::{Node, Object},
};
use crate::limits::Refusal;

/// The output items.
pub(super) fn items(root: Node<'_>) -> Result<Vec<Node<'_>>, Refusal> {
    if let Some(items) = root.items() {
        return Ok(items);
    }
    let object = root
        .object()
        .ok_or_else(|| invalid("a response is a JSON object without repeated keys"))?;
    match object.get("output") {
        Some(output) => output.items().ok_or_else(|| invalid("output is not an array")),
        None if object.has("type") => Ok(vec![root]),
        None => Err(invalid("neither a response nor output items")),
    }
}

/// The key of the arguments of an item that is a call.
pub(super) fn arguments_key(item: &Object<'_>) -> Option<&'static str> {
    match item.string("type").as_deref() {
        Some("function_call") => Some("arguments"),
        Some("custom_tool_call") => Some("input"),
        _ => None,
    }
}

/// Reads it.
pub(super) fn read(root: Node<'_>) -> Result<Draft<'_>, Refusal> {
    let mut draft = Draft::new(WireFormat::OpenaiResponses);
    if let Some(status) = root.object().and_then(|root| root.string("status")) {
        draft.finish = Finish::parse(&status);
    }
    for node in items(root)? {
        let item = node
            .object()
            .ok_or_else(|| invalid("an output item is not an object without repeated keys"))?;
        match arguments_key(&item) {
            Some(key) => {
                if item.string("status").as_deref() == Some("incomplete") {
                    draft.finish = Finish::Length;
                }
                draft.calls.push(Proposed {
                    id: item.string("call_id"),
                    wants_id: true,
                    name: item.string("name").unwrap_or_default(),
                    written: match key {
                        "input" => Written::from_free(item.get(key)),
                        _ => Written::from_string(item.get(key)),
                    },
                    findings: Vec::new(),
                });
            }
            None if item.string("type").as_deref() == Some("message") => draft.say_content(item.get("content")),
            None => {}
        }
    }
    Ok(draft)
}
