//! Shapes in which text and calls are items of one list: Anthropic's blocks, Gemini's parts, the items of Responses.

use super::{
    rewrite::{Left, Rewrite, array, object, quote},
    said,
};
use crate::turn::{
    anthropic as wire_anthropic, gemini as wire_gemini, openai_responses as wire_responses,
    raw::{Kind, Node, Object},
};

/// What an item is.
enum Part {
    Call,
    Text,
    Other,
}

/// How one shape writes its items.
struct Shape<'s> {
    part: &'s dyn Fn(&Object<'_>) -> Part,
    /// A call; from the item where there is one.
    call: &'s dyn Fn(Option<&Object<'_>>, &Left<'_>) -> String,
    text: &'s dyn Fn(&str) -> String,
}

/// The items with what was decided. A new text takes the place of all that was said.
fn items(nodes: &[Node<'_>], rewrite: &Rewrite<'_>, shape: &Shape<'_>) -> Option<Vec<String>> {
    let mut written = Vec::new();
    let mut text = rewrite.new_text().and_then(said);
    let mut position = 0;
    for node in nodes {
        let entries = node.object();
        match entries.as_ref().map_or(Part::Text, |entries| (shape.part)(entries)) {
            Part::Other => written.push(node.text().to_owned()),
            Part::Text if rewrite.new_text().is_none() => written.push(node.text().to_owned()),
            Part::Text => written.extend(text.take().map(|text| (shape.text)(&text))),
            Part::Call => {
                written.extend(text.take().map(|text| (shape.text)(&text)));
                written.extend(rewrite.call(position).map(|left| (shape.call)(entries.as_ref(), &left)));
                position += 1;
            }
        }
    }
    written.extend(text.take().map(|text| (shape.text)(&text)));
    if rewrite.is_from_text() {
        written.extend(rewrite.left().map(|left| (shape.call)(None, &left)));
    }
    (!written.is_empty()).then_some(written)
}

/// Where an object has the arguments under a key.
fn replaced(entries: &Object<'_>, left: &Left<'_>, id: &'static str, arguments: (&'static str, String)) -> String {
    let mut changes = Vec::new();
    if left.new_id && !id.is_empty() {
        changes.push((id, Some(quote(left.id))));
    }
    if left.replaced {
        changes.push(("name", Some(quote(left.name))));
        changes.push((arguments.0, Some(arguments.1)));
    }
    object(entries, &changes)
}

/// An Anthropic response, message or list of blocks.
pub(super) fn anthropic(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let content = wire_anthropic::content(root).ok()?;
    let blocks = match content {
        Some(content) if content.kind() == Kind::Array => content.items()?,
        Some(content) => vec![content],
        None => Vec::new(),
    };
    let text = |text: &str| format!(r#"{{"type":"text","text":{}}}"#, quote(text));
    let call = |entries: Option<&Object<'_>>, left: &Left<'_>| match entries {
        Some(entries) => replaced(entries, left, "id", ("input", left.object().into_owned())),
        None => {
            let (id, name) = (quote(left.id), quote(left.name));
            format!(
                r#"{{"type":"tool_use","id":{id},"name":{name},"input":{}}}"#,
                left.object()
            )
        }
    };
    let part = |entries: &Object<'_>| match entries.string("type").as_deref() {
        Some("tool_use") => Part::Call,
        Some("text") | None => Part::Text,
        Some(_) => Part::Other,
    };
    let blocks = items(
        &blocks,
        rewrite,
        &Shape {
            part: &part,
            call: &call,
            text: &text,
        },
    )?;
    let Some(root) = root.object() else {
        return Some(array(&blocks));
    };
    let plain = content.filter(|content| content.kind() == Kind::String && !rewrite.any_left());
    let content = match (plain, rewrite.new_text()) {
        (Some(_), Some(text)) => quote(text),
        (Some(content), None) => content.text().to_owned(),
        (None, _) => array(&blocks),
    };
    let mut changes = vec![("content", Some(content))];
    if root.has("stop_reason") {
        changes.push((
            "stop_reason",
            Some(quote(if rewrite.any_left() { "tool_use" } else { "end_turn" })),
        ));
    }
    Some(object(&root, &changes))
}

/// A Gemini response or content. Only the candidate that was judged is left.
pub(super) fn gemini(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let root = root.object()?;
    let wire_gemini::Place { candidate, content } = wire_gemini::place(&root).ok()?;
    let nodes = match &content {
        Some(content) => wire_gemini::parts(content).ok()?,
        None => Vec::new(),
    };
    let call = |entries: Option<&Object<'_>>, left: &Left<'_>| match entries {
        Some(entries) => {
            let inner = entries.object("functionCall").unwrap_or(Object(Vec::new()));
            let id = if inner.get("id").is_some() { "id" } else { "" };
            let inner = replaced(&inner, left, id, ("args", left.object().into_owned()));
            object(entries, &[("functionCall", Some(inner))])
        }
        None => format!(
            r#"{{"functionCall":{{"name":{},"args":{}}}}}"#,
            quote(left.name),
            left.object()
        ),
    };
    let part = |entries: &Object<'_>| match (entries.get("functionCall"), entries.get("text"), entries.get("thought")) {
        (Some(_), _, _) => Part::Call,
        (None, Some(_), thought) if thought.is_none_or(|thought| thought.text() != "true") => Part::Text,
        (None, _, _) => Part::Other,
    };
    let text = |text: &str| format!(r#"{{"text":{}}}"#, quote(text));
    let parts = items(
        &nodes,
        rewrite,
        &Shape {
            part: &part,
            call: &call,
            text: &text,
        },
    )?;
    let mut changes = vec![("parts", Some(array(&parts)))];
    if content.as_ref().is_none_or(|content| !content.has("role")) {
        changes.insert(0, ("role", Some(quote("model"))));
    }
    let content = object(&content.unwrap_or(Object(Vec::new())), &changes);
    let Some(candidate) = candidate else {
        return Some(content);
    };
    let candidate = object(
        &candidate,
        &[("content", Some(content)), ("finishReason", Some(quote("STOP")))],
    );
    Some(object(&root, &[("candidates", Some(array(&[candidate])))]))
}

/// A Responses response, list of items or item.
pub(super) fn responses(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let nodes = wire_responses::items(root).ok()?;
    let call = |entries: Option<&Object<'_>>, left: &Left<'_>| match entries {
        Some(entries) => match wire_responses::arguments_key(entries) {
            Some("input") => replaced(entries, left, "call_id", ("input", left.object().into_owned())),
            _ => replaced(entries, left, "call_id", ("arguments", left.string())),
        },
        None => {
            let (id, name, arguments) = (quote(left.id), quote(left.name), left.string());
            format!(
                r#"{{"type":"function_call","call_id":{id},"name":{name},"arguments":{arguments},"status":"completed"}}"#
            )
        }
    };
    let part = |entries: &Object<'_>| match entries.string("type").as_deref() {
        Some("message") => Part::Text,
        _ if wire_responses::arguments_key(entries).is_some() => Part::Call,
        _ => Part::Other,
    };
    let text = |text: &str| {
        let content = format!(r#"[{{"type":"output_text","text":{},"annotations":[]}}]"#, quote(text));
        format!(r#"{{"type":"message","role":"assistant","status":"completed","content":{content}}}"#)
    };
    let items = array(&items(
        &nodes,
        rewrite,
        &Shape {
            part: &part,
            call: &call,
            text: &text,
        },
    )?);
    let Some(root) = root.object().filter(|root| root.has("output")) else {
        return Some(items);
    };
    let mut changes = vec![("output", Some(items))];
    if root.has("status") {
        changes.push(("status", Some(quote("completed"))));
    }
    if rewrite.new_text().is_some() && root.has("output_text") {
        changes.push(("output_text", rewrite.new_text().map(quote)));
    }
    Some(object(&root, &changes))
}
