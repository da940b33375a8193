//! OpenAI Chat Completions: a whole response, a choice, or the assistant message with or without a finish reason.

use std::borrow::Cow;

use super::{
    Finish, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    raw::{Node, Object},
};
use crate::limits::Refusal;

/// The assistant message inside a response, and what surrounds it.
pub(super) struct Place<'a> {
    /// The first choice; `None` where the message stands alone.
    pub choice: Option<Object<'a>>,
    pub message: Object<'a>,
}

/// Finds the message.
pub(super) fn place<'a>(root: &Object<'a>) -> Result<Place<'a>, Refusal> {
    let choice = if root.has("choices") {
        let first = root.items("choices").and_then(|choices| choices.first()?.object());
        Some(first.ok_or_else(|| invalid("the response has no choice"))?)
    } else if root.has("message") {
        Some(root.clone())
    } else {
        None
    };
    let message = match &choice {
        Some(choice) => choice
            .object("message")
            .ok_or_else(|| invalid("the first choice has no message"))?,
        None => root.clone(),
    };
    let known = ["role", "content", "tool_calls", "function_call"]
        .iter()
        .any(|key| message.has(key));
    if !known {
        return Err(invalid("neither a chat completion nor an assistant message"));
    }
    if message.string("role").is_some_and(|role| role != "assistant") {
        return Err(invalid("the message is not the assistant's"));
    }
    Ok(Place { choice, message })
}

/// Reads it.
pub(super) fn read(root: Node<'_>) -> Result<Draft<'_>, Refusal> {
    let root = root
        .object()
        .ok_or_else(|| invalid("a chat completion is a JSON object without repeated keys"))?;
    let Place { choice, message } = place(&root)?;
    let mut draft = Draft::new(WireFormat::OpenaiChat);
    let finish = choice.as_ref().unwrap_or(&root).string("finish_reason");
    draft.finish = finish.as_deref().map_or(Finish::Unsaid, Finish::parse);
    draft.say_content(message.get("content"));
    for item in calls(&message)? {
        draft.calls.push(call(&item));
    }
    if let (true, Some(legacy)) = (draft.calls.is_empty(), message.object("function_call")) {
        draft.calls.push(Proposed {
            id: None,
            wants_id: false,
            name: legacy.string("name").unwrap_or_default(),
            written: Written::from_string(legacy.get("arguments")),
            findings: Vec::new(),
        });
    }
    Ok(draft)
}

/// The entries of `tool_calls`.
pub(super) fn calls<'a>(message: &Object<'a>) -> Result<Vec<Object<'a>>, Refusal> {
    let Some(list) = message.get("tool_calls") else {
        return Ok(Vec::new());
    };
    let items = list.items().ok_or_else(|| invalid("tool_calls is not an array"))?;
    items
        .into_iter()
        .map(|item| {
            item.object()
                .ok_or_else(|| invalid("a tool call is not an object without repeated keys"))
        })
        .collect()
}

fn call<'a>(item: &Object<'a>) -> Proposed<'a> {
    let inner = function(item);
    let written = match inner.get("input") {
        Some(input) if item.has("custom") => Written::from_free(Some(input)),
        _ => Written::from_string(inner.get("arguments")),
    };
    Proposed {
        id: item.string("id"),
        wants_id: true,
        name: inner.string("name").unwrap_or_default(),
        written,
        findings: Vec::new(),
    }
}

/// Where the name and the arguments of an entry stand: under `function`, under `custom`, or beside the id.
pub(super) fn function<'i, 'a>(item: &'i Object<'a>) -> Cow<'i, Object<'a>> {
    match item.object("function").or_else(|| item.object("custom")) {
        Some(inner) => Cow::Owned(inner),
        None => Cow::Borrowed(item),
    }
}
