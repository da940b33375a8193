//! Reads one JSON object field by field: known names only, each once, every fault with the place where it is.
//!
//! serde's derive would do most of this, but its errors are text without a reason, and it cannot name the field that
//! was meant. Values stay raw until their reader asks for them.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    error::DocumentError,
    json::{Json, Kind},
};

/// The fields of one object, in the order of the names asked for.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    place: Cow<'a, str>,
    reason: &'static str,
    known: &'static [&'static str],
    values: Vec<Option<&'a RawValue>>,
    fault: Option<DocumentError>,
}

impl<'a> Fields<'a> {
    /// Reads the text of an object. `place` names it in messages (empty: the document), `reason` is that of its faults.
    /// Unknown and repeated names are kept for [`Fields::end`], so that an `id` can be read from a faulty document.
    pub(crate) fn read(
        text: &'a str,
        place: impl Into<Cow<'a, str>>,
        reason: &'static str,
        known: &'static [&'static str],
    ) -> Result<Self, DocumentError> {
        let mut fields = Self {
            place: place.into(),
            reason,
            known,
            values: vec![None; known.len()],
            fault: None,
        };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer
            .deserialize_map(Collector(&mut fields))
            .and_then(|()| deserializer.end())
            .map_err(|cause| {
                let what = if fields.place.is_empty() {
                    "a document"
                } else {
                    &fields.place
                };
                if cause.is_data() {
                    DocumentError::new(reason, format!("{what} must be an object"))
                } else {
                    DocumentError::new(DocumentError::NOT_JSON, format!("not JSON: {cause}"))
                }
            })?;
        Ok(fields)
    }

    /// The fault of the names themselves, if there is one.
    pub(crate) fn end(&mut self) -> Result<(), DocumentError> {
        self.fault.take().map_or(Ok(()), Err)
    }

    /// Whether a field stands there at all, be it `null`.
    pub(crate) fn names(&self, name: &str) -> bool {
        let at = self.known.iter().position(|known| *known == name);
        at.and_then(|at| self.values.get(at)).is_some_and(Option::is_some)
    }

    /// The raw value of a field; `null` is absent.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        let at = self.known.iter().position(|known| *known == name)?;
        self.values.get(at).copied().flatten().filter(|raw| raw.get() != "null")
    }

    /// A field kept as JSON text.
    pub(crate) fn json(&self, name: &str) -> Option<Json> {
        self.raw(name).map(Json::copied)
    }

    /// A field of a type of its own; `what` says in words what it must be.
    pub(crate) fn get<T: DeserializeOwned>(&self, name: &str, what: &str) -> Result<Option<T>, DocumentError> {
        self.raw(name)
            .map(|raw| serde_json::from_str(raw.get()).map_err(|_| self.wrong(name, what)))
            .transpose()
    }

    /// A text field.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, DocumentError> {
        self.get(name, "a string of valid Unicode")
    }

    /// A text field that must be there.
    pub(crate) fn required_text(&self, name: &str) -> Result<String, DocumentError> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "a string"))
    }

    /// A list, each element read by itself; absent: empty.
    pub(crate) fn list<T>(
        &self,
        name: &str,
        mut read: impl FnMut(&'a RawValue, String) -> Result<T, DocumentError>,
    ) -> Result<Vec<T>, DocumentError> {
        let Some(raw) = self.raw(name) else {
            return Ok(Vec::new());
        };
        if Kind::of(raw) != Kind::Array {
            return Err(self.wrong(name, "an array"));
        }
        let elements: Elements<'a> = serde_json::from_str(raw.get()).map_err(|_| self.wrong(name, "an array"))?;
        let place = self.place_of(name);
        let numbered = elements.0.into_iter().enumerate();
        numbered.map(|(at, raw)| read(raw, format!("{place}[{at}]"))).collect()
    }

    /// A fault of a field: it must be something else.
    pub(crate) fn wrong(&self, name: &str, what: &str) -> DocumentError {
        DocumentError::new(self.reason, format!("`{}` must be {what}", self.place_of(name)))
    }

    /// Where a field stands, in words.
    pub(crate) fn place_of(&self, name: &str) -> String {
        if self.place.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.place)
        }
    }

    fn accept(&mut self, key: &str, value: &'a RawValue) {
        let slot = self.known.iter().position(|known| *known == key);
        match slot.and_then(|at| self.values.get_mut(at)) {
            Some(slot @ None) => *slot = Some(value),
            Some(Some(_)) => {
                let message = format!("`{}` stands twice", self.place_of(key));
                self.fault.get_or_insert(DocumentError::new(self.reason, message));
            }
            None if self.fault.is_none() => {
                self.fault = Some(DocumentError::new(DocumentError::FIELD_UNKNOWN, self.unknown(key)));
            }
            None => {}
        }
    }

    fn unknown(&self, key: &str) -> String {
        let shown: String = key.chars().take(60).collect();
        let nearest = nearest(&shown, self.known);
        let place = self.place_of(&shown);
        match nearest {
            Some(name) => format!("unknown field `{place}`, did you mean `{name}`?"),
            None => format!("unknown field `{place}`; known are {}", self.known.join(", ")),
        }
    }
}

/// The known word nearest to a written one, where one is near enough to have been meant.
pub(crate) fn nearest(written: &str, known: &[&'static str]) -> Option<&'static str> {
    let written = written.to_lowercase();
    let bound = (written.chars().count() / 3).max(2);
    known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&written, name), *name))
        .filter(|(distance, name)| *distance <= bound && *distance < name.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct Collector<'f, 'a>(&'f mut Fields<'a>);

impl<'a> Visitor<'a> for Collector<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            let value: &'a RawValue = map.next_value()?;
            self.0.accept(&key, value);
        }
        Ok(())
    }
}

struct Elements<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<&'de RawValue>::deserialize(deserializer).map(Self)
    }
}
