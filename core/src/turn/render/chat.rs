//! Assistant messages with `tool_calls`: OpenAI Chat, and Ollama's likeness of it.

use super::rewrite::{Left, Rewrite, array, object, quote};
use crate::turn::{
    ollama as wire_ollama,
    openai_chat::{self, Place},
    raw::{Kind, Node, Object},
};

/// An OpenAI response, choice or message. Only the choice that was judged is left.
pub(super) fn response(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let root = root.object()?;
    let Place { choice, message } = openai_chat::place(&root).ok()?;
    let legacy = message.get("function_call").is_some() && openai_chat::calls(&message).ok()?.is_empty();
    let finish = match (rewrite.any_left(), legacy && !rewrite.is_from_text()) {
        (true, false) => "tool_calls",
        (true, true) => "function_call",
        (false, _) => "stop",
    };
    let finish = ("finish_reason", Some(quote(finish)));
    let mut changes = message_changes(&message, rewrite, &openai_call)?;
    let Some(choice) = choice else {
        if root.has("finish_reason") {
            changes.push(finish);
        }
        return Some(object(&message, &changes));
    };
    let message = object(&message, &changes);
    let choice = object(&choice, &[("message", Some(message)), finish]);
    Some(if root.has("choices") {
        object(&root, &[("choices", Some(array(&[choice])))])
    } else {
        choice
    })
}

/// An Ollama response or message.
pub(super) fn ollama(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let root = root.object()?;
    let message = wire_ollama::message(&root).ok()?;
    let changes = message_changes(&message, rewrite, &ollama_call)?;
    let message = object(&message, &changes);
    if root.get("message").is_none() {
        return Some(message);
    }
    let mut changes = vec![("message", Some(message))];
    if root.has("done_reason") {
        changes.push(("done_reason", Some(quote("stop"))));
    }
    Some(object(&root, &changes))
}

type Write<'w> = &'w dyn Fn(Option<&Object<'_>>, &Left<'_>) -> String;
type Changes = Vec<(&'static str, Option<String>)>;

fn message_changes(message: &Object<'_>, rewrite: &Rewrite<'_>, write: Write<'_>) -> Option<Changes> {
    let mut changes = Vec::new();
    let items = openai_chat::calls(message).ok()?;
    if rewrite.is_from_text() {
        let written: Vec<String> = rewrite.left().map(|left| write(None, &left)).collect();
        changes.push(("tool_calls", (!written.is_empty()).then(|| array(&written))));
    } else if !items.is_empty() {
        let written: Vec<String> = items
            .iter()
            .enumerate()
            .filter_map(|(position, item)| Some(write(Some(item), &rewrite.call(position)?)))
            .collect();
        changes.push(("tool_calls", (!written.is_empty()).then(|| array(&written))));
    } else if let Some(legacy) = message.object("function_call") {
        changes.push((
            "function_call",
            rewrite.call(0).map(|left| function(&legacy, &left, "arguments")),
        ));
    }
    match rewrite.new_text() {
        Some("") if rewrite.any_left() => changes.push(("content", Some("null".to_owned()))),
        Some(text) => changes.push(("content", Some(quote(text)))),
        None => {}
    }
    Some(changes)
}

/// An entry of `tool_calls` with an id of its own.
pub(super) fn openai_call(item: Option<&Object<'_>>, left: &Left<'_>) -> String {
    let Some(item) = item else {
        let (id, name, arguments) = (quote(left.id), quote(left.name), left.string());
        return format!(r#"{{"id":{id},"type":"function","function":{{"name":{name},"arguments":{arguments}}}}}"#);
    };
    let mut changes = Vec::new();
    if left.new_id {
        changes.push(("id", Some(quote(left.id))));
    }
    changes.extend(call_changes(item, left));
    object(item, &changes)
}

fn ollama_call(item: Option<&Object<'_>>, left: &Left<'_>) -> String {
    match item {
        Some(item) if item.get("id").is_some() => openai_call(Some(item), left),
        Some(item) => object(item, &call_changes(item, left)),
        None => format!(
            r#"{{"function":{{"name":{},"arguments":{}}}}}"#,
            quote(left.name),
            left.object()
        ),
    }
}

/// The changes to an entry that is replaced.
fn call_changes(item: &Object<'_>, left: &Left<'_>) -> Changes {
    if !left.replaced {
        return Vec::new();
    }
    for key in ["function", "custom"] {
        if let Some(inner) = item.object(key) {
            let arguments = if key == "custom" && inner.has("input") {
                "input"
            } else {
                "arguments"
            };
            return vec![(key, Some(function(&inner, left, arguments)))];
        }
    }
    vec![
        ("name", Some(quote(left.name))),
        ("arguments", Some(arguments(item.get("arguments"), left))),
    ]
}

fn function(inner: &Object<'_>, left: &Left<'_>, key: &'static str) -> String {
    if !left.replaced {
        return object(inner, &[]);
    }
    let written = if key == "input" {
        left.object().into_owned()
    } else {
        arguments(inner.get(key), left)
    };
    object(inner, &[("name", Some(quote(left.name))), (key, Some(written))])
}

/// Arguments as an object where an object stood, else as JSON text in a string.
fn arguments(received: Option<Node<'_>>, left: &Left<'_>) -> String {
    match received {
        Some(node) if node.kind() == Kind::Object => left.object().into_owned(),
        _ => left.string(),
    }
}
