//! What the model said: any wire format in, one [`Turn`] out, and back again.
//!
//! Reading is strict first. What strict reading refuses is rescued only where one lossless reading exists; the rescue
//! is told as a `repaired_…` finding. What cannot be read is a finding, never a guess and never a silent skip.

mod anthropic;
mod arguments;
mod calls;
mod draft;
mod gemini;
mod hidden;
mod json_mode;
mod mcp;
mod ollama;
mod openai_chat;
mod openai_responses;
mod openai_sse;
mod raw;
mod read;
pub mod render;
mod shape;
mod text;

use std::borrow::Cow;

use serde_json::Value;

pub use read::{ReadOptions, read};

use crate::{
    finding::Finding,
    limits::{Reason, Refusal},
};

/// How a candidate is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireFormat {
    /// An OpenAI Chat Completions response, or its assistant message.
    OpenaiChat,
    /// An OpenAI Responses response, or its list of output items.
    OpenaiResponses,
    /// A captured OpenAI Chat stream.
    OpenaiSse,
    /// An Anthropic Messages response, or its assistant message.
    Anthropic,
    /// A Gemini `generateContent` response.
    Gemini,
    /// A JSON-RPC `tools/call` request.
    Mcp,
    /// An Ollama chat response: arguments are objects.
    Ollama,
    /// The emulation's JSON: `{"action": "tool_call" | "respond", …}`.
    JsonMode,
    /// Text in which calls may be written in a known notation.
    Text,
}

impl WireFormat {
    /// Every format.
    pub const ALL: [WireFormat; 9] = [
        WireFormat::OpenaiChat,
        WireFormat::OpenaiResponses,
        WireFormat::OpenaiSse,
        WireFormat::Anthropic,
        WireFormat::Gemini,
        WireFormat::Mcp,
        WireFormat::Ollama,
        WireFormat::JsonMode,
        WireFormat::Text,
    ];

    /// The name used in check documents and as a metric label.
    pub const fn as_str(self) -> &'static str {
        match self {
            WireFormat::OpenaiChat => "openai_chat",
            WireFormat::OpenaiResponses => "openai_responses",
            WireFormat::OpenaiSse => "openai_sse",
            WireFormat::Anthropic => "anthropic",
            WireFormat::Gemini => "gemini",
            WireFormat::Mcp => "mcp",
            WireFormat::Ollama => "ollama",
            WireFormat::JsonMode => "json_mode",
            WireFormat::Text => "text",
        }
    }
}

/// The model's output as it came.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The bytes.
    pub body: Body<'a>,
    /// `None`: recognised from the shape.
    pub format: Option<WireFormat>,
    /// Why the model stopped, where the body does not say.
    pub finish_reason: Option<&'a str>,
}

/// Where the candidate's bytes are.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// A whole response, a message, a list of chunks or a JSON-RPC request. May be broken.
    Json(&'a [u8]),
    /// The model's text; with a format other than text, the text of the JSON.
    Text(&'a str),
    /// The bytes of a server-sent event stream.
    Sse(&'a [u8]),
    /// Calls that the caller has read already.
    Calls(&'a [ProposedCall<'a>]),
}

/// A call as the caller has read it.
#[derive(Debug, Clone, Copy)]
pub struct ProposedCall<'a> {
    /// `None`: one is made.
    pub id: Option<&'a str>,
    /// As the model wrote it.
    pub name: &'a str,
    /// JSON text as the model wrote it. May be broken.
    pub arguments: &'a [u8],
}

/// One assistant turn, read.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    /// The format that was read.
    pub format: WireFormat,
    /// The text beside the calls.
    pub text: Cow<'a, str>,
    /// The calls in the order in which they stand. Rendering walks the same order.
    pub calls: Vec<Call<'a>>,
    /// Why the model stopped.
    pub finish: Finish,
    /// What is wrong with the turn and belongs to no one call.
    pub findings: Vec<Finding>,
    /// Where the calls stood, for rendering; the default where a turn was not read from a wire.
    pub origin: Origin,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The turn is complete: `stop`, `end_turn`, `STOP`, `completed`.
    Stop,
    /// Complete, with calls: `tool_calls`, `tool_use`.
    ToolCalls,
    /// Cut off: `length`, `max_tokens`, `MAX_TOKENS`, `incomplete`, or a stream that ended in the middle.
    Length,
    /// The provider gave up on the call: `MALFORMED_FUNCTION_CALL`.
    Malformed,
    /// Anything else that was said.
    Other,
    /// Nothing was said.
    Unsaid,
}

/// What rendering needs to know of the place where the calls stood.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// MCP: the JSON-RPC ids as they were written; `None` for a request without one.
    request_ids: Vec<Option<String>>,
    /// Calls written in text: their places.
    blocks: Vec<text::Block>,
}

impl Finish {
    /// From the reason of any API.
    pub(crate) fn parse(reason: &str) -> Self {
        let is = |known: &[&str]| known.iter().any(|known| reason.eq_ignore_ascii_case(known));
        if is(&["stop", "end_turn", "stop_sequence", "completed"]) {
            Finish::Stop
        } else if is(&["tool_calls", "tool_use", "function_call"]) {
            Finish::ToolCalls
        } else if is(&[
            "length",
            "max_tokens",
            "incomplete",
            "max_output_tokens",
            "model_context_window_exceeded",
        ]) {
            Finish::Length
        } else if is(&["malformed_function_call"]) {
            Finish::Malformed
        } else if reason.is_empty() {
            Finish::Unsaid
        } else {
            Finish::Other
        }
    }
}

/// One call, read.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// As received, or made where none came.
    pub id: Cow<'a, str>,
    /// Whether the model gave the id.
    pub id_given: bool,
    /// As the model wrote it.
    pub name: Cow<'a, str>,
    /// What the model wrote as arguments.
    pub arguments: Arguments<'a>,
    /// What was found while reading.
    pub findings: Vec<Finding>,
}

/// The arguments as they came and what they say.
#[derive(Debug, Clone)]
pub struct Arguments<'a> {
    /// JSON text exactly as received, byte for byte.
    pub received: Cow<'a, str>,
    /// What it says.
    pub reading: Reading,
}

/// What reading the arguments gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Strict JSON: `received` says this value.
    Strict(Value),
    /// Not strict JSON, but one lossless reading; findings of the call name the repairs.
    Rescued(Value),
    /// Nothing was sent: no key, null, "" or "null". Means "no arguments" only where the tool requires none.
    Absent,
    /// Cannot be read; a finding of the call says why.
    Failed,
}

impl Reading {
    /// The value, where there is one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Reading::Strict(value) | Reading::Rescued(value) => Some(value),
            Reading::Absent | Reading::Failed => None,
        }
    }

    /// The value, where what was received is JSON that says it.
    pub fn strict(&self) -> Option<&Value> {
        match self {
            Reading::Strict(value) => Some(value),
            Reading::Rescued(_) | Reading::Absent | Reading::Failed => None,
        }
    }
}

/// The refusal of an envelope that is not of its wire.
fn invalid(message: &'static str) -> Refusal {
    Refusal::new(Reason::CandidateInvalid, message)
}
