//! JSON text within a text: read strictly, with no key twice, so that reading it loses nothing.

use serde_json::Value;

use crate::{json, limits::Limits};

/// The value that the text is, if it is one array or object.
pub(super) fn read(text: &str, limits: &Limits) -> Option<Value> {
    let trimmed = text.trim();
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    json::read(trimmed, limits).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;
    use crate::limits::Limits;

    #[test]
    fn one_array_or_object_is_read() {
        let limits = Limits::default();
        let read = |text: &str| read(text, &limits);
        assert_eq!(
            read(r#" ["a", 1.10, null] "#).map(|value| value.to_string()),
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
            assert_eq!(read(text, &Limits::default()), None, "{text}");
        }
    }
}
