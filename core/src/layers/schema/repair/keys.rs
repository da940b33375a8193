//! Keys that are respelt or left out.

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::{Map, Value};

use super::{Change, Edit, values};
use crate::{
    code::Code,
    layers::schema::{spelling, verdict::siblings},
    tools::Schema,
};

/// The missing key stands there in another case or with other separators, and only once.
pub(super) fn respelt_required(
    error: &ValidationError<'_>,
    property: &Value,
    current: &Value,
    schema: &Schema,
) -> Vec<Edit> {
    let pointer = error.instance_path().as_str();
    let (Some(name), Some(object)) = (property.as_str(), object_at(current, pointer)) else {
        return Vec::new();
    };
    let declared = siblings(error, schema);
    let is_declared = |key: &str| declared.is_some_and(|declared| declared.contains_key(key));
    let mut written = object
        .keys()
        .filter(|key| !is_declared(key) && spelling::same(key, name));
    match (written.next(), written.next()) {
        (Some(from), None) => vec![rename(pointer, from, name)],
        _ => Vec::new(),
    }
}

/// Keys that a closed schema does not know, and that are another spelling of one declared key that is absent.
pub(super) fn respelt(
    error: &ValidationError<'_>,
    unexpected: &[String],
    current: &Value,
    schema: &Schema,
) -> Vec<Edit> {
    let pointer = error.instance_path().as_str();
    let (Some(declared), Some(object)) = (siblings(error, schema), object_at(current, pointer)) else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    for key in unexpected.iter().take(super::MAX_EDITS) {
        let mut meant = declared
            .keys()
            .filter(|name| !object.contains_key(*name) && spelling::same(name, key));
        if let (Some(to), None) = (meant.next(), meant.next()) {
            edits.push(rename(pointer, key, to));
        }
    }
    edits
}

/// Keys that closed schemas do not know are left out where nothing else is wrong and nothing is lost: they say nothing,
/// or no declared key is free that they could have been meant for. `None`: something else is wrong.
pub(super) fn undeclared(errors: &[ValidationError<'_>], schema: &Schema) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for error in errors {
        let (Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected }) = error.kind()
        else {
            return None;
        };
        let object = error.instance().as_object()?;
        let declared = siblings(error, schema);
        let all_given = declared.is_none_or(|declared| declared.keys().all(|key| object.contains_key(key)));
        for key in unexpected {
            let value = object.get(key);
            let says_nothing = value.is_some_and(values::says_nothing);
            // The same key in two spellings with two values: which one counts would be a guess.
            let contradicts = !says_nothing
                && object
                    .iter()
                    .any(|(other, said)| other != key && spelling::same(other, key) && Some(said) != value);
            if contradicts || !all_given && !says_nothing {
                return None;
            }
            edits.push(Edit {
                pointer: error.instance_path().as_str().to_owned(),
                change: Change::Remove { key: key.clone() },
                code: Code::RepairedUnknownKey,
            });
        }
    }
    (edits.len() <= super::MAX_EDITS).then_some(edits)
}

fn rename(pointer: &str, from: &str, to: &str) -> Edit {
    Edit {
        pointer: pointer.to_owned(),
        change: Change::Rename {
            from: from.to_owned(),
            to: to.to_owned(),
        },
        code: Code::RepairedKeyName,
    }
}

fn object_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Map<String, Value>> {
    value.pointer(pointer)?.as_object()
}
