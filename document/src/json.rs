//! JSON text that is checked once and then passed through untouched.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One JSON value as text, exactly as it came (white space around it left out). Equal where the text is equal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

/// What a JSON text starts like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Other,
}

impl Json {
    /// Checks bytes. `None`: they are not exactly one JSON value in UTF-8.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        serde_json::from_str::<&RawValue>(text).ok().map(Self::copied)
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The text as bytes, without a copy.
    pub fn into_bytes(self) -> Bytes {
        let text: Box<str> = self.0.into();
        Bytes::from(text.into_boxed_bytes())
    }

    pub(crate) fn copied(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }

    pub(crate) fn kind(&self) -> Kind {
        Kind::of(&self.0)
    }
}

impl Kind {
    pub(crate) fn of(raw: &RawValue) -> Self {
        match raw.get().as_bytes().first() {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b'"') => Self::String,
            _ => Self::Other,
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}
