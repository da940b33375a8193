//! The way back: a candidate rewritten in its own wire shape as was decided, and corrections ready to append.
//!
//! What nobody decided about keeps its bytes: kept arguments, unknown fields, other blocks. The finish reason says what
//! is left: calls, or the end of the turn.

mod calls;
mod chat;
mod feedback;
mod json_mode;
mod mcp;
mod parts;
mod rewrite;
mod stream;
mod text;

pub use feedback::{Correction, feedback};

use std::borrow::Cow;

use super::{
    Body, Candidate, Turn, WireFormat,
    raw::{Kind, Node},
    read,
    shape::{self, Shape},
};
use rewrite::{Rewrite, quote};

/// What becomes of one call of the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate<'a> {
    /// It stays byte for byte.
    Keep,
    /// It is written anew.
    Replace {
        /// The tool's name.
        name: &'a str,
        /// JSON text.
        arguments: &'a str,
    },
    /// It is taken out.
    Drop,
}

/// The candidate rewritten in its own shape: one fate for each call of the turn, in order; a call without one stays.
/// With `text` the assistant says that instead of what it said.
///
/// `None` where the shape cannot say it: a JSON-RPC request has no place for text, and bytes that could not be read
/// cannot be rewritten.
pub fn response(candidate: &Candidate<'_>, turn: &Turn<'_>, fates: &[Fate<'_>], text: Option<&str>) -> Option<Vec<u8>> {
    let rewrite = Rewrite { turn, fates, text };
    if let Body::Calls(_) = candidate.body {
        return Some(calls::proposed(&rewrite).into_bytes());
    }
    let body = std::str::from_utf8(read::bytes(&candidate.body)).ok()?;
    let written = match shape::of(candidate.body, body, candidate.format).ok()? {
        Shape::Broken(..) => return None,
        Shape::Calls(node) => calls::response(node, &rewrite)?,
        Shape::Events(stream) => stream::events(stream, &rewrite)?,
        Shape::JsonMode(inner) => as_received(candidate, body, json_mode::response(&inner, &rewrite)?),
        Shape::Text(inner) => as_received(candidate, body, text::response(&inner, &rewrite)),
        Shape::Envelope(format, node) => match format {
            WireFormat::OpenaiChat => chat::response(node, &rewrite)?,
            WireFormat::Ollama => chat::ollama(node, &rewrite)?,
            WireFormat::OpenaiResponses => parts::responses(node, &rewrite)?,
            WireFormat::OpenaiSse => stream::chunks(node, &rewrite)?,
            WireFormat::Anthropic => parts::anthropic(node, &rewrite)?,
            WireFormat::Gemini => parts::gemini(node, &rewrite)?,
            WireFormat::Mcp => mcp::response(node, &rewrite)?,
            WireFormat::JsonMode => json_mode::response(node.text(), &rewrite)?,
            WireFormat::Text => text::response(node.text(), &rewrite),
        },
    };
    Some(written.into_bytes())
}

/// Text that came as a JSON string goes as one.
fn as_received(candidate: &Candidate<'_>, body: &str, written: String) -> String {
    let quoted =
        matches!(candidate.body, Body::Json(_)) && Node::parse(body).is_some_and(|it| it.kind() == Kind::String);
    if quoted { quote(&written) } else { written }
}

/// The text of a block that says something, or nothing.
fn said(text: &str) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then_some(Cow::Borrowed(text))
}
