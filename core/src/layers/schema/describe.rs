//! Words for the model: what a schema wants, what came, which key is meant.

use serde_json::{Map, Value};

use crate::{
    code::Code,
    finding::{Finding, shorten},
};

/// Alternatives that are listed before "and N more".
const MAX_LISTED: usize = 12;
const MAX_ITEM_CHARS: usize = 40;
/// Characters of a received value that are looked at.
const MAX_RECEIVED_CHARS: usize = 100;

/// The kind of a value, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A type of the schema, with its article.
pub(super) fn type_name(name: &str) -> &'static str {
    match name {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    }
}

/// What came, in few words: scalars as they are, the others by their kind and size. Never more than a short beginning
/// of a text.
pub(super) fn received(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let beginning = shorten(text, MAX_RECEIVED_CHARS);
            Value::String(beginning).to_string()
        }
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(map) => format!("an object with {}", listed(map.keys().map(|key| format!("`{key}`")))),
        Value::Null | Value::Bool(_) | Value::Number(_) => shorten(&value.to_string(), MAX_RECEIVED_CHARS),
    }
}

/// Whether a place holds something that must not be quoted.
pub(super) fn is_secret(pointer: &str) -> bool {
    const SIGNS: [&str; 9] = [
        "password",
        "passwd",
        "secret",
        "token",
        "apikey",
        "credential",
        "privatekey",
        "authorization",
        "accesskey",
    ];
    let folded: String = pointer
        .chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect();
    SIGNS.iter().any(|sign| folded.contains(sign)) || folded.ends_with("key")
}

/// `a, b, c and 4 more`.
pub(super) fn listed(items: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut more = 0;
    for (at, item) in items.enumerate() {
        if at >= MAX_LISTED {
            more += 1;
            continue;
        }
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&shorten(&item, MAX_ITEM_CHARS));
    }
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// What a property's schema wants, where it says so.
pub(super) fn wanted(schema: &Value) -> Option<String> {
    if let Some(members) = schema.get("enum").and_then(Value::as_array) {
        return Some(one_of(members));
    }
    match schema.get("type")? {
        Value::String(name) => Some(type_name(name).to_owned()),
        Value::Array(names) => Some(either(names.iter().filter_map(Value::as_str))),
        _ => None,
    }
}

/// The allowed values.
pub(super) fn one_of(members: &[Value]) -> String {
    match members {
        [only] => shorten(&only.to_string(), MAX_RECEIVED_CHARS),
        _ => format!("one of {}", listed(members.iter().map(Value::to_string))),
    }
}

/// The allowed types.
pub(super) fn either<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(type_name).collect::<Vec<_>>().join(" or ")
}

/// The finding for a key that is not declared.
pub(super) fn unknown_param(parent: &str, key: &str, declared: &Map<String, Value>) -> Finding {
    let name = shorten(key, MAX_ITEM_CHARS);
    let finding = Finding::new(Code::UnknownParam, format!("there is no argument `{name}`")).at(join(parent, key));
    match declared.is_empty() {
        true => finding.expected("no arguments"),
        false => finding.expected(listed(declared.keys().map(|key| format!("`{key}`")))),
    }
}

/// The pointer to a key below another.
pub(super) fn join(parent: &str, key: &str) -> String {
    let key = key.replace('~', "~0").replace('/', "~1");
    format!("{parent}/{key}")
}

/// The last key of a pointer; the whole for the root.
pub(super) fn name_of(pointer: &str) -> String {
    match pointer.rsplit_once('/') {
        Some((_, key)) => format!(
            "`{}`",
            shorten(&key.replace("~1", "/").replace("~0", "~"), MAX_ITEM_CHARS)
        ),
        None => "the arguments".to_owned(),
    }
}
