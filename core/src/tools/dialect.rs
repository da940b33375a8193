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
    let named = draft_of(&schema);
    let dialect = Dialect {
        draft: named.unwrap_or(Draft::Draft202012),
        named: named.is_some(),
    };
    let mut walk = Walk::default();
    walk.subschema(&mut schema, dialect);
    // Who names no draft and writes tuples as `items` writes an earlier one.
    let draft = match walk.tuples && named.is_none() {
        true => Draft::Draft201909,
        false => dialect.draft,
    };
    Standard { schema, draft }
}

/// The draft in which a schema is written, and whether it says so itself.
#[derive(Debug, Clone, Copy)]
struct Dialect {
    draft: Draft,
    named: bool,
}

/// One walk through a schema.
#[derive(Debug, Default)]
struct Walk {
    /// Some `items` is a list.
    tuples: bool,
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

impl Walk {
    /// Rewrites a schema and all below it. Says whether it declares itself required (`required: true`).
    fn subschema(&mut self, value: &mut Value, dialect: Dialect) -> bool {
        let dialect = match draft_of(value) {
            Some(draft) => Dialect { draft, named: true },
            None => dialect,
        };
        match value {
            Value::Object(map) => self.object(map, dialect),
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

    fn subschemas<'a>(&mut self, schemas: impl IntoIterator<Item = &'a mut Value>, dialect: Dialect) {
        for schema in schemas {
            self.subschema(schema, dialect);
        }
    }

    fn object(&mut self, map: &mut Map<String, Value>, dialect: Dialect) -> bool {
        let mut todo = Todo::default();
        for (key, value) in map.iter_mut() {
            match key.as_str() {
                "default" | "const" => {}
                _ if value.is_null() => todo.drop.push(key.clone()),
                _ if self.applicator(key, value, dialect, &mut todo) => {}
                _ => assertion(key, value, dialect, &mut todo),
            }
        }
        todo.carry_out(map, dialect)
    }

    /// Keywords that hold schemas. Says whether this is one.
    fn applicator(&mut self, key: &str, value: &mut Value, dialect: Dialect, todo: &mut Todo) -> bool {
        match (key, value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties.iter_mut() {
                    if self.subschema(property, dialect) {
                        todo.required.push(name.clone());
                    }
                }
            }
            (
                "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies",
                Value::Object(schemas),
            ) => {
                self.subschemas(schemas.values_mut().filter(|schema| !schema.is_array()), dialect);
            }
            ("items", Value::Array(items)) => {
                self.subschemas(items, dialect);
                self.tuples = true;
                todo.tuple = dialect.named && dialect.draft == Draft::Draft202012;
            }
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => match schemas.is_empty() {
                true => todo.drop.push(key.to_owned()),
                false => self.subschemas(schemas, dialect),
            },
            ("additionalProperties" | "additionalItems" | "unevaluatedProperties" | "unevaluatedItems", value) => {
                match value.as_str().map(str::to_lowercase).as_deref() {
                    Some("true") => *value = Value::Bool(true),
                    Some("false") => *value = Value::Bool(false),
                    _ => _ = self.subschema(value, dialect),
                }
            }
            ("items" | "contains" | "propertyNames" | "not" | "if" | "then" | "else", value) => {
                self.subschema(value, dialect);
            }
            _ => return false,
        }
        true
    }
}

/// Keywords that hold anything but schemas.
fn assertion(key: &str, value: &mut Value, dialect: Dialect, todo: &mut Todo) {
    match key {
        "type" => {
            let standard = |name: &Value| name.as_str().and_then(super::type_name::standard).is_some();
            todo.type_name = match &*value {
                Value::Array(names) => names.is_empty() || !names.iter().all(standard),
                name => !standard(name),
            };
        }
        "required" => todo.required_shape = !is_list_of_names(value, dialect.draft),
        "nullable" => todo.nullable = value.as_bool() == Some(true),
        "enum" => todo.choices = true,
        "pattern" => rewrite::pattern(value),
        "exclusiveMinimum" | "exclusiveMaximum" => {
            rewrite::number_from_text(value);
            todo.bounds |= value.is_boolean() != (dialect.draft == Draft::Draft4);
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

impl Todo {
    /// Says whether the schema declares itself required.
    fn carry_out(self, map: &mut Map<String, Value>, dialect: Dialect) -> bool {
        for key in &self.drop {
            map.shift_remove(key);
        }
        if self.type_name {
            rewrite::type_name(map);
        }
        if self.bounds {
            rewrite::bounds(map, dialect.draft);
        }
        if self.tuple {
            rewrite::tuple(map);
        }
        if self.choices {
            rewrite::choices(map, dialect.named);
        }
        let said = self.required_shape && rewrite::required_shape(map);
        if !self.required.is_empty() {
            rewrite::add_required(map, self.required);
        }
        if self.nullable {
            rewrite::nullable(map);
        }
        said
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
