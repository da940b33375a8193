//! Which wire a candidate came over, where the caller does not say, and the candidate cut to that wire's reader.
//!
//! Recognition looks at keys that only one API has. Text is taken for an envelope only where it is marked beyond
//! doubt: a model that quotes a message has not sent one.

use std::borrow::Cow;

use super::{
    Body, WireFormat, invalid,
    raw::{Kind, Node, Object},
};
use crate::limits::Refusal;

/// A candidate, cut for its reader.
#[derive(Debug)]
pub(super) enum Shape<'a> {
    /// A JSON envelope of one of the APIs.
    Envelope(WireFormat, Node<'a>),
    /// Server-sent events.
    Events(&'a str),
    /// The emulation's JSON, whole or broken.
    JsonMode(Cow<'a, str>),
    /// Text.
    Text(Cow<'a, str>),
    /// `{"calls": […]}`.
    Calls(Node<'a>),
    /// The model's text was to be JSON of this wire and is not JSON.
    Broken(WireFormat, &'a str),
}

/// Finds the shape of a body that is UTF-8.
pub(super) fn of<'a>(body: Body<'_>, text: &'a str, format: Option<WireFormat>) -> Result<Shape<'a>, Refusal> {
    let from_model = matches!(body, Body::Text(_));
    match format {
        None => recognise(body, text),
        Some(WireFormat::OpenaiSse) => match text.trim_start().as_bytes().first() {
            Some(b'[' | b'{') => envelope(WireFormat::OpenaiSse, text),
            _ => Ok(Shape::Events(text)),
        },
        Some(WireFormat::Text) => Ok(Shape::Text(unquoted(text, from_model))),
        Some(WireFormat::JsonMode) => Ok(Shape::JsonMode(unquoted(text, from_model))),
        Some(WireFormat::Mcp) if from_model && Node::parse(text).is_none() => Ok(Shape::Broken(WireFormat::Mcp, text)),
        Some(format) => envelope(format, text),
    }
}

fn envelope(format: WireFormat, text: &str) -> Result<Shape<'_>, Refusal> {
    let node = Node::parse(text).ok_or_else(|| invalid("the candidate is not JSON"))?;
    match node.object() {
        Some(root) if is_calls(&root) => Ok(Shape::Calls(node)),
        _ => Ok(Shape::Envelope(format, node)),
    }
}

/// Text may come as a JSON string.
fn unquoted(text: &str, from_model: bool) -> Cow<'_, str> {
    let inner = if from_model {
        None
    } else {
        Node::parse(text).and_then(Node::string)
    };
    inner.unwrap_or(Cow::Borrowed(text))
}

fn recognise<'a>(body: Body<'_>, text: &'a str) -> Result<Shape<'a>, Refusal> {
    match body {
        Body::Sse(_) => Ok(Shape::Events(text)),
        Body::Text(_) => Ok(recognise_text(text)),
        Body::Json(_) | Body::Calls(_) => {
            let node = Node::parse(text).ok_or_else(|| invalid("the candidate is not JSON"))?;
            match node.kind() {
                Kind::String => node
                    .string()
                    .map(Shape::Text)
                    .ok_or_else(|| invalid("the candidate is no text")),
                Kind::Array => Ok(Shape::Envelope(of_list(node)?, node)),
                Kind::Object => of_root(node),
                Kind::Null | Kind::Scalar => Err(invalid("the candidate is neither an object, nor a list, nor a text")),
            }
        }
    }
}

fn recognise_text(text: &str) -> Shape<'_> {
    let plain = Shape::Text(Cow::Borrowed(text));
    let Some((node, root)) = Node::parse(text).and_then(|node| Some((node, node.object()?))) else {
        return plain;
    };
    if matches!(root.string("action").as_deref(), Some("tool_call" | "respond")) {
        return Shape::JsonMode(Cow::Borrowed(text));
    }
    if root.has("jsonrpc") && root.has("method") {
        return Shape::Envelope(WireFormat::Mcp, node);
    }
    if root.items("choices").is_some() && root.has("id") {
        return Shape::Envelope(of_choices(&root), node);
    }
    if root.items("candidates").is_some_and(|list| {
        list.first()
            .and_then(|it| it.object())
            .is_some_and(|it| it.has("content"))
    }) {
        return Shape::Envelope(WireFormat::Gemini, node);
    }
    plain
}

fn is_calls(root: &Object<'_>) -> bool {
    let others = [
        "choices",
        "message",
        "role",
        "tool_calls",
        "output",
        "candidates",
        "jsonrpc",
        "content",
    ];
    root.items("calls").is_some() && !others.iter().any(|key| root.has(key))
}

fn of_root(node: Node<'_>) -> Result<Shape<'_>, Refusal> {
    let root = node.object().ok_or_else(|| invalid("the candidate repeats a key"))?;
    if is_calls(&root) {
        return Ok(Shape::Calls(node));
    }
    if root.string("action").is_some() && !root.has("role") {
        return Ok(Shape::JsonMode(Cow::Borrowed(node.text())));
    }
    Ok(Shape::Envelope(of_object(&root)?, node))
}

fn of_object(root: &Object<'_>) -> Result<WireFormat, Refusal> {
    if root.has("jsonrpc") || root.has("method") {
        return Ok(WireFormat::Mcp);
    }
    if root.has("choices") {
        return Ok(of_choices(root));
    }
    if root.has("candidates") || root.has("parts") || root.has("promptFeedback") {
        return Ok(WireFormat::Gemini);
    }
    if root.has("output") {
        return Ok(WireFormat::OpenaiResponses);
    }
    if root.object("message").is_some() {
        let choice = root.has("finish_reason") || root.has("index");
        return Ok(if choice {
            WireFormat::OpenaiChat
        } else {
            WireFormat::Ollama
        });
    }
    if let Some(kind) = root.string("type")
        && is_item(&kind)
        && !root.has("stop_reason")
    {
        return Ok(WireFormat::OpenaiResponses);
    }
    of_message(root)
}

fn of_choices(root: &Object<'_>) -> WireFormat {
    let first = root.items("choices").and_then(|choices| choices.first()?.object());
    let chunk = root.string("object").as_deref() == Some("chat.completion.chunk");
    if chunk || first.is_some_and(|first| first.has("delta")) {
        WireFormat::OpenaiSse
    } else {
        WireFormat::OpenaiChat
    }
}

fn is_item(kind: &str) -> bool {
    matches!(kind, "function_call" | "custom_tool_call" | "reasoning")
}

fn of_message(root: &Object<'_>) -> Result<WireFormat, Refusal> {
    if root.has("stop_reason")
        || root
            .items("content")
            .is_some_and(|blocks| blocks.into_iter().any(is_block))
    {
        return Ok(WireFormat::Anthropic);
    }
    let calls = root.items("tool_calls").unwrap_or_default();
    let native = |call: &Node<'_>| {
        let Some(call) = call.object() else { return false };
        let arguments = call.object("function").and_then(|inner| inner.get("arguments"));
        !call.has("id") && !call.has("type") && arguments.is_some_and(|arguments| arguments.kind() == Kind::Object)
    };
    if !calls.is_empty() && calls.iter().all(native) {
        return Ok(WireFormat::Ollama);
    }
    if ["tool_calls", "function_call", "content"]
        .iter()
        .any(|key| root.has(key))
    {
        return Ok(WireFormat::OpenaiChat);
    }
    Err(invalid("the candidate is of no known shape"))
}

fn is_block(node: Node<'_>) -> bool {
    let kind = node.object().and_then(|block| block.string("type"));
    matches!(
        kind.as_deref(),
        Some("tool_use" | "thinking" | "redacted_thinking" | "server_tool_use")
    )
}

fn of_list(node: Node<'_>) -> Result<WireFormat, Refusal> {
    let unknown = || invalid("the list is of no known shape");
    let items = node.items().ok_or_else(unknown)?;
    for item in items.iter().filter_map(|item| item.object()) {
        if item.has("choices") || item.string("object").as_deref() == Some("chat.completion.chunk") {
            return Ok(WireFormat::OpenaiSse);
        }
        if item.has("jsonrpc") || item.has("method") {
            return Ok(WireFormat::Mcp);
        }
        match item.string("type").as_deref() {
            Some("text" | "tool_use" | "thinking" | "redacted_thinking" | "server_tool_use") => {
                return Ok(WireFormat::Anthropic);
            }
            Some("message") => return Ok(WireFormat::OpenaiResponses),
            Some(kind) if is_item(kind) => return Ok(WireFormat::OpenaiResponses),
            Some(_) | None => {}
        }
    }
    Err(unknown())
}
