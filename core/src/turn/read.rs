//! The front door: limits and encoding first, then the reader of the wire.

use std::borrow::Cow;

use super::{
    Body, Candidate, Finish, Turn, WireFormat, anthropic, calls,
    draft::Draft,
    gemini, hidden, json_mode, mcp, ollama, openai_chat, openai_responses, openai_sse,
    shape::{self, Shape},
};
use crate::{
    json,
    limits::{Limits, Reason, Refusal},
    tools::ToolSet,
};

/// How to read.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions<'l> {
    /// Whether what is not strict JSON may be rescued.
    pub repair: bool,
    /// Bounds on what comes in.
    pub limits: &'l Limits,
}

/// Reads what the model said.
///
/// # Errors
/// A [`Refusal`] where the envelope is not of its shape or larger than a limit. What the model itself wrote wrong is
/// a finding.
pub fn read<'a>(candidate: &Candidate<'a>, toolset: &ToolSet, options: ReadOptions<'_>) -> Result<Turn<'a>, Refusal> {
    let mut draft = draft(candidate, options)?;
    if let (Finish::Unsaid, Some(reason)) = (draft.finish, candidate.finish_reason) {
        draft.finish = Finish::parse(reason);
    }
    draft.turn(toolset, options)
}

/// The bytes of a body.
pub(super) fn bytes<'a>(body: &Body<'a>) -> &'a [u8] {
    match body {
        Body::Json(bytes) | Body::Sse(bytes) => bytes,
        Body::Text(text) => text.as_bytes(),
        Body::Calls(_) => &[],
    }
}

fn draft<'a>(candidate: &Candidate<'a>, options: ReadOptions<'_>) -> Result<Draft<'a>, Refusal> {
    let size = match candidate.body {
        Body::Calls(calls) => calls
            .iter()
            .map(|call| call.arguments.len().saturating_add(call.name.len()))
            .sum(),
        Body::Json(_) | Body::Text(_) | Body::Sse(_) => bytes(&candidate.body).len(),
    };
    if size > options.limits.max_candidate_bytes {
        let message = format!(
            "{size} bytes of candidate; at most {} are allowed",
            options.limits.max_candidate_bytes
        );
        return Err(Refusal::new(Reason::CandidateTooLarge, message));
    }
    if let Body::Calls(list) = candidate.body {
        return Ok(calls::take(list, candidate.format));
    }
    let text = match std::str::from_utf8(bytes(&candidate.body)) {
        Ok(text) => text,
        Err(error) => {
            let usual = match candidate.body {
                Body::Sse(_) => WireFormat::OpenaiSse,
                Body::Json(_) | Body::Text(_) | Body::Calls(_) => WireFormat::OpenaiChat,
            };
            let format = candidate.format.unwrap_or(usual);
            return Ok(Draft::broken(format, calls::not_utf8(error.valid_up_to())));
        }
    };
    let shape = shape::of(candidate.body, text, candidate.format)?;
    let is_json = matches!(candidate.body, Body::Json(_)) || matches!(shape, Shape::Envelope(..));
    let draft = from_shape(shape, candidate.format, options)?;
    if is_json {
        hidden::refuse(text, draft.format, draft.calls.len())?;
    }
    Ok(draft)
}

fn from_shape<'a>(
    shape: Shape<'a>,
    format: Option<WireFormat>,
    options: ReadOptions<'_>,
) -> Result<Draft<'a>, Refusal> {
    Ok(match shape {
        Shape::Calls(node) => calls::read(node, format)?,
        Shape::Events(stream) => openai_sse::read_events(stream, options.limits)?,
        Shape::JsonMode(Cow::Borrowed(text)) => json_mode::read(text, options),
        Shape::JsonMode(Cow::Owned(text)) => json_mode::read(&text, options).into_owned(),
        Shape::Text(text) => Draft {
            text,
            ..Draft::new(WireFormat::Text)
        },
        Shape::Broken(format, text) => match json::read(text, options.limits) {
            Err(fault) => Draft::broken(format, fault.finding()),
            Ok(_) => return Err(super::invalid("the candidate is not of its shape")),
        },
        Shape::Envelope(format, node) => match format {
            WireFormat::OpenaiChat => openai_chat::read(node)?,
            WireFormat::OpenaiResponses => openai_responses::read(node)?,
            WireFormat::OpenaiSse => openai_sse::read_chunks(node, options.limits)?,
            WireFormat::Anthropic => anthropic::read(node)?,
            WireFormat::Gemini => gemini::read(node)?,
            WireFormat::Mcp => mcp::read(node)?,
            WireFormat::Ollama => ollama::read(node)?,
            WireFormat::JsonMode => json_mode::read(node.text(), options),
            WireFormat::Text => Draft {
                text: Cow::Borrowed(node.text()),
                ..Draft::new(WireFormat::Text)
            },
        },
    })
}
