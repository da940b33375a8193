//! Gemini `generateContent`: a whole response, or the model's content.

use super::{
    Finish, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    raw::{Node, Object},
};
use crate::limits::Refusal;

/// The first candidate, and the content in it or alone.
pub(super) struct Place<'a> {
    pub candidate: Option<Object<'a>>,
    pub content: Option<Object<'a>>,
}

/// Finds the content. A response may have none: a blocked prompt, or a call that the provider gave up on.
pub(super) fn place<'a>(root: &Object<'a>) -> Result<Place<'a>, Refusal> {
    if let Some(candidates) = root.get("candidates") {
        let candidates = candidates
            .items()
            .ok_or_else(|| invalid("candidates is not an array"))?;
        let candidate = match candidates.first() {
            Some(first) => Some(
                first
                    .object()
                    .ok_or_else(|| invalid("the first candidate is not an object"))?,
            ),
            None => None,
        };
        let content = candidate.as_ref().and_then(|candidate| candidate.object("content"));
        return Ok(Place { candidate, content });
    }
    if root.has("parts") {
        return Ok(Place {
            candidate: None,
            content: Some(root.clone()),
        });
    }
    if root.has("promptFeedback") {
        return Ok(Place {
            candidate: None,
            content: None,
        });
    }
    Err(invalid("neither a Gemini response nor its content"))
}

/// The parts of a content.
pub(super) fn parts<'a>(content: &Object<'a>) -> Result<Vec<Node<'a>>, Refusal> {
    let Some(parts) = content.get("parts") else {
        return Ok(Vec::new());
    };
    parts.items().ok_or_else(|| invalid("parts is not an array"))
}

/// Reads it.
pub(super) fn read(root: Node<'_>) -> Result<Draft<'_>, Refusal> {
    let root = root
        .object()
        .ok_or_else(|| invalid("a Gemini response is a JSON object without repeated keys"))?;
    let Place { candidate, content } = place(&root)?;
    let mut draft = Draft::new(WireFormat::Gemini);
    if let Some(reason) = candidate.and_then(|candidate| candidate.string("finishReason")) {
        draft.finish = Finish::parse(&reason);
    }
    let Some(content) = content else { return Ok(draft) };
    for node in parts(&content)? {
        let part = node
            .object()
            .ok_or_else(|| invalid("a part is not an object without repeated keys"))?;
        match part.get("functionCall").or_else(|| part.get("function_call")) {
            Some(call) => {
                let call = call
                    .object()
                    .ok_or_else(|| invalid("functionCall is not an object without repeated keys"))?;
                draft.calls.push(Proposed {
                    id: call.string("id"),
                    wants_id: false,
                    name: call.string("name").unwrap_or_default(),
                    written: Written::from_value(call.get("args")),
                    findings: Vec::new(),
                });
            }
            None if part.get("thought").is_some_and(|thought| thought.text() == "true") => {}
            None => draft.say_part(&part),
        }
    }
    Ok(draft)
}
