//! JSON text within a text: read strictly, with no key twice, so that reading it loses nothing.

use std::{collections::HashSet, fmt};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The value that the text is, if it is one array or object without repeated keys.
pub(super) fn read(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str::<DistinctKeys>(trimmed).ok()?;
    serde_json::from_str(trimmed).ok()
}

/// Any JSON in which no object repeats a key.
struct DistinctKeys;

impl<'de> Deserialize<'de> for DistinctKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistinctKeys)
    }
}

impl<'de> Visitor<'de> for DistinctKeys {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON without repeated keys")
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        let mut keys: HashSet<String> = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            entries.next_value::<Self>()?;
            if !keys.insert(key) {
                return Err(A::Error::custom("a key is repeated"));
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn one_array_or_object_is_read() {
        assert_eq!(
            read(r#" ["a", 1.10, null] "#).map(|v| v.to_string()),
            Some(r#"["a",1.10,null]"#.to_owned())
        );
        assert_eq!(read(r#"{"a": {"b": 2}}"#), Some(json!({"a": {"b": 2}})));
    }

    #[test]
    fn anything_else_is_not() {
        for text in [
            "",
            "a, b",
            "5",
            "\"x\"",
            "[1",
            "[1] [2]",
            "{'a': 1}",
            r#"{"a":1,"a":2}"#,
            r#"[{"a":1,"a":1}]"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
