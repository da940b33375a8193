//! A result that is about something else: it names the very key that was asked for, with another value, so it belongs
//! to another call.

use serde_json::{Map, Value};

use super::CallView;
use crate::{
    code::{Action, Code},
    finding::Finding,
    policy::Effect,
    trajectory::{ReadResult, names},
};

pub(super) fn inspect(result: &ReadResult<'_>, call: Option<CallView<'_>>, findings: &mut Vec<Finding>) {
    let Some(call) = call else { return };
    let (Some(Value::Object(arguments)), Some(Value::Object(record))) = (call.arguments, &result.value) else {
        return;
    };
    if names::effect(call.name) != Some(Effect::ReadOnly) {
        return;
    }
    let Some((key, asked, got)) = contradiction(arguments, record) else {
        return;
    };
    findings.push(
        Finding::new(
            Code::ResultUnmatched,
            format!("The result's `{key}` is not the one that was asked for: it answers another call"),
        )
        .leads_to(Action::Retry)
        .at(format!("/{}", key.replace('~', "~0").replace('/', "~1")))
        .expected(crate::finding::shorten(&asked, crate::finding::MAX_QUOTE_CHARS))
        .received(&got)
        .suggestion("Do not use it as the answer: call the tool once more, and check the key."),
    );
}

/// A key that names one thing, in both, with different values; unless the value that was asked for stands elsewhere.
fn contradiction<'a>(
    arguments: &'a Map<String, Value>,
    record: &Map<String, Value>,
) -> Option<(&'a str, String, String)> {
    arguments
        .iter()
        .filter(|(key, _)| is_identifier(key))
        .find_map(|(key, value)| {
            let asked = scalar(value)?;
            let got = scalar(record.get(key)?)?;
            let is_there = record
                .values()
                .any(|value| scalar(value).is_some_and(|other| is_same(&other, &asked)));
            (!is_same(&asked, &got) && !is_there && !asked.is_empty() && !got.is_empty()).then_some((
                key.as_str(),
                asked,
                got,
            ))
        })
}

fn is_identifier(key: &str) -> bool {
    names::words(key).last().is_some_and(|word| {
        ["id", "uuid", "number", "isbn", "sku", "email", "symbol"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    })
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The same but for case, a leading `#` and leading zeros.
fn is_same(left: &str, right: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches(['#', '0', ' ']).to_lowercase();
    plain(left) == plain(right)
}
