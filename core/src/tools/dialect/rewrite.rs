//! One rewriting each: a habit of a dialect in, the standard's words for it out.

use std::collections::HashSet;

use jsonschema::Draft;
use serde_json::{Map, Value};

use crate::tools::type_name::{self, TypeName};

/// Members that a contradictory `enum` may grow to.
const MAX_CHOICES: usize = 512;

/// `type: "dict"`, `type: "STRING"`, `type: ["str", "None"]`, `type: "list[int]"`.
pub(super) fn type_name(map: &mut Map<String, Value>) {
    let Some(value) = map.get("type") else {
        return;
    };
    let names = match value {
        Value::String(text) => TypeName::read(text),
        Value::Array(names) => names
            .iter()
            .map(|name| name.as_str().and_then(TypeName::read))
            .try_fold(None, |all: Option<TypeName>, name| {
                let name = name?;
                Some(Some(match all {
                    None => name,
                    Some(all) => union(all, name),
                }))
            })
            .flatten(),
        _ => None,
    };
    match names {
        Some(names) if !names.any() => {
            map.insert("type".to_owned(), names.keyword());
            if let Some(items) = names.items
                && !map.contains_key("items")
            {
                map.insert("items".to_owned(), items.schema());
            }
        }
        // A type that nobody knows constrains nothing.
        _ => _ = map.shift_remove("type"),
    }
}

fn union(mut all: TypeName, other: TypeName) -> TypeName {
    if all.any() || other.any() {
        return TypeName::default();
    }
    for name in other.types {
        if !all.types.contains(&name) {
            all.types.push(name);
        }
    }
    all
}

/// Bounds in the words of another draft: `exclusiveMinimum: true` beside `minimum`, or a number in draft 4.
pub(super) fn bounds(map: &mut Map<String, Value>, draft: Draft) {
    for (exclusive, inclusive) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match map.get(exclusive) {
            Some(Value::Bool(true)) if draft != Draft::Draft4 => match map.shift_remove(inclusive) {
                Some(bound) if bound.is_number() => _ = map.insert(exclusive.to_owned(), bound),
                Some(_) | None => _ = map.shift_remove(exclusive),
            },
            Some(Value::Bool(false)) if draft != Draft::Draft4 => _ = map.shift_remove(exclusive),
            Some(Value::Number(bound)) if draft == Draft::Draft4 && !map.contains_key(inclusive) => {
                let bound = Value::Number(bound.clone());
                map.insert(inclusive.to_owned(), bound);
                map.insert(exclusive.to_owned(), Value::Bool(true));
            }
            _ => {}
        }
    }
}

/// `items: [A, B], additionalItems: C` of earlier drafts, written in 2020-12.
pub(super) fn tuple(map: &mut Map<String, Value>) {
    if map.contains_key("prefixItems") {
        map.shift_remove("items");
        return;
    }
    let rest = map.shift_remove("additionalItems");
    if let Some(items) = map.shift_remove("items") {
        if items.as_array().is_some_and(|items| !items.is_empty()) {
            map.insert("prefixItems".to_owned(), items);
        }
        if let Some(rest) = rest {
            map.insert("items".to_owned(), rest);
        }
    }
}

/// `required` that is no list of distinct names: a boolean on a property, one name, a list with repetitions. Says
/// whether it was `true`, which speaks of the property itself.
pub(super) fn required_shape(map: &mut Map<String, Value>) -> bool {
    let Some(value) = map.shift_remove("required") else {
        return false;
    };
    match value {
        Value::Bool(said) => said,
        Value::String(text) if text.eq_ignore_ascii_case("true") => true,
        Value::String(text) => {
            let names_property = map
                .get("properties")
                .is_some_and(|properties| properties.get(&text).is_some());
            if names_property {
                map.insert("required".to_owned(), Value::from(vec![text]));
            }
            false
        }
        Value::Array(names) => {
            let mut seen = HashSet::new();
            let distinct: Vec<Value> = names
                .into_iter()
                .filter(|name| name.as_str().is_some_and(|name| seen.insert(name.to_owned())))
                .collect();
            if !distinct.is_empty() {
                map.insert("required".to_owned(), Value::Array(distinct));
            }
            false
        }
        Value::Null | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Adds names to `required`.
pub(super) fn add_required(map: &mut Map<String, Value>, names: Vec<String>) {
    let list = map.entry("required").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        let known: HashSet<String> = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        list.extend(
            names
                .into_iter()
                .filter(|name| !known.contains(name))
                .map(Value::String),
        );
    }
}

/// An `enum` that no value can satisfy. Empty: it says nothing, unless the schema names its draft and means it. Of
/// another type than the schema's (Gemini wants texts whatever the type): members count as written and as the type
/// reads them, and those of an array are its items'.
pub(super) fn choices(map: &mut Map<String, Value>, names_draft: bool) {
    let Some(Value::Array(members)) = map.get("enum") else {
        return;
    };
    if members.is_empty() {
        if !names_draft {
            map.shift_remove("enum");
        }
        return;
    }
    let Some(kind) = map.get("type").and_then(Value::as_str).and_then(type_name::standard) else {
        return;
    };
    if members.iter().any(|member| fits(member, kind)) {
        return;
    }
    if kind == "array" {
        let members = map.shift_remove("enum").unwrap_or_default();
        let items = map.entry("items").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(items) = items {
            items.entry("enum").or_insert(members);
        }
        return;
    }
    let mut both = members.clone();
    for read in members.iter().filter_map(|member| read_as(member, kind)) {
        if both.len() < MAX_CHOICES && !both.contains(&read) {
            both.push(read);
        }
    }
    map.insert("enum".to_owned(), Value::Array(both));
    map.shift_remove("type");
}

fn fits(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(_) => kind == "number" || kind == "integer",
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

fn read_as(member: &Value, kind: &str) -> Option<Value> {
    let read = match member {
        Value::String(text) => serde_json::from_str(&text.to_lowercase()).ok()?,
        Value::Number(number) => Value::String(number.to_string()),
        _ => return None,
    };
    fits(&read, kind).then_some(read)
}

/// `[\w-.]`: in JavaScript a dash beside a class of characters is itself, other engines refuse it.
pub(super) fn pattern(value: &mut Value) {
    if let Value::String(text) = value
        && CLASSES
            .iter()
            .any(|(before, behind)| text.contains(before) || text.contains(behind))
    {
        *text = dashes_escaped(text);
    }
}

const CLASSES: [(&str, &str); 6] = [
    ("\\w-", "-\\w"),
    ("\\d-", "-\\d"),
    ("\\s-", "-\\s"),
    ("\\W-", "-\\W"),
    ("\\D-", "-\\D"),
    ("\\S-", "-\\S"),
];

fn dashes_escaped(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 4);
    let mut rest = pattern.chars().peekable();
    let mut in_brackets = false;
    // Whether what stands before is a class such as `\w`.
    let mut behind_class = false;
    while let Some(character) = rest.next() {
        let mut is_class = false;
        match character {
            '\\' => {
                escaped.push('\\');
                if let Some(next) = rest.next() {
                    escaped.push(next);
                    is_class = matches!(next, 'w' | 'd' | 's' | 'W' | 'D' | 'S');
                }
            }
            '-' if in_brackets => {
                let mut ahead = rest.clone();
                let before_class =
                    ahead.next() == Some('\\') && matches!(ahead.next(), Some('w' | 'd' | 's' | 'W' | 'D' | 'S'));
                if behind_class || before_class {
                    escaped.push('\\');
                }
                escaped.push('-');
            }
            _ => {
                match character {
                    '[' => in_brackets = true,
                    ']' => in_brackets = false,
                    _ => {}
                }
                escaped.push(character);
            }
        }
        behind_class = is_class;
    }
    escaped
}

/// OpenAPI's `nullable: true`.
pub(super) fn nullable(map: &mut Map<String, Value>) {
    if let Some(Value::Array(members)) = map.get_mut("enum")
        && !members.contains(&Value::Null)
    {
        members.push(Value::Null);
    }
    match map.get_mut("type") {
        Some(Value::String(name)) if name != "null" => {
            let both = Value::from(vec![name.as_str(), "null"]);
            map.insert("type".to_owned(), both);
            return;
        }
        Some(Value::Array(names)) => {
            if !names.iter().any(|name| name == "null") {
                names.push(Value::from("null"));
            }
            return;
        }
        _ => {}
    }
    let combines = ["$ref", "anyOf", "oneOf", "allOf", "const"]
        .iter()
        .any(|key| map.contains_key(*key));
    if combines {
        or_null(map);
    }
}

/// Moves what the schema demands into a choice beside null. What others point to, and what describes, stays.
fn or_null(map: &mut Map<String, Value>) {
    const STAYS: [&str; 8] = [
        "$schema",
        "$id",
        "$anchor",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
    ];
    let mut demands = Map::new();
    let mut stays = Map::new();
    for (key, value) in std::mem::take(map) {
        match key.as_str() {
            "nullable" => {}
            key if STAYS.contains(&key) => _ = stays.insert(key.to_owned(), value),
            _ => _ = demands.insert(key, value),
        }
    }
    let mut null = Map::new();
    null.insert("type".to_owned(), Value::from("null"));
    *map = stays;
    map.insert(
        "anyOf".to_owned(),
        Value::Array(vec![Value::Object(demands), Value::Object(null)]),
    );
}

/// `"3"` where a keyword takes a number.
pub(super) fn number_from_text(value: &mut Value) {
    if let Value::String(text) = value
        && let Ok(number) = serde_json::from_str::<serde_json::Number>(text.trim())
    {
        *value = Value::Number(number);
    }
}
