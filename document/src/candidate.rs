//! The model's output in a document.

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    call::Call,
    error::DocumentError,
    fields::Fields,
    json::{Json, Kind},
    words::Format,
};

/// The model's output exactly as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Candidate {
    /// `candidate`, an object or array; or a string that is not valid Unicode.
    Json(Json),
    /// `candidate`, a string: the model's text, or with format `openai_sse` the captured stream.
    Text(String),
    /// `candidate_b64`: bytes that are not JSON in UTF-8.
    Bytes(Bytes),
    /// `candidate`, an object whose only key is `calls`: calls that the caller has read already.
    Calls(Vec<Call>),
}

/// `{"calls": […]}`.
struct Calls<'a>(&'a [Call]);

impl Candidate {
    const CALLS: &[&str] = &["calls"];

    /// Reads `candidate`.
    pub(crate) fn read(json: Json) -> Result<Self, DocumentError> {
        let invalid = |message| Err(DocumentError::new(DocumentError::CANDIDATE_INVALID, message));
        match json.kind() {
            Kind::Object => match calls_only(&json) {
                Some(fields) => fields
                    .list("calls", |raw, place| {
                        Call::read(raw, place, DocumentError::CANDIDATE_INVALID)
                    })
                    .map(Self::Calls),
                None => Ok(Self::Json(json)),
            },
            Kind::Array => Ok(Self::Json(json)),
            Kind::String => Ok(match serde_json::from_str(json.get()) {
                Ok(text) => Self::Text(text),
                Err(_) => Self::Json(json),
            }),
            Kind::Other => invalid("`candidate` must be an object, an array or a string"),
        }
    }

    /// The decoded `candidate_b64`, or a response's bytes.
    pub(crate) fn from_bytes(bytes: Bytes) -> Self {
        let json = Json::from_bytes(&bytes);
        match json.map(Self::read) {
            // Text and numbers as JSON are not what `candidate` would mean by them.
            Some(Ok(candidate @ (Self::Json(_) | Self::Calls(_)))) => candidate,
            Some(_) | None => Self::Bytes(bytes),
        }
    }

    /// The bytes of a captured stream are text where they can be.
    pub(crate) fn of_format(self, format: Option<Format>) -> Self {
        match self {
            Self::Bytes(bytes) if format == Some(Format::OpenaiSse) => Self::from_stream(bytes),
            other => other,
        }
    }

    /// A captured stream.
    pub(crate) fn from_stream(bytes: Bytes) -> Self {
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes(bytes),
        }
    }

    pub(crate) fn serialize_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match self {
            Self::Json(json) => map.serialize_entry("candidate", json),
            Self::Text(text) => map.serialize_entry("candidate", text),
            Self::Bytes(bytes) => map.serialize_entry("candidate_b64", &base64_text(bytes)),
            Self::Calls(calls) => map.serialize_entry("candidate", &Calls(calls)),
        }
    }
}

/// The object's fields where `calls` is its only one and an array.
fn calls_only(json: &Json) -> Option<Fields<'_>> {
    let inside = json.get().strip_prefix('{')?.trim_start();
    if !inside.starts_with("\"calls\"") {
        return None;
    }
    let mut fields = Fields::read(
        json.get(),
        "candidate",
        DocumentError::CANDIDATE_INVALID,
        Candidate::CALLS,
    )
    .ok()?;
    fields.end().ok()?;
    fields.raw("calls").filter(|raw| Kind::of(raw) == Kind::Array)?;
    Some(fields)
}

pub(crate) fn from_base64(text: &str) -> Option<Bytes> {
    STANDARD.decode(text).ok().map(Bytes::from)
}

pub(crate) fn base64_text(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

impl Serialize for Calls<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("calls", self.0)?;
        map.end()
    }
}
