//! Lossless repairs of arguments that do not fit, led by the schema.
//!
//! Each validation error may have one edit that leaves one reading; edits are made in rounds until the whole validates.
//! If it does not in the end, nothing was repaired: a half-repaired call is not forwarded.

mod keys;
mod values;

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::{Map, Value};

use super::{describe, measure::Measure};
use crate::{
    code::Code,
    finding::Finding,
    limits::Limits,
    tools::{Affordable, Schema},
};

/// Rounds of edits: a repair may uncover the next (text → array → its items).
const MAX_ROUNDS: usize = 8;
/// Errors looked at in one round, and edits made in all.
const MAX_ERRORS: usize = 64;
const MAX_EDITS: usize = 64;

/// Arguments that fit, and what was done to them.
pub(super) struct Repaired {
    pub value: Value,
    pub findings: Vec<Finding>,
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
struct Edit {
    /// Of the value, or of the object whose key is changed.
    pointer: String,
    change: Change,
    code: Code,
}

#[derive(Debug, Clone, PartialEq)]
enum Change {
    Replace(Value),
    Remove { key: String },
    Rename { from: String, to: String },
}

/// The arguments as they were meant, if that is certain.
pub(super) fn repair(value: &Value, schema: &Schema, validator: &Validator, limits: &Limits) -> Option<Repaired> {
    let mut current = value.clone();
    let mut findings: Vec<Finding> = Vec::new();
    for round in 0..MAX_ROUNDS {
        if round > 0 && !is_bounded(&current, schema, limits) {
            return None;
        }
        let edits = {
            let errors: Vec<ValidationError<'_>> = validator.iter_errors(&current).take(MAX_ERRORS).collect();
            if errors.is_empty() {
                return Some(Repaired {
                    value: current,
                    findings,
                });
            }
            let edits = plan(&errors, &current, schema, limits);
            match edits.is_empty() && findings.is_empty() {
                true => keys::undeclared(&errors, schema)?,
                false => edits,
            }
        };
        let made_before = findings.len();
        for edit in edits {
            if apply(&mut current, &edit) {
                findings.push(told(&edit));
            }
        }
        if findings.len() == made_before || findings.len() > MAX_EDITS {
            return None;
        }
    }
    let fits = is_bounded(&current, schema, limits) && validator.is_valid(&current);
    fits.then_some(Repaired {
        value: current,
        findings,
    })
}

/// Whether a value may still be validated: text that was read as JSON makes it deeper.
fn is_bounded(value: &Value, schema: &Schema, limits: &Limits) -> bool {
    let measure = Measure::of(value, limits.max_arguments_depth);
    measure.depth <= limits.max_arguments_depth && schema.affordable(measure.depth, measure.values) == Affordable::Yes
}

/// At most one edit for each place.
fn plan(errors: &[ValidationError<'_>], current: &Value, schema: &Schema, limits: &Limits) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for error in errors {
        for edit in edits_for(error, current, schema, limits) {
            if !edits.iter().any(|earlier| touches(earlier, &edit)) {
                edits.push(edit);
            }
        }
    }
    edits
}

/// Whether two edits change the same place.
fn touches(a: &Edit, b: &Edit) -> bool {
    let place = |edit: &Edit| match &edit.change {
        Change::Replace(_) => edit.pointer.clone(),
        Change::Remove { key } => describe::join(&edit.pointer, key),
        Change::Rename { from, .. } => describe::join(&edit.pointer, from),
    };
    let target = |edit: &Edit| match &edit.change {
        Change::Rename { to, .. } => Some(describe::join(&edit.pointer, to)),
        Change::Replace(_) | Change::Remove { .. } => None,
    };
    place(a) == place(b) || (target(a).is_some() && target(a) == target(b))
}

fn edits_for(error: &ValidationError<'_>, current: &Value, schema: &Schema, limits: &Limits) -> Vec<Edit> {
    let pointer = error.instance_path().as_str();
    let instance: &Value = error.instance();
    match error.kind() {
        Kind::Required { property } => keys::respelt_required(error, property, current, schema),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            keys::respelt(error, unexpected, current, schema)
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => one_branch(context, current, schema, limits),
        Kind::Type { kind } => {
            let wanted: Vec<&str> = match kind {
                TypeKind::Single(name) => vec![name.as_str()],
                TypeKind::Multiple(names) => names.iter().map(|name| name.as_str()).collect(),
            };
            replace(
                pointer,
                values::of_type(instance, &wanted, limits),
                unset(pointer, instance),
            )
        }
        Kind::Enum { options } => {
            let members = options.as_array().map(Vec::as_slice).unwrap_or_default();
            replace(pointer, values::of_choice(instance, members), unset(pointer, instance))
        }
        Kind::Constant { expected_value } => {
            let only = std::slice::from_ref(expected_value.as_ref());
            replace(pointer, values::of_choice(instance, only), unset(pointer, instance))
        }
        Kind::Pattern { .. } | Kind::Format { .. } | Kind::MinLength { .. } => unset(pointer, instance),
        Kind::AdditionalItems { .. }
        | Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::Contains
        | Kind::ContentEncoding { .. }
        | Kind::ContentMediaType { .. }
        | Kind::Custom { .. }
        | Kind::ExclusiveMaximum { .. }
        | Kind::ExclusiveMinimum { .. }
        | Kind::FalseSchema
        | Kind::FromUtf8 { .. }
        | Kind::MaxItems { .. }
        | Kind::Maximum { .. }
        | Kind::MaxLength { .. }
        | Kind::MaxProperties { .. }
        | Kind::MinItems { .. }
        | Kind::Minimum { .. }
        | Kind::MinProperties { .. }
        | Kind::MultipleOf { .. }
        | Kind::Not { .. }
        | Kind::OneOfMultipleValid { .. }
        | Kind::PropertyNames { .. }
        | Kind::UnevaluatedItems { .. }
        | Kind::UniqueItems
        | Kind::Referencing(_) => Vec::new(),
    }
}

fn replace(pointer: &str, with: Option<(Value, Code)>, otherwise: Vec<Edit>) -> Vec<Edit> {
    match with {
        Some((value, code)) => vec![Edit {
            pointer: pointer.to_owned(),
            change: Change::Replace(value),
            code,
        }],
        None => otherwise,
    }
}

/// A key sent with "nothing" for its value is left out. Where the key is required, the next round finds it missing, and
/// nothing is repaired.
fn unset(pointer: &str, instance: &Value) -> Vec<Edit> {
    match pointer.rsplit_once('/') {
        Some((parent, key)) if values::says_nothing(instance) => vec![Edit {
            pointer: parent.to_owned(),
            change: Change::Remove {
                key: key.replace("~1", "/").replace("~0", "~"),
            },
            code: Code::RepairedUnsetOptional,
        }],
        _ => Vec::new(),
    }
}

/// The edits of the one alternative that can be repaired; none, where several can be in different ways.
fn one_branch(
    context: &[Vec<ValidationError<'static>>],
    current: &Value,
    schema: &Schema,
    limits: &Limits,
) -> Vec<Edit> {
    let mut found: Vec<Edit> = Vec::new();
    for branch in context {
        let mut edits: Vec<Edit> = Vec::new();
        for error in branch {
            let for_error = edits_for(error, current, schema, limits);
            if for_error.is_empty() {
                edits.clear();
                break;
            }
            for edit in for_error {
                if !edits.contains(&edit) {
                    edits.push(edit);
                }
            }
        }
        if edits.is_empty() || edits == found {
            continue;
        }
        if !found.is_empty() {
            return Vec::new();
        }
        found = edits;
    }
    found
}

fn apply(value: &mut Value, edit: &Edit) -> bool {
    let Some(place) = value.pointer_mut(&edit.pointer) else {
        return false;
    };
    match (&edit.change, place) {
        (Change::Replace(new), place) => {
            *place = new.clone();
            true
        }
        (Change::Remove { key }, Value::Object(map)) => map.shift_remove(key).is_some(),
        (Change::Rename { from, to }, Value::Object(map)) if map.contains_key(from) && !map.contains_key(to) => {
            // Rebuilt, so that the order of the keys stays.
            let renamed: Map<String, Value> = std::mem::take(map)
                .into_iter()
                .map(|(key, value)| {
                    if key == *from {
                        (to.clone(), value)
                    } else {
                        (key, value)
                    }
                })
                .collect();
            *map = renamed;
            true
        }
        (Change::Remove { .. } | Change::Rename { .. }, _) => false,
    }
}

fn told(edit: &Edit) -> Finding {
    let (pointer, message) = match &edit.change {
        Change::Replace(new) => (
            edit.pointer.clone(),
            format!(
                "{} was read as {}",
                describe::name_of(&edit.pointer),
                describe::kind(new)
            ),
        ),
        Change::Remove { key } => {
            let pointer = describe::join(&edit.pointer, key);
            let message = format!("{} was left out", describe::name_of(&pointer));
            (pointer, message)
        }
        Change::Rename { from, to } => {
            let written = describe::name_of(&describe::join(&edit.pointer, from));
            let pointer = describe::join(&edit.pointer, to);
            let message = format!("{written} was read as {}", describe::name_of(&pointer));
            (pointer, message)
        }
    };
    Finding::new(edit.code, message).at(pointer)
}
