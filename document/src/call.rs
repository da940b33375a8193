//! Calls and earlier steps.

use bytes::Bytes;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use crate::{
    candidate::{base64_text, from_base64},
    error::DocumentError,
    fields::Fields,
    json::Json,
    result::ToolResult,
};

/// A call as the caller has read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// `None`: the service makes one.
    pub id: Option<String>,
    /// As the model wrote it.
    pub name: String,
    /// What the model wrote as arguments.
    pub arguments: Arguments,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// Nothing was sent.
    Absent,
    /// JSON: `arguments`.
    Json(Json),
    /// Bytes that are not JSON: `arguments_b64`, in base64.
    Bytes(Bytes),
}

/// An earlier step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What was called.
    pub call: Call,
    /// What came of it. `None`: not known.
    pub result: Option<ToolResult>,
    /// When, in milliseconds on any one clock.
    pub t_ms: Option<i64>,
}

impl Call {
    pub(crate) const FIELDS: &[&str] = &["id", "name", "arguments", "arguments_b64"];

    pub(crate) fn read(raw: &RawValue, place: String, reason: &'static str) -> Result<Self, DocumentError> {
        let mut fields = Fields::read(raw.get(), place, reason, Self::FIELDS)?;
        fields.end()?;
        let arguments = match (fields.json("arguments"), fields.text("arguments_b64")?) {
            (None, None) => Arguments::Absent,
            (Some(json), None) => Arguments::Json(json),
            (None, Some(encoded)) => {
                let bytes = from_base64(&encoded).ok_or_else(|| fields.wrong("arguments_b64", "base64"))?;
                Arguments::from_bytes(bytes)
            }
            (Some(_), Some(_)) => return Err(fields.wrong("arguments_b64", "absent beside `arguments`")),
        };
        Ok(Self {
            id: fields.text("id")?,
            name: fields.required_text("name")?,
            arguments,
        })
    }
}

impl Arguments {
    /// JSON where the bytes are JSON.
    pub(crate) fn from_bytes(bytes: Bytes) -> Self {
        if bytes.is_empty() {
            return Arguments::Absent;
        }
        match Json::from_bytes(&bytes) {
            // `null` in a document is absent: kept apart from it as bytes.
            Some(json) if json.get() != "null" => Arguments::Json(json),
            Some(_) | None => Arguments::Bytes(bytes),
        }
    }
}

impl Step {
    pub(crate) const FIELDS: &[&str] = &["call", "result", "t_ms"];

    pub(crate) fn read(raw: &RawValue, place: String) -> Result<Self, DocumentError> {
        let reason = DocumentError::HISTORY_INVALID;
        let mut fields = Fields::read(raw.get(), place, reason, Self::FIELDS)?;
        fields.end()?;
        let call = fields.raw("call").ok_or_else(|| fields.wrong("call", "an object"))?;
        let result = fields.raw("result");
        Ok(Self {
            call: Call::read(call, fields.place_of("call"), reason)?,
            result: result
                .map(|raw| ToolResult::read(raw, fields.place_of("result"), reason))
                .transpose()?,
            t_ms: fields.get("t_ms", "a whole number of milliseconds")?,
        })
    }
}

impl Serialize for Call {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = &self.id {
            map.serialize_entry("id", id)?;
        }
        map.serialize_entry("name", &self.name)?;
        match &self.arguments {
            Arguments::Absent => {}
            Arguments::Json(json) => map.serialize_entry("arguments", json)?,
            Arguments::Bytes(bytes) => map.serialize_entry("arguments_b64", &base64_text(bytes))?,
        }
        map.end()
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("call", &self.call)?;
        if let Some(result) = &self.result {
            map.serialize_entry("result", result)?;
        }
        if let Some(t_ms) = self.t_ms {
            map.serialize_entry("t_ms", &t_ms)?;
        }
        map.end()
    }
}
