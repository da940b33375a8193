//! One schema: standard JSON Schema, admitted and compiled at its first use, and what it says about properties.

use std::sync::OnceLock;

use jsonschema::{Draft, PatternOptions, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value};

use super::{
    admission::{self, Cost},
    dialect::{self, Standard},
    formats,
};
use crate::limits::Limits;

/// Steps back that one pattern may take on one text: some 0.2 ms.
const BACKTRACK_LIMIT: usize = 10_000;
/// Texts that may be matched by a backtracking engine in one validation.
const MAX_BACKTRACKED: usize = 5_000;
const PATTERN_SIZE_LIMIT: usize = 1 << 20;
/// Visits of schemas in one validation: some tenths of a second.
const MAX_VISITS: f64 = 20_000_000.0;
/// Keywords of wrong shape that are left out before a schema is given up.
const MAX_OMISSIONS: usize = 8;
/// References followed from a property to its schema.
const MAX_REFERENCES: usize = 16;

/// A schema, brought from its dialect to standard JSON Schema and compiled on first use.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    draft: Draft,
    /// Bytes of the definition that holds it.
    bytes: usize,
    limits: Limits,
    compiled: OnceLock<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    /// `None`: cannot be used at all.
    validator: Option<Validator>,
    cost: Option<Cost>,
    fault: Option<String>,
}

/// Whether validating a value is affordable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affordable {
    /// It is.
    Yes,
    /// The value is nested more deeply than the schema allows to check in bounded time.
    TooDeep {
        /// The depth that it allows.
        max: usize,
    },
    /// The value holds more than the schema allows to check in bounded time.
    TooLarge,
}

impl Schema {
    /// Any schema. `bytes`: an upper bound of its size as JSON text.
    pub fn new(schema: Value, bytes: usize, limits: &Limits) -> Self {
        Self::of(dialect::standard(schema), bytes, limits)
    }

    /// The schema of a tool's arguments; absent: the tool declares none.
    pub(super) fn of_arguments(schema: Option<Value>, bytes: usize, limits: &Limits) -> Self {
        Self::of(dialect::arguments(schema), bytes, limits)
    }

    fn of(standard: Standard, bytes: usize, limits: &Limits) -> Self {
        Self {
            source: standard.schema,
            draft: standard.draft,
            bytes,
            limits: *limits,
            compiled: OnceLock::new(),
        }
    }

    /// The schema as standard JSON Schema.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The validator. `None`: the schema cannot be used; [`Schema::fault`] says why.
    pub fn validator(&self) -> Option<&Validator> {
        self.compiled().validator.as_ref()
    }

    /// Whether a value fits. A schema that cannot be used excludes nothing.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.validator().is_none_or(|validator| validator.is_valid(value))
    }

    /// What is wrong with the schema itself, in one sentence. With a [`Schema::validator`] only a part is unchecked.
    pub fn fault(&self) -> Option<&str> {
        self.compiled().fault.as_deref()
    }

    /// Whether a value of this depth (a flat object: 1) and this many values can be validated in bounded time.
    pub fn affordable(&self, depth: usize, values: usize) -> Affordable {
        let Some(cost) = &self.compiled().cost else {
            return Affordable::Yes;
        };
        if let Some(max) = cost.max_depth
            && depth > max
        {
            return Affordable::TooDeep { max };
        }
        let visits = cost.visits(depth) * values as f64;
        if visits > MAX_VISITS || (cost.backtracks && values > MAX_BACKTRACKED) {
            return Affordable::TooLarge;
        }
        Affordable::Yes
    }

    /// The names that the schema requires at its root.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let root = self.follow(&self.source);
        root.get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// The schema of a property of the root.
    pub fn property(&self, name: &str) -> Option<&Value> {
        let property = self.follow(&self.source).get("properties")?.get(name)?;
        Some(self.follow(property))
    }

    /// The properties of the root with their schemas, in the order declared.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.follow(&self.source)
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::iter)
            .map(|(name, property)| (name.as_str(), self.follow(property)))
    }

    /// The schema to which a schema refers, where the reference is all that it says and leads to a place within.
    pub fn follow<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let mut at = schema;
        for _ in 0..MAX_REFERENCES {
            if at.get("type").is_some() || at.get("properties").is_some() {
                return at;
            }
            let target = at
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| reference.strip_prefix('#'))
                .and_then(|pointer| self.source.pointer(pointer));
            match target {
                Some(target) => at = target,
                None => return at,
            }
        }
        at
    }

    fn compiled(&self) -> &Compiled {
        self.compiled
            .get_or_init(|| match admission::admit(&self.source, self.bytes, &self.limits) {
                Ok(cost) => compile(&self.source, self.draft, cost),
                Err(fault) => Compiled {
                    validator: None,
                    cost: None,
                    fault: Some(fault),
                },
            })
    }
}

fn compile(source: &Value, draft: Draft, cost: Cost) -> Compiled {
    let mut fault = None;
    let mut reduced: Option<Value> = None;
    for _ in 0..=MAX_OMISSIONS {
        let schema = reduced.as_ref().unwrap_or(source);
        let error = match build(schema, draft) {
            Ok(validator) => {
                return Compiled {
                    validator: Some(validator),
                    cost: Some(cost),
                    fault,
                };
            }
            Err(error) => error,
        };
        let message = fault_of(&error);
        let pointer = error.instance_path().as_str().to_owned();
        fault.get_or_insert(message);
        // One keyword that cannot be used leaves the others in force.
        let mut rest = schema.clone();
        if !is_schema_fault(&error) || !remove(&mut rest, &pointer) {
            break;
        }
        reduced = Some(rest);
    }
    Compiled {
        validator: None,
        cost: None,
        fault,
    }
}

fn build(schema: &Value, draft: Draft) -> Result<Validator, ValidationError<'static>> {
    let mut options = jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_pattern_options(
            PatternOptions::fancy_regex()
                .backtrack_limit(BACKTRACK_LIMIT)
                .size_limit(PATTERN_SIZE_LIMIT)
                .dfa_size_limit(PATTERN_SIZE_LIMIT),
        );
    for format in &formats::ASSERTED {
        options = options.with_format(format.name, format.check);
    }
    for name in formats::ANNOTATIONS {
        options = options.with_format(name, |_: &str| true);
    }
    options.build(schema)
}

/// Whether a keyword of the schema has a wrong shape, as opposed to a reference that leads nowhere.
fn is_schema_fault(error: &ValidationError<'_>) -> bool {
    !matches!(error.kind(), ValidationErrorKind::Referencing(_))
}

fn fault_of(error: &ValidationError<'_>) -> String {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Referencing(_) => "a reference leads out of the schema or nowhere".to_owned(),
        _ if pointer.is_empty() => format!("the schema breaks the rule `{}`", error.kind().keyword()),
        _ => format!("{pointer} cannot be used"),
    }
}

/// Removes what a pointer points to, unless it is the whole.
fn remove(schema: &mut Value, pointer: &str) -> bool {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        return false;
    };
    let key = key.replace("~1", "/").replace("~0", "~");
    match schema.pointer_mut(parent) {
        Some(Value::Object(map)) => map.shift_remove(&key).is_some(),
        Some(Value::Array(list)) => match key.parse::<usize>() {
            Ok(at) if at < list.len() => {
                list.remove(at);
                true
            }
            _ => false,
        },
        _ => false,
    }
}
