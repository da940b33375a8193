//! The document: what a caller sends to have one assistant turn judged.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};
use serde_json::value::RawValue;

use crate::{
    call::Step,
    candidate::{Candidate, from_base64},
    error::DocumentError,
    fields::{Fields, nearest},
    json::{Json, Kind},
    options::Options,
    result::ToolResult,
    words::Format,
};

/// One assistant turn to judge, with all that surrounds it. A field that is absent, or null, is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Echoed. `None`: the service makes one.
    pub id: Option<String>,
    /// The tools offered to the model. `None`: those of the session, else none was offered.
    pub tools: Option<Tools>,
    /// What the user asked, in words. `None`: the last user message.
    pub intent: Option<String>,
    /// A JSON array: the conversation as the caller has it.
    pub messages: Option<Json>,
    /// Earlier steps, for callers that keep them apart from the messages.
    pub history: Vec<Step>,
    /// As in OpenAI, Anthropic or Gemini requests. `None`: auto.
    pub tool_choice: Option<Json>,
    /// `None`: allowed.
    pub parallel_tool_calls: Option<bool>,
    /// How the candidate is written. `None`: recognised from its shape.
    pub format: Option<Format>,
    /// `None`: only results are judged.
    pub candidate: Option<Candidate>,
    /// Where the candidate does not say why the model stopped.
    pub finish_reason: Option<String>,
    /// Results of the candidate's own calls, or of earlier calls of the session.
    pub results: Vec<ToolResult>,
    /// `None`: stateless.
    pub session_id: Option<String>,
    /// `None`: the default tenant.
    pub tenant: Option<String>,
    /// `None`: the default policy.
    pub policy: Option<String>,
    /// Which try at this turn this is, from 1. `None`: counted by the service.
    pub attempt: Option<u32>,
    /// The caller's clock, RFC 3339. `None`: the service's.
    pub now: Option<String>,
    /// How to judge.
    pub options: Option<Options>,
}

const FROM_ONE: &str = "a whole number from 1";

/// The tools offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tools {
    /// A JSON array of definitions.
    Inline(Json),
    /// The name of a toolset declared earlier, or a reference that the service gave.
    Named(String),
}

impl Document {
    pub(crate) const FIELDS: &[&str] = &[
        "id",
        "tools",
        "intent",
        "messages",
        "history",
        "tool_choice",
        "parallel_tool_calls",
        "format",
        "candidate",
        "candidate_b64",
        "finish_reason",
        "results",
        "session_id",
        "tenant",
        "policy",
        "attempt",
        "now",
        "options",
    ];

    /// Reads a document from JSON text.
    ///
    /// # Errors
    /// The text is not UTF-8 or not JSON, a field is unknown, of the wrong type or there twice.
    pub fn from_slice(text: &[u8]) -> Result<Self, DocumentError> {
        let mut fields = Fields::read(utf8(text)?, "", DocumentError::INVALID, Self::FIELDS)?;
        fields.end()?;
        Self::of_fields(&fields)
    }

    pub(crate) fn of_fields(fields: &Fields<'_>) -> Result<Self, DocumentError> {
        let format = fields.raw("format").map(format).transpose()?.flatten();
        let history = fields.list("history", Step::read);
        let results = fields.list("results", |raw, place| {
            ToolResult::read(raw, place, DocumentError::RESULTS_INVALID)
        });
        let attempt = fields.get("attempt", FROM_ONE)?;
        Ok(Self {
            id: fields.text("id")?,
            tools: fields.json("tools").map(Tools::read).transpose()?,
            intent: fields.text("intent")?,
            messages: fields.json("messages").map(array_of_messages).transpose()?,
            history: reasoned(history, DocumentError::HISTORY_INVALID)?,
            tool_choice: fields.json("tool_choice"),
            parallel_tool_calls: fields.get("parallel_tool_calls", "true or false")?,
            format,
            candidate: candidate(fields)?.map(|candidate| candidate.of_format(format)),
            finish_reason: fields.text("finish_reason")?,
            results: reasoned(results, DocumentError::RESULTS_INVALID)?,
            session_id: fields.text("session_id")?,
            tenant: fields.text("tenant")?,
            policy: fields.text("policy")?,
            attempt: match attempt {
                Some(0) => return Err(fields.wrong("attempt", FROM_ONE)),
                attempt => attempt,
            },
            now: fields.text("now")?,
            options: fields.raw("options").map(Options::read).transpose()?,
        })
    }
}

impl Tools {
    pub(crate) fn read(json: Json) -> Result<Self, DocumentError> {
        match json.kind() {
            Kind::Array => Ok(Tools::Inline(json)),
            Kind::String => serde_json::from_str(json.get())
                .map(Tools::Named)
                .map_err(|_| not_tools()),
            Kind::Object | Kind::Other => Err(not_tools()),
        }
    }
}

fn not_tools() -> DocumentError {
    let message = "`tools` must be an array of tool definitions or the name of a toolset";
    DocumentError::new(DocumentError::TOOLS_INVALID, message)
}

pub(crate) fn utf8(text: &[u8]) -> Result<&str, DocumentError> {
    std::str::from_utf8(text).map_err(|cause| {
        let at = cause.valid_up_to();
        let message = format!("not UTF-8 at byte {at}; a candidate of such bytes goes into `candidate_b64`");
        DocumentError::new(DocumentError::NOT_JSON, message)
    })
}

fn array_of_messages(json: Json) -> Result<Json, DocumentError> {
    if json.kind() == Kind::Array {
        return Ok(json);
    }
    let message = "`messages` must be an array";
    Err(DocumentError::new(DocumentError::MESSAGES_INVALID, message))
}

fn reasoned<T>(read: Result<T, DocumentError>, reason: &'static str) -> Result<T, DocumentError> {
    read.map_err(|fault| match fault.reason {
        DocumentError::INVALID => DocumentError { reason, ..fault },
        _ => fault,
    })
}

fn format(raw: &RawValue) -> Result<Option<Format>, DocumentError> {
    let words: Vec<&'static str> = std::iter::once("auto")
        .chain(Format::ALL.iter().map(|format| format.as_str()))
        .collect();
    let written: String = serde_json::from_str(raw.get()).unwrap_or_default();
    if written == "auto" {
        return Ok(None);
    }
    Format::parse(&written).map(Some).ok_or_else(|| {
        let hint = nearest(&written, &words).map_or_else(String::new, |word| format!(", did you mean {word}?"));
        let message = format!("`format` must be one of {}{hint}", words.join(", "));
        DocumentError::new(DocumentError::FORMAT_UNKNOWN, message)
    })
}

fn candidate(fields: &Fields<'_>) -> Result<Option<Candidate>, DocumentError> {
    let invalid = |message| DocumentError::new(DocumentError::CANDIDATE_INVALID, message);
    match (fields.json("candidate"), fields.raw("candidate_b64")) {
        (None, None) => Ok(None),
        (Some(json), None) => Candidate::read(json).map(Some),
        (None, Some(raw)) => serde_json::from_str::<String>(raw.get())
            .ok()
            .and_then(|encoded| from_base64(&encoded))
            .map(|bytes| Some(Candidate::from_bytes(bytes)))
            .ok_or_else(|| invalid("`candidate_b64` must be a string of base64")),
        (Some(_), Some(_)) => Err(invalid("`candidate` and `candidate_b64` exclude each other")),
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entry(&mut map, "id", self.id.as_ref())?;
        match &self.tools {
            Some(Tools::Inline(json)) => map.serialize_entry("tools", json)?,
            Some(Tools::Named(name)) => map.serialize_entry("tools", name)?,
            None => {}
        }
        entry(&mut map, "intent", self.intent.as_ref())?;
        entry(&mut map, "messages", self.messages.as_ref())?;
        entry(
            &mut map,
            "history",
            Some(&self.history).filter(|steps| !steps.is_empty()),
        )?;
        entry(&mut map, "tool_choice", self.tool_choice.as_ref())?;
        entry(&mut map, "parallel_tool_calls", self.parallel_tool_calls.as_ref())?;
        entry(&mut map, "format", self.format.as_ref())?;
        if let Some(candidate) = &self.candidate {
            candidate.serialize_into(&mut map)?;
        }
        entry(&mut map, "finish_reason", self.finish_reason.as_ref())?;
        entry(
            &mut map,
            "results",
            Some(&self.results).filter(|results| !results.is_empty()),
        )?;
        entry(&mut map, "session_id", self.session_id.as_ref())?;
        entry(&mut map, "tenant", self.tenant.as_ref())?;
        entry(&mut map, "policy", self.policy.as_ref())?;
        entry(&mut map, "attempt", self.attempt.as_ref())?;
        entry(&mut map, "now", self.now.as_ref())?;
        entry(&mut map, "options", self.options.as_ref())?;
        map.end()
    }
}

fn entry<M: SerializeMap, T: Serialize>(map: &mut M, name: &'static str, value: Option<&T>) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_slice(raw.get().as_bytes()).map_err(de::Error::custom)
    }
}
