//! A tool's result of any shape, read once: plain text, JSON text, content blocks (Anthropic, MCP, OpenAI), MCP's
//! `isError` and `structuredContent`, Gemini's `functionResponse`.
//!
//! Reading never fails: what cannot be decoded is kept as text and said to be broken.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    CORRECTION_MARK, Fingerprint, StepOutcome, canonical, failure, failure::Failure, text::contains_ignore_case,
    volatile,
};
use crate::{
    check::{ResultBody, ToolResult},
    code::Layer,
    finding::shorten,
};

/// Longest excerpt of an error that a step keeps, in characters.
pub const MAX_EXCERPT_CHARS: usize = 160;

/// A result as it was read.
#[derive(Debug, Clone, Default)]
pub struct ReadResult<'a> {
    /// The text: of all text blocks, one a line. JSON text where the result is JSON.
    pub text: Cow<'a, str>,
    /// What the result says as JSON: structured content, or the text where it is a JSON object or array.
    pub value: Option<Value>,
    /// Whether the tool says that it failed. `None`: it does not say.
    pub flagged: Option<bool>,
    /// Images, audio, files and links beside the text, as one fingerprint. `None`: there are none.
    pub media: Option<Fingerprint>,
    /// Whether the text begins like JSON and ends in the middle.
    pub is_cut: bool,
}

impl<'a> ReadResult<'a> {
    /// Reads a result.
    pub fn read(result: &ToolResult<'a>) -> Self {
        let mut read = match result.body {
            ResultBody::Absent => Self::default(),
            ResultBody::Text(text) => Self::from_text(Cow::Borrowed(text)),
            ResultBody::Value(json) | ResultBody::Encoded(json) => Self::from_json(json),
        };
        read.flagged = result.is_error.or(read.flagged);
        read
    }

    /// Reads content given as JSON: a string, a list of content blocks, an object.
    pub fn from_json(json: &'a [u8]) -> Self {
        match serde_json::from_slice::<Value>(json) {
            Ok(Value::String(text)) => Self::from_text(Cow::Owned(text)),
            Ok(Value::Null) => Self::default(),
            Ok(value) => Self::from_value(value, String::from_utf8_lossy(json)),
            Err(error) => Self {
                is_cut: error.is_eof(),
                text: String::from_utf8_lossy(json),
                ..Self::default()
            },
        }
    }

    /// Reads text, which may itself be JSON text.
    pub fn from_text(text: Cow<'a, str>) -> Self {
        let trimmed = text.trim_start_matches('\u{feff}').trim();
        if !trimmed.starts_with(['{', '[']) {
            return Self {
                text,
                ..Self::default()
            };
        }
        match serde_json::from_str::<Value>(trimmed) {
            Ok(value) => Self::from_value(value, text),
            Err(error) => Self {
                is_cut: error.is_eof(),
                text,
                ..Self::default()
            },
        }
    }

    fn from_value(value: Value, source: Cow<'a, str>) -> Self {
        match value {
            Value::Array(items) if is_blocks(&items) => Self::from_blocks(&items),
            Value::Object(map) => Self::from_object(map, source),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => Self {
                text: source,
                value: Some(value),
                ..Self::default()
            },
        }
    }

    /// An MCP result, a Gemini function response, or the tool's own object.
    fn from_object(mut map: Map<String, Value>, source: Cow<'a, str>) -> Self {
        let is_mcp = match map.get("content") {
            Some(Value::Array(items)) => is_blocks(items) || (items.is_empty() && is_mcp_envelope(&map)),
            Some(_) | None => map.contains_key("structuredContent") && is_mcp_envelope(&map),
        };
        if is_mcp {
            let mut read = match map.get("content") {
                Some(Value::Array(items)) => Self::from_blocks(items),
                Some(_) | None => Self::default(),
            };
            read.flagged = map.get("isError").and_then(Value::as_bool);
            if let Some(structured @ (Value::Object(_) | Value::Array(_))) = map.remove("structuredContent") {
                if read.text.is_empty() {
                    read.text = Cow::Owned(structured.to_string());
                }
                read.value = Some(structured);
            }
            return read;
        }
        if map.contains_key("name")
            && map.len() <= 3
            && map.get("response").is_some_and(Value::is_object)
            && let Some(response) = map.remove("response")
        {
            return Self::from_function_response(response);
        }
        Self {
            text: source,
            value: Some(Value::Object(map)),
            ..Self::default()
        }
    }

    /// Gemini's `response` object: the output stands under `output` or `result`, an error under `error`, or the object
    /// is the output.
    pub fn from_function_response(response: Value) -> Self {
        if let Value::Object(map) = &response
            && map.len() == 1
        {
            match map.iter().next().map(|(key, value)| (key.as_str(), value)) {
                Some(("output" | "result" | "content", Value::String(text))) => {
                    return Self::from_text(Cow::Owned(text.clone()));
                }
                Some(("output" | "result", value @ (Value::Object(_) | Value::Array(_) | Value::Null))) => {
                    let value = value.clone();
                    let text = value.to_string();
                    return Self::from_value(value, Cow::Owned(text));
                }
                Some(_) | None => {}
            }
        }
        let text = response.to_string();
        Self::from_value(response, Cow::Owned(text))
    }

    fn from_blocks(items: &[Value]) -> Self {
        let mut texts = Vec::new();
        let mut media: Option<Fingerprint> = None;
        for item in items {
            match block_text(item) {
                Some(text) => texts.push(text),
                None => {
                    media = Some(Fingerprint(
                        media.unwrap_or_default().0.rotate_left(5) ^ canonical::value(item).0,
                    ))
                }
            }
        }
        let mut read = Self::from_text(Cow::Owned(texts.join("\n")));
        read.media = media;
        read
    }

    /// Whether the result says nothing at all: no text, no media, no value, or only empty ones.
    pub fn is_empty(&self) -> bool {
        if self.media.is_some() {
            return false;
        }
        match &self.value {
            Some(value) => is_hollow(value),
            None => matches!(self.text.trim(), "" | "null" | "None" | "undefined" | "\"\"" | "nil"),
        }
    }

    /// Whether the result is this service's own correction and no tool's result.
    pub fn is_correction(&self) -> bool {
        self.text.trim_start().starts_with(CORRECTION_MARK)
    }

    /// The failure that the result tells, as far as it can be seen without the tool's schema.
    pub fn failure(&self, tool: &str) -> Option<Failure<'_>> {
        failure::find(self, tool)
    }

    /// The fingerprint without volatile fields.
    pub fn fingerprint(&self) -> Fingerprint {
        let said = match &self.value {
            Some(value) => volatile::value(value),
            None => volatile::text(&self.text),
        };
        Fingerprint(said.0 ^ self.media.unwrap_or_default().0)
    }

    /// What the result means for the step that it answers.
    pub fn outcome(&self, tool: &str) -> StepOutcome {
        if self.is_correction() {
            return StepOutcome::Rejected {
                by: correction_layer(&self.text),
            };
        }
        if let Some(failure) = self.failure(tool) {
            return StepOutcome::Failed {
                signature: failure::signature(&failure.text),
                excerpt: shorten(failure.text.trim(), MAX_EXCERPT_CHARS).into(),
            };
        }
        if self.is_empty() {
            return StepOutcome::Empty(self.fingerprint());
        }
        if self.is_pending() {
            return StepOutcome::Pending(self.fingerprint());
        }
        StepOutcome::Done(self.fingerprint())
    }

    /// Whether the result says that the work goes on: `{"status": "running"}`.
    fn is_pending(&self) -> bool {
        const FIELDS: [&str; 5] = ["status", "state", "phase", "job_status", "stage"];
        match &self.value {
            Some(Value::Object(map)) => FIELDS
                .iter()
                .filter_map(|field| map.get(*field).and_then(Value::as_str))
                .any(is_pending_word),
            Some(_) => false,
            None => {
                let text = self.text.trim();
                text.len() <= 200
                    && (is_pending_word(text.trim_end_matches(['.', '…']))
                        || [
                            "in progress",
                            "still running",
                            "not ready",
                            "not finished",
                            "please wait",
                        ]
                        .iter()
                        .any(|phrase| contains_ignore_case(text, phrase)))
            }
        }
    }
}

/// Which layer a correction names; the mark is followed by the layer and the code. Where it names none, the schema
/// layer, whose corrections are the commonest.
pub(super) fn correction_layer(text: &str) -> Layer {
    text.trim_start()
        .strip_prefix(CORRECTION_MARK)
        .unwrap_or_default()
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .take(60)
        .find_map(|word| Layer::parse(word).or_else(|| crate::code::Code::parse(word).map(crate::code::Code::layer)))
        .unwrap_or(Layer::Schema)
}

/// Whether a value holds no content: null, empty texts, lists and objects, and objects of such and zero counts.
pub fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => {
            map.is_empty()
                || (map
                    .values()
                    .any(|value| matches!(value, Value::Array(_) | Value::Null | Value::Object(_)))
                    && map.iter().all(|(key, value)| match value {
                        Value::Number(number) => number.as_str() == "0" || is_paging(key),
                        Value::Bool(flag) => !flag || matches!(key.as_str(), "success" | "ok"),
                        Value::String(text) => text.is_empty() || is_paging(key),
                        Value::Array(items) => items.is_empty(),
                        Value::Object(inner) => inner.is_empty(),
                        Value::Null => true,
                    }))
        }
    }
}

fn is_paging(key: &str) -> bool {
    matches!(
        key,
        "page" | "per_page" | "limit" | "offset" | "page_size" | "status" | "query" | "pageSize" | "perPage"
    )
}

fn is_mcp_envelope(map: &Map<String, Value>) -> bool {
    map.contains_key("isError") || map.contains_key("structuredContent")
}

fn is_blocks(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(is_block)
}

fn is_block(item: &Value) -> bool {
    let Some(kind) = item.get("type").and_then(Value::as_str) else {
        return false;
    };
    match kind {
        "text" | "input_text" | "output_text" => item.get("text").is_some_and(Value::is_string),
        "image" | "audio" | "image_url" | "input_image" | "document" | "resource" | "resource_link" | "input_file"
        | "file" | "input_audio" | "search_result" => true,
        _ => false,
    }
}

fn block_text(item: &Value) -> Option<&str> {
    item.get("text")
        .or_else(|| item.get("resource").and_then(|resource| resource.get("text")))
        .and_then(Value::as_str)
}

fn is_pending_word(word: &str) -> bool {
    const WORDS: [&str; 15] = [
        "pending",
        "queued",
        "running",
        "in_progress",
        "in progress",
        "inprogress",
        "processing",
        "starting",
        "started",
        "waiting",
        "building",
        "provisioning",
        "uploading",
        "not_ready",
        "incomplete",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}
