//! Values that are read as the type, or as the choice, that the schema wants.

use serde_json::{Number, Value};

use crate::{code::Code, layers::schema::nested, limits::Limits};

/// Whether a value is a way to write "not set".
pub(super) fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => matches!(
            text.trim(),
            "" | "null" | "None" | "none" | "undefined" | "nil" | "NULL" | "Null"
        ),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The value as one of the types wanted, where its own type is none of them. A number is not read as a text: a
/// text that was written as a number has lost its zeros, or was never one.
pub(super) fn of_type(value: &Value, wanted: &[&str], limits: &Limits) -> Option<(Value, Code)> {
    let wants = |name: &str| wanted.contains(&name);
    match value {
        Value::String(text) => {
            if (wants("integer") || wants("number"))
                && let Some(number) = exact_number(text)
            {
                return Some((Value::Number(number), Code::RepairedNumberText));
            }
            if wants("boolean")
                && let Some(said) = boolean(text)
            {
                return Some((Value::Bool(said), Code::RepairedBooleanText));
            }
            if let Some(read) = nested::read(text, limits)
                && ((read.is_array() && wants("array")) || (read.is_object() && wants("object")))
            {
                return Some((read, Code::RepairedNestedJson));
            }
            let single = wants("array") && !says_nothing(value) && !may_be_list(text);
            single.then(|| in_array(value))
        }
        Value::Number(number) => {
            if wants("integer") {
                return integral(number).map(|number| (Value::Number(number), Code::RepairedIntegralNumber));
            }
            (wants("array") && !wants("string")).then(|| in_array(value))
        }
        Value::Bool(_) | Value::Object(_) => wants("array").then(|| in_array(value)),
        Value::Null | Value::Array(_) => None,
    }
}

/// The one choice that the value is another writing of.
pub(super) fn of_choice(value: &Value, members: &[Value]) -> Option<(Value, Code)> {
    let (matches, code): (Vec<&Value>, Code) = match value {
        Value::String(text) => {
            let lower = text.trim().to_lowercase();
            let by_case: Vec<&Value> = members
                .iter()
                .filter(|member| member.as_str().is_some_and(|member| member.to_lowercase() == lower))
                .collect();
            match by_case.is_empty() {
                false => (by_case, Code::RepairedEnumCase),
                true if boolean(text).is_some() => {
                    let said = boolean(text);
                    let same = members.iter().filter(|member| member.as_bool() == said);
                    (same.collect(), Code::RepairedBooleanText)
                }
                true => {
                    let number = exact_number(text)?.to_string();
                    let same = members
                        .iter()
                        .filter(|member| matches!(member, Value::Number(member) if member.to_string() == number));
                    (same.collect(), Code::RepairedNumberText)
                }
            }
        }
        Value::Number(number) => {
            let text = number.to_string();
            let same = members.iter().filter(|member| member.as_str() == Some(&text));
            (same.collect(), Code::RepairedTextFromNumber)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    match matches.as_slice() {
        [only] => Some(((*only).clone(), code)),
        _ => None,
    }
}

fn in_array(value: &Value) -> (Value, Code) {
    (Value::Array(vec![value.clone()]), Code::RepairedSingleToArray)
}

/// A text that may hold several items: where to part them would be a guess.
fn may_be_list(text: &str) -> bool {
    text.contains([',', ';', '\n', '|', '[', '{'])
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// The number that the text writes digit by digit: no exponent, no sign but minus, no leading zero, no space.
fn exact_number(text: &str) -> Option<Number> {
    let plain = !text.is_empty()
        && text.len() <= 400
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    let number: Number = plain.then(|| serde_json::from_str(text).ok()).flatten()?;
    (number.to_string() == text).then_some(number)
}

/// `3.0` as `3`.
fn integral(number: &Number) -> Option<Number> {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.')?;
    let zeros = !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0');
    zeros.then(|| serde_json::from_str(whole).ok()).flatten()
}
