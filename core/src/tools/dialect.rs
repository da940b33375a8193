//! From the dialects found in the wild to standard JSON Schema.
//!
//! Only what no standard schema holds is rewritten: names of types that the standard does not know, OpenAPI's
//! `nullable`, boolean bounds of draft 4 in later drafts, `required: true` on a property, tuples written as `items` in
//! 2020-12, texts where numbers belong. Everything else keeps its exact meaning. The walk follows the positions where
//! schemas stand, so a property that is *called* `type` and the payloads of `enum`, `const`, `default` and `examples`
//! are never touched.

mod property_map;
mod rewrite;

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::type_name::TypeName;

/// A schema in standard form.
#[derive(Debug)]
pub(super) struct Standard {
    pub schema: Value,
    pub draft: Draft,
}

/// The schema of a tool's arguments: besides what [`standard`] does, nothing at all means "no arguments", and a bare
/// map or list of parameters is the `properties` that it stands for.
pub(super) fn arguments(schema: Option<Value>) -> Standard {
    let schema = match schema {
        None | Some(Value::Null) => json!({"type": "object", "properties": {}}),
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Some(schema) => schema,
    };
    standard(property_map::wrapped(schema))
}

/// Any schema.
pub(super) fn standard(mut schema: Value) -> Standard {
    let draft = draft_of(&schema).unwrap_or(Draft::Draft202012);
    subschema(&mut schema, draft);
    Standard { schema, draft }
}

/// The draft that a schema names; none where it names none that is known.
fn draft_of(schema: &Value) -> Option<Draft> {
    let named = schema.get("$schema")?.as_str()?;
    [
        ("draft-03", Draft::Draft4),
        ("draft-04", Draft::Draft4),
        ("draft-06", Draft::Draft6),
        ("draft-07", Draft::Draft7),
        ("2019-09", Draft::Draft201909),
        ("2020-12", Draft::Draft202012),
    ]
    .into_iter()
    .find(|(part, _)| named.contains(part))
    .map(|(_, draft)| draft)
}

/// Rewrites a schema and all below it. Says whether it declares itself required (`required: true`).
fn subschema(value: &mut Value, draft: Draft) -> bool {
    match value {
        Value::Object(map) => {
            let draft = match map.get("$schema") {
                Some(_) => draft_of(value).unwrap_or(draft),
                None => draft,
            };
            match value {
                Value::Object(map) => object(map, draft),
                _ => false,
            }
        }
        // A type's name in place of a schema, or a description.
        Value::String(text) => {
            *value = match TypeName::read(text) {
                Some(name) => name.schema(),
                None => json!({ "description": text }),
            };
            false
        }
        Value::Null => {
            *value = Value::Object(Map::new());
            false
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

/// What is to be done with a schema once all its keys were seen.
#[derive(Default)]
struct Todo {
    /// Keywords without meaning: null, or annotations of a wrong shape.
    drop: Vec<String>,
    /// Properties that declare themselves required.
    required: Vec<String>,
    /// `required` is no list of distinct names.
    required_shape: bool,
    type_name: bool,
    nullable: bool,
    bounds: bool,
    tuple: bool,
    choices: bool,
}

fn object(map: &mut Map<String, Value>, draft: Draft) -> bool {
    let mut todo = Todo::default();
    for (key, value) in map.iter_mut() {
        keyword(key, value, draft, &mut todo);
    }
    for key in &todo.drop {
        map.shift_remove(key);
    }
    if todo.type_name {
        rewrite::type_name(map);
    }
    if todo.bounds {
        rewrite::bounds(map, draft);
    }
    if todo.tuple {
        rewrite::tuple(map);
    }
    if todo.choices {
        rewrite::choices(map);
    }
    let said = todo.required_shape && rewrite::required_shape(map);
    if !todo.required.is_empty() {
        rewrite::add_required(map, todo.required);
    }
    if todo.nullable {
        rewrite::nullable(map);
    }
    said
}

fn keyword(key: &str, value: &mut Value, draft: Draft, todo: &mut Todo) {
    match key {
        "default" | "const" => return,
        _ if value.is_null() => return todo.drop.push(key.to_owned()),
        _ => {}
    }
    match key {
        "type" => {
            let standard = |name: &Value| name.as_str().and_then(super::type_name::standard).is_some();
            todo.type_name = match &*value {
                Value::Array(names) => names.is_empty() || !names.iter().all(standard),
                name => !standard(name),
            };
        }
        "properties" => {
            if let Value::Object(properties) = value {
                for (name, property) in properties.iter_mut() {
                    if subschema(property, draft) {
                        todo.required.push(name.clone());
                    }
                }
            }
        }
        "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies" => {
            if let Value::Object(schemas) = value {
                for schema in schemas.values_mut().filter(|schema| !schema.is_array()) {
                    subschema(schema, draft);
                }
            }
        }
        "items" => match value {
            Value::Array(items) => {
                items.iter_mut().for_each(|item| _ = subschema(item, draft));
                todo.tuple = draft == Draft::Draft202012;
            }
            item => _ = subschema(item, draft),
        },
        "prefixItems" | "anyOf" | "oneOf" | "allOf" => match value {
            Value::Array(schemas) if schemas.is_empty() => todo.drop.push(key.to_owned()),
            Value::Array(schemas) => schemas.iter_mut().for_each(|schema| _ = subschema(schema, draft)),
            _ => {}
        },
        "additionalProperties" | "additionalItems" | "unevaluatedProperties" | "unevaluatedItems" => {
            match value.as_str().map(str::to_lowercase).as_deref() {
                Some("true") => *value = Value::Bool(true),
                Some("false") => *value = Value::Bool(false),
                _ => _ = subschema(value, draft),
            }
        }
        "contains" | "propertyNames" | "not" | "if" | "then" | "else" => _ = subschema(value, draft),
        "required" => todo.required_shape = !is_list_of_names(value, draft),
        "nullable" => todo.nullable = value.as_bool() == Some(true),
        "enum" => todo.choices = true,
        "exclusiveMinimum" | "exclusiveMaximum" => {
            rewrite::number_from_text(value);
            todo.bounds |= value.is_boolean() != (draft == Draft::Draft4);
        }
        "minimum" | "maximum" | "multipleOf" | "minLength" | "maxLength" | "minItems" | "maxItems"
        | "minProperties" | "maxProperties" | "minContains" | "maxContains" => rewrite::number_from_text(value),
        "title" | "description" | "$comment" | "format" | "$schema" | "contentEncoding" | "contentMediaType"
            if !value.is_string() =>
        {
            todo.drop.push(key.to_owned());
        }
        "examples" if !value.is_array() => todo.drop.push(key.to_owned()),
        "deprecated" | "readOnly" | "writeOnly" if !value.is_boolean() => todo.drop.push(key.to_owned()),
        _ => {}
    }
}

/// Whether `required` is what the draft allows.
fn is_list_of_names(value: &Value, draft: Draft) -> bool {
    let Value::Array(names) = value else {
        return false;
    };
    if names.is_empty() {
        return draft != Draft::Draft4;
    }
    let distinct = |(index, name): (usize, &Value)| !names.iter().take(index).any(|earlier| earlier == name);
    names.iter().all(Value::is_string) && (names.len() > 64 || names.iter().enumerate().all(distinct))
}
