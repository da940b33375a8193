//! Objects that are errors: they say so, and hold nothing else.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::trajectory::{names::Purpose, volatile};

/// An object that is an error: it says so, and holds nothing else.
pub(super) fn of_object(map: &Map<String, Value>, purpose: Purpose) -> Option<Cow<'static, str>> {
    let only_companions = map.keys().all(|key| is_companion(key));
    let message = || {
        [
            "error",
            "message",
            "detail",
            "details",
            "error_message",
            "errorMessage",
            "reason",
            "errors",
            "msg",
            "title",
            "result",
        ]
        .iter()
        .find_map(|key| map.get(*key).and_then(words))
        .unwrap_or_default()
    };
    for key in ["error", "Error", "err", "exception", "error_message", "errorMessage"] {
        if let Some(value) = map.get(key)
            && is_said(value)
            && only_companions
        {
            return Some(Cow::Owned(words(value).unwrap_or_else(message)));
        }
    }
    for key in ["success", "ok", "succeeded", "Success", "is_success"] {
        let said_no = match map.get(key) {
            Some(Value::Bool(flag)) => !flag,
            Some(Value::String(text)) => text.eq_ignore_ascii_case("false"),
            Some(_) | None => false,
        };
        if said_no && purpose != Purpose::Question && (only_companions || map.get("error").is_some_and(is_said)) {
            return Some(Cow::Owned(message()));
        }
    }
    if map.get("errors").is_some_and(is_said) && map.get("data").is_none_or(Value::is_null) && only_companions {
        return Some(Cow::Owned(message()));
    }
    let is_error_status = match map
        .get("status")
        .or_else(|| map.get("type"))
        .or_else(|| map.get("level"))
    {
        Some(Value::String(status)) => ["error", "failed", "failure", "fail"]
            .iter()
            .any(|known| status.eq_ignore_ascii_case(known)),
        Some(Value::Number(number)) => number.as_u64().is_some_and(|code| (400..600).contains(&code)),
        Some(_) | None => false,
    } || ["statusCode", "status_code", "code"]
        .iter()
        .filter_map(|key| map.get(*key).and_then(Value::as_u64))
        .any(|code| (400..600).contains(&code));
    if is_error_status && only_companions && map.len() > 1 && purpose != Purpose::Question {
        let text = message();
        if !text.is_empty() {
            return Some(Cow::Owned(text));
        }
    }
    None
}

/// Keys that stand beside an error without being content.
fn is_companion(key: &str) -> bool {
    const KEYS: [&str; 42] = [
        "cause",
        "code",
        "data",
        "detail",
        "details",
        "docs",
        "documentation_url",
        "err",
        "error",
        "errorcode",
        "errormessage",
        "errors",
        "errortype",
        "exception",
        "help",
        "hint",
        "instance",
        "iserror",
        "kind",
        "level",
        "message",
        "meta",
        "method",
        "msg",
        "ok",
        "param",
        "path",
        "reason",
        "requestid",
        "retryable",
        "retryafter",
        "result",
        "stack",
        "status",
        "statuscode",
        "succeeded",
        "success",
        "suggestion",
        "timestamp",
        "title",
        "traceback",
        "type",
    ];
    let folded: String = key
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    KEYS.contains(&folded.as_str()) || volatile::is_volatile_key(key) || folded == "issuccess"
}

fn is_said(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_str() != "0",
        Value::String(text) => !matches!(
            text.trim(),
            "" | "none" | "None" | "null" | "false" | "no error" | "OK" | "ok" | "0"
        ),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(map) => ["message", "detail", "msg", "type", "code"]
            .iter()
            .find_map(|key| map.get(*key).and_then(Value::as_str))
            .map(str::to_owned)
            .or_else(|| Some(value.to_string())),
        Value::Array(items) => items.first().and_then(words),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
