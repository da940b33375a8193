//! Parameters that are not wrapped in a schema: a map from name to schema, or a list of named parameters.

use serde_json::{Map, Value, json};

use crate::tools::type_name::TypeName;

/// Keywords whose value may be an object in a sound schema.
const MAY_BE_OBJECT: [&str; 22] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "dependencies",
    "dependentSchemas",
    "dependentRequired",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "contentSchema",
    "not",
    "if",
    "then",
    "else",
    "$defs",
    "definitions",
    "const",
    "default",
    "$vocabulary",
];
/// Keywords whose value is never an object.
const NEVER_OBJECT: [&str; 40] = [
    "$schema",
    "$id",
    "id",
    "$ref",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$recursiveAnchor",
    "$comment",
    "type",
    "enum",
    "allOf",
    "anyOf",
    "oneOf",
    "prefixItems",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "title",
    "description",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
];

/// The schema, or one with what stands bare as its `properties`.
pub(super) fn wrapped(schema: Value) -> Value {
    match schema {
        Value::Object(map) if is_property_map(&map) => json!({"type": "object", "properties": map}),
        Value::Array(list) if !list.is_empty() && list.iter().all(is_named) => from_list(list),
        schema => schema,
    }
}

/// No key says anything as a keyword, and every value is the schema of a property.
fn is_property_map(map: &Map<String, Value>) -> bool {
    !map.is_empty()
        && map.iter().all(|(key, value)| {
            let keyword =
                MAY_BE_OBJECT.contains(&key.as_str()) || (NEVER_OBJECT.contains(&key.as_str()) && !value.is_object());
            !keyword && is_property(value)
        })
}

fn is_property(value: &Value) -> bool {
    const TELLING: [&str; 7] = ["type", "description", "enum", "anyOf", "oneOf", "items", "properties"];
    match value {
        Value::Object(schema) => TELLING.iter().any(|key| schema.contains_key(*key)),
        Value::String(text) => TypeName::read(text).is_some(),
        _ => false,
    }
}

fn is_named(value: &Value) -> bool {
    value.get("name").is_some_and(Value::is_string)
}

/// `[{name, type, description, required}, …]`, as OpenAPI lists parameters.
fn from_list(list: Vec<Value>) -> Value {
    let mut properties = Map::new();
    for parameter in list {
        let Value::Object(mut parameter) = parameter else {
            continue;
        };
        let Some(Value::String(name)) = parameter.shift_remove("name") else {
            continue;
        };
        // In OpenAPI 3 the schema stands one level deeper.
        if let Some(Value::Object(schema)) = parameter.shift_remove("schema") {
            for (key, value) in schema {
                parameter.entry(key).or_insert(value);
            }
        }
        properties.insert(name, Value::Object(parameter));
    }
    json!({"type": "object", "properties": properties})
}
