//! The plain list of calls: `{"text", "calls": [{"id", "name", "arguments"}]}`.

use super::rewrite::{Left, Rewrite, array, object, quote};
use crate::turn::{
    calls as wire,
    raw::{Kind, Node},
};

/// From calls that the caller had read.
pub(super) fn proposed(rewrite: &Rewrite<'_>) -> String {
    let calls: Vec<String> = rewrite.left().map(|left| entry(&left)).collect();
    let calls = array(&calls);
    match rewrite.text {
        Some(text) => format!(r#"{{"text":{},"calls":{calls}}}"#, quote(text)),
        None => format!(r#"{{"calls":{calls}}}"#),
    }
}

fn entry(left: &Left<'_>) -> String {
    format!(
        r#"{{"id":{},"name":{},"arguments":{}}}"#,
        quote(left.id),
        quote(left.name),
        left.string()
    )
}

/// From the JSON form.
pub(super) fn response(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let root = root.object()?;
    let mut calls = Vec::new();
    for (position, item) in wire::entries(&root).ok()?.iter().enumerate() {
        let Some(left) = rewrite.call(position) else { continue };
        let mut changes = Vec::new();
        if left.new_id {
            changes.push(("id", Some(quote(left.id))));
        }
        if left.replaced {
            let is_object = item
                .get("arguments")
                .is_some_and(|arguments| arguments.kind() == Kind::Object);
            let arguments = if is_object {
                left.object().into_owned()
            } else {
                left.string()
            };
            changes.extend([("name", Some(quote(left.name))), ("arguments", Some(arguments))]);
        }
        calls.push(object(item, &changes));
    }
    let mut changes = vec![("calls", Some(array(&calls)))];
    if let Some(text) = rewrite.text {
        changes.push(("text", Some(quote(text))));
    }
    if root.has("finish_reason") {
        changes.push((
            "finish_reason",
            Some(quote(if calls.is_empty() { "stop" } else { "tool_calls" })),
        ));
    }
    Some(object(&root, &changes))
}
