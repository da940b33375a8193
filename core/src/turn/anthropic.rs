//! Anthropic Messages: a whole response, the assistant message, or its content blocks.

use super::{
    Finish, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    raw::{Kind, Node},
};
use crate::limits::Refusal;

/// The content: blocks, or a text.
pub(super) fn content(root: Node<'_>) -> Result<Option<Node<'_>>, Refusal> {
    if root.kind() == Kind::Array {
        return Ok(Some(root));
    }
    let object = root
        .object()
        .ok_or_else(|| invalid("a message is a JSON object without repeated keys"))?;
    if object.string("role").is_some_and(|role| role != "assistant") {
        return Err(invalid("the message is not the assistant's"));
    }
    if !object.has("content") {
        return Err(invalid("the message has no content"));
    }
    Ok(object.get("content"))
}

/// Reads it.
pub(super) fn read(root: Node<'_>) -> Result<Draft<'_>, Refusal> {
    let mut draft = Draft::new(WireFormat::Anthropic);
    if let Some(reason) = root.object().and_then(|root| root.string("stop_reason")) {
        draft.finish = Finish::parse(&reason);
    }
    let Some(content) = content(root)? else {
        return Ok(draft);
    };
    let Some(blocks) = content.items() else {
        draft.say_content(Some(content));
        return Ok(draft);
    };
    for node in blocks {
        let block = node
            .object()
            .ok_or_else(|| invalid("a content block is not an object without repeated keys"))?;
        if block.string("type").as_deref() == Some("tool_use") {
            draft.calls.push(Proposed {
                id: block.string("id"),
                wants_id: true,
                name: block.string("name").unwrap_or_default(),
                written: Written::from_value(block.get("input")),
                findings: Vec::new(),
            });
        } else {
            draft.say_part(&block);
        }
    }
    Ok(draft)
}
