//! What was changed, as a JSON Patch.

use serde_json::Value;

/// The RFC 6902 patch that turns `before` into `after`: an array of operations.
pub fn patch(before: &Value, after: &Value) -> Value {
    serde_json::to_value(json_patch::diff(before, after)).unwrap_or_else(|_| Value::Array(Vec::new()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::patch;

    #[test]
    fn a_patch_leads_from_one_to_the_other() {
        let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        for (before, after, expected) in [
            (json!({"a": 1}), json!({"a": 1}), json!([])),
            (
                json!({"a": "5"}),
                json!({"a": 5}),
                json!([{"op": "replace", "path": "/a", "value": 5}]),
            ),
            (
                json!({"a": null, "b": 1}),
                json!({"b": 1}),
                json!([{"op": "remove", "path": "/a"}]),
            ),
            (
                json!({"x/y~z": "1"}),
                json!({"x/y~z": 1}),
                json!([{"op": "replace", "path": "/x~1y~0z", "value": 1}]),
            ),
            (
                json!({"a": "36893488147419103233"}),
                number(r#"{"a": 36893488147419103233}"#),
                number(r#"[{"op": "replace", "path": "/a", "value": 36893488147419103233}]"#),
            ),
            (
                number(r#"{"a": 1.10}"#),
                json!({"a": "1.10"}),
                json!([{"op": "replace", "path": "/a", "value": "1.10"}]),
            ),
            (
                json!({"a": ["1", "2"]}),
                json!({"a": [1, 2]}),
                json!([{"op": "replace", "path": "/a/0", "value": 1}, {"op": "replace", "path": "/a/1", "value": 2}]),
            ),
        ] {
            assert_eq!(patch(&before, &after), expected);
            let mut patched = before.clone();
            json_patch::patch(&mut patched, &json_patch::diff(&before, &after)).unwrap();
            assert_eq!(patched, after);
        }
    }
}
