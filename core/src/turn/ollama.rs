//! Ollama's chat response: like OpenAI's message, but arguments are objects and calls have no ids.

use super::{
    Finish, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    openai_chat::{calls, function},
    raw::{Node, Object},
};
use crate::limits::Refusal;

/// The message: under `message`, or the root itself.
pub(super) fn message<'a>(root: &Object<'a>) -> Result<Object<'a>, Refusal> {
    let message = match root.get("message") {
        Some(message) => message
            .object()
            .ok_or_else(|| invalid("message is not an object without repeated keys"))?,
        None => root.clone(),
    };
    if message.has("tool_calls") || message.has("content") || message.has("role") {
        Ok(message)
    } else {
        Err(invalid("neither an Ollama response nor its message"))
    }
}

/// Reads it.
pub(super) fn read(root: Node<'_>) -> Result<Draft<'_>, Refusal> {
    let root = root
        .object()
        .ok_or_else(|| invalid("an Ollama response is a JSON object without repeated keys"))?;
    let message = message(&root)?;
    let mut draft = Draft::new(WireFormat::Ollama);
    draft.finish = root
        .string("done_reason")
        .as_deref()
        .map_or(Finish::Unsaid, Finish::parse);
    draft.say_content(message.get("content"));
    for item in calls(&message)? {
        let inner = function(&item);
        draft.calls.push(Proposed {
            id: item.string("id"),
            wants_id: false,
            name: inner.string("name").unwrap_or_default(),
            written: Written::from_value(inner.get("arguments")),
            findings: Vec::new(),
        });
    }
    Ok(draft)
}
