//! JSON that stays text: a value is looked into without being copied, so that what nobody asked about keeps its bytes.
//!
//! Readers and renderers walk the same nodes. An object that repeats a key is no object here: two parsers would read
//! two different things out of it.

use std::borrow::Cow;

use ahash::AHashSet;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// From this many keys on, repeated ones are looked for with a set.
const FEW_KEYS: usize = 16;

/// One JSON value as it was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a>(&'a RawValue);

/// What a [`Node`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Scalar,
    String,
    Array,
    Object,
}

/// The entries of an object, in order.
#[derive(Debug, Clone)]
pub(super) struct Object<'a>(pub Vec<(Cow<'a, str>, Node<'a>)>);

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Node<'a> {
    /// The one value that a text holds.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// The value at the start of a text, and how many bytes it takes.
    pub(super) fn prefix(text: &'a str) -> Option<(Self, usize)> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&'a RawValue>();
        let node = values.next()?.ok()?;
        Some((Self(node), values.byte_offset()))
    }

    /// The value as it was written.
    pub(super) fn text(self) -> &'a str {
        self.0.get()
    }

    pub(super) fn kind(self) -> Kind {
        match self.text().as_bytes().first() {
            Some(b'n') | None => Kind::Null,
            Some(b'"') => Kind::String,
            Some(b'[') => Kind::Array,
            Some(b'{') => Kind::Object,
            Some(_) => Kind::Scalar,
        }
    }

    pub(super) fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The entries, where this is an object without repeated keys.
    pub(super) fn object(self) -> Option<Object<'a>> {
        if self.kind() != Kind::Object {
            return None;
        }
        let object: Object<'a> = serde_json::from_str(self.text()).ok()?;
        (!object.repeats()).then_some(object)
    }

    /// The items, where this is an array.
    pub(super) fn items(self) -> Option<Vec<Node<'a>>> {
        if self.kind() != Kind::Array {
            return None;
        }
        let items: Vec<&'a RawValue> = serde_json::from_str(self.text()).ok()?;
        Some(items.into_iter().map(Node).collect())
    }

    /// The text, where this is a string of Unicode characters.
    pub(super) fn string(self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            return None;
        }
        serde_json::from_str::<Text<'a>>(self.text()).ok().map(|text| text.0)
    }
}

impl<'a> Object<'a> {
    /// The value of a key; null counts as absent.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        self.0
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, node)| *node)
            .filter(|node| !node.is_null())
    }

    /// Whether the key is there, null or not.
    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| name == key)
    }

    /// The text of a key.
    pub(super) fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.string()
    }

    /// The object of a key.
    pub(super) fn object(&self, key: &str) -> Option<Object<'a>> {
        self.get(key)?.object()
    }

    /// The items of a key.
    pub(super) fn items(&self, key: &str) -> Option<Vec<Node<'a>>> {
        self.get(key)?.items()
    }

    fn repeats(&self) -> bool {
        if self.0.len() <= FEW_KEYS {
            return self
                .0
                .iter()
                .enumerate()
                .any(|(at, (key, _))| self.0.iter().take(at).any(|(other, _)| other == key));
        }
        let mut seen = AHashSet::with_capacity(self.0.len());
        self.0.iter().any(|(key, _)| !seen.insert(&**key))
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    entries.push((key.0, Node(value)));
                }
                Ok(Object(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
