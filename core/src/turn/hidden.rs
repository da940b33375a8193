//! Calls that a reader does not look at: in a second choice, in fields of another API, under a repeated key. Whoever
//! forwards the candidate would forward them unjudged, so such a candidate is refused.
//!
//! Most candidates are cleared by counting the words that only calls bring; the rest is walked.

use memchr::memmem;

use super::{
    WireFormat, invalid,
    raw::{Kind, Node},
};
use crate::limits::Refusal;

/// Words that come with calls in one API or another.
const WORDS: [&[u8]; 7] = [
    b"\"tool_calls\"",
    b"function_call",
    b"functionCall",
    b"tool_use",
    b"toolCalls",
    b"TOOL_USE",
    b"\"calls\"",
];

/// How deep an envelope is walked; no API nests calls deeper.
const MAX_DEPTH: usize = 12;

/// Refuses a JSON candidate that holds more calls than were read.
///
/// # Errors
/// [`crate::limits::Reason::CandidateInvalid`], with what the caller can do.
pub(super) fn refuse(text: &str, format: WireFormat, read: usize) -> Result<(), Refusal> {
    if is_plain(text, format, read) {
        return Ok(());
    }
    let Some(root) = Node::parse(text) else { return Ok(()) };
    match calls_in(root, 0) {
        Some(found) if found <= read => Ok(()),
        Some(_) => Err(invalid(
            "the candidate holds calls beside those of its format: in another choice, or in fields of another API; \
             send one choice, with the right format",
        )),
        None => Err(invalid(
            "the candidate repeats a key where calls may stand, or is nested too deeply",
        )),
    }
}

/// Whether no word of a call stands where this wire does not have one.
fn is_plain(text: &str, format: WireFormat, read: usize) -> bool {
    let own: (&[u8], usize) = match format {
        // The key, and the finish reason.
        WireFormat::OpenaiChat | WireFormat::Ollama => (b"\"tool_calls\"", 2),
        WireFormat::OpenaiResponses => (b"function_call", read),
        WireFormat::Anthropic => (b"tool_use", read + 1),
        WireFormat::Gemini => (b"functionCall", read),
        WireFormat::Text => (b"", 0),
        // Chunks repeat their calls; the others have one place for a call.
        WireFormat::OpenaiSse | WireFormat::Mcp | WireFormat::JsonMode => return true,
    };
    let one_message = format != WireFormat::OpenaiChat || count(text, b"\"message\"", 2) < 2;
    one_message
        && WORDS.iter().all(|word| {
            let most = if *word == own.0 { own.1 } else { 0 };
            count(text, word, most + 1) <= most
        })
}

fn count(text: &str, word: &[u8], enough: usize) -> usize {
    memmem::find_iter(text.as_bytes(), word).take(enough).count()
}

/// The calls of any API below a node, arguments left out. `None`: a key stands twice, or it is too deep to tell.
fn calls_in(node: Node<'_>, depth: usize) -> Option<usize> {
    if depth > MAX_DEPTH {
        return None;
    }
    match node.kind() {
        Kind::Array => node
            .items()?
            .into_iter()
            .try_fold(0, |sum, item| Some(sum + calls_in(item, depth + 1)?)),
        Kind::Object => {
            let object = node.object()?;
            let kind = object.string("type").map(|kind| kind.to_ascii_lowercase());
            let mut found = usize::from(matches!(
                kind.as_deref(),
                Some("tool_use" | "function_call" | "custom_tool_call")
            ));
            for (key, value) in &object.0 {
                found += match &**key {
                    "tool_calls" | "toolCalls" | "calls" => value.items().map_or(0, |items| items.len()),
                    "function_call" | "functionCall" => usize::from(value.kind() == Kind::Object),
                    "arguments" | "args" | "input" | "parameters" | "tools" | "schema" => 0,
                    _ => calls_in(*value, depth + 1)?,
                };
            }
            Some(found)
        }
        Kind::Null | Kind::Scalar | Kind::String => Some(0),
    }
}
