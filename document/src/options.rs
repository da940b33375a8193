//! How a document asks to be judged.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use crate::{
    error::DocumentError,
    fields::{Fields, nearest},
    words::{ArgumentsEcho, Layer, Repair, RunMode},
};

/// The `options` of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// `None`: `safe`.
    pub repair: Option<Repair>,
    /// The layers to run. Empty: all.
    pub layers: Vec<Layer>,
    /// `None`: `enforce`.
    pub mode: Option<RunMode>,
    /// Adds timings and scores to the answer.
    pub explain: bool,
    /// `None`: `all`.
    pub arguments: Option<ArgumentsEcho>,
}

impl Options {
    pub(crate) const FIELDS: &[&str] = &["repair", "layers", "mode", "explain", "arguments"];

    pub(crate) fn read(raw: &RawValue) -> Result<Self, DocumentError> {
        let mut fields = Fields::read(raw.get(), "options", DocumentError::OPTIONS_INVALID, Self::FIELDS)?;
        fields.end()?;
        Ok(Self {
            repair: fields.get("repair", "safe or off")?,
            layers: fields.list("layers", layer)?,
            mode: fields.get("mode", "enforce or shadow")?,
            explain: fields.get("explain", "true or false")?.unwrap_or(false),
            arguments: fields.get("arguments", "all or changed")?,
        })
    }
}

fn layer(raw: &RawValue, place: String) -> Result<Layer, DocumentError> {
    let words: Vec<&'static str> = Layer::ALL.iter().map(|layer| layer.as_str()).collect();
    let written: String = serde_json::from_str(raw.get()).unwrap_or_default();
    Layer::parse(&written).ok_or_else(|| {
        let hint = nearest(&written, &words).map_or_else(String::new, |word| format!(", did you mean {word}?"));
        let message = format!("`{place}` must be one of {}{hint}", words.join(", "));
        DocumentError::new(DocumentError::OPTIONS_INVALID, message)
    })
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(repair) = self.repair {
            map.serialize_entry("repair", &repair)?;
        }
        if !self.layers.is_empty() {
            map.serialize_entry("layers", &self.layers)?;
        }
        if let Some(mode) = self.mode {
            map.serialize_entry("mode", &mode)?;
        }
        if self.explain {
            map.serialize_entry("explain", &true)?;
        }
        if let Some(arguments) = self.arguments {
            map.serialize_entry("arguments", &arguments)?;
        }
        map.end()
    }
}
