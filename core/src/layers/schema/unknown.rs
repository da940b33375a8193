//! Keys that an open schema does not declare. They are valid, but the tool most likely ignores them, so they are told.
//! Sent back is only what would plainly be lost: a misspelling of a declared key, and a call all of whose keys are
//! unknown.

use serde_json::{Map, Value};

use super::{describe, spelling};
use crate::{code::Action, finding::Finding, tools::Tool};

/// Keywords at the root that let a schema say something of other keys.
const SPEAKS_OF_OTHERS: [&str; 13] = [
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "$ref",
    "$dynamicRef",
    "dependentSchemas",
];
const MAX_TOLD: usize = 8;

/// Tells the undeclared keys of valid arguments.
pub(super) fn tell(value: &Value, tool: &Tool, findings: &mut Vec<Finding>) {
    let (Some(arguments), Some(schema)) = (value.as_object(), tool.input.source().as_object()) else {
        return;
    };
    let Some(declared) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let mut undeclared = arguments
        .iter()
        .filter(|(key, _)| !declared.contains_key(*key))
        .peekable();
    if declared.is_empty() || undeclared.peek().is_none() {
        return;
    }
    if SPEAKS_OF_OTHERS.iter().any(|keyword| schema.contains_key(*keyword)) {
        return;
    }
    // Only a schema that says that it describes an object lists its keys; a mere constraint on some keys does not.
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return;
    }
    let all_lost = !arguments.keys().any(|key| declared.contains_key(key));
    for (key, _) in undeclared.take(MAX_TOLD) {
        let finding = unknown(key, declared, arguments);
        let keeps_note = !all_lost && finding.suggestion.is_none();
        findings.push(if keeps_note {
            finding.leads_to(Action::Note)
        } else {
            finding
        });
    }
}

fn unknown(key: &str, declared: &Map<String, Value>, arguments: &Map<String, Value>) -> Finding {
    let free = declared
        .keys()
        .map(String::as_str)
        .filter(|name| !arguments.contains_key(*name));
    let finding = describe::unknown_param("", key, declared);
    match spelling::nearest(key, free) {
        Some(meant) => finding.suggestion(format!("did you mean `{meant}`?")),
        None => finding,
    }
}
