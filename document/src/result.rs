//! Results of tools.

use bytes::Bytes;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use crate::{
    candidate::{base64_text, from_base64},
    error::DocumentError,
    fields::Fields,
    json::{Json, Kind},
};

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call that it answers. `None`: by position, where only one call waits.
    pub call_id: Option<String>,
    /// What it holds.
    pub body: ResultBody,
    /// `None`: the tool did not say.
    pub is_error: Option<bool>,
}

/// Where a result's content stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultBody {
    /// Nothing.
    Absent,
    /// `content`, a string.
    Text(String),
    /// `content`, any other JSON; or a string that is not valid Unicode.
    Value(Json),
    /// `content_json`: JSON text to decode as received; may be broken.
    Encoded(String),
    /// `content_b64`: the same, where it is not UTF-8.
    Bytes(Bytes),
}

impl ToolResult {
    pub(crate) const FIELDS: &[&str] = &["call_id", "content", "content_json", "content_b64", "is_error"];

    pub(crate) fn read(raw: &RawValue, place: String, reason: &'static str) -> Result<Self, DocumentError> {
        let mut fields = Fields::read(raw.get(), place, reason, Self::FIELDS)?;
        fields.end()?;
        let bodies = ["content", "content_json", "content_b64"];
        if bodies.iter().filter(|name| fields.raw(name).is_some()).count() > 1 {
            return Err(fields.wrong("content", "the only one of content, content_json and content_b64"));
        }
        let body = if let Some(json) = fields.json("content") {
            ResultBody::from_json(json)
        } else if let Some(text) = fields.get("content_json", "a string that holds JSON text")? {
            ResultBody::Encoded(text)
        } else if let Some(encoded) = fields.text("content_b64")? {
            let bytes = from_base64(&encoded).ok_or_else(|| fields.wrong("content_b64", "base64"))?;
            ResultBody::from_encoded(bytes)
        } else {
            ResultBody::Absent
        };
        Ok(Self {
            call_id: fields.text("call_id")?,
            body,
            is_error: fields.get("is_error", "true or false")?,
        })
    }
}

impl ResultBody {
    /// `content`: text where it is a string; `null` is nothing.
    pub(crate) fn from_json(json: Json) -> Self {
        if json.kind() == Kind::String
            && let Ok(text) = serde_json::from_str(json.get())
        {
            return ResultBody::Text(text);
        }
        if json.get() == "null" {
            return ResultBody::Absent;
        }
        ResultBody::Value(json)
    }

    /// JSON text to decode as received.
    pub(crate) fn from_encoded(bytes: Bytes) -> Self {
        match std::str::from_utf8(&bytes) {
            Ok(text) => ResultBody::Encoded(text.to_owned()),
            Err(_) => ResultBody::Bytes(bytes),
        }
    }
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(call_id) = &self.call_id {
            map.serialize_entry("call_id", call_id)?;
        }
        match &self.body {
            ResultBody::Absent => {}
            ResultBody::Text(text) => map.serialize_entry("content", text)?,
            ResultBody::Value(json) => map.serialize_entry("content", json)?,
            ResultBody::Encoded(text) => map.serialize_entry("content_json", text)?,
            ResultBody::Bytes(bytes) => map.serialize_entry("content_b64", &base64_text(bytes))?,
        }
        if let Some(is_error) = self.is_error {
            map.serialize_entry("is_error", &is_error)?;
        }
        map.end()
    }
}
