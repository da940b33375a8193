//! Whether a result is an error, and what kind.
//!
//! A flag is believed. Without one the shape decides: a lone `error` key, `success: false`, or a text that is an error
//! from its first word to its last. A document that speaks of errors is a document: what the tool is for, seen from
//! the words of its name, says how much a text alone may prove.

use std::borrow::Cow;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    Fingerprint,
    names::{Purpose, purpose},
    result::{ReadResult, contains_ignore_case},
    volatile,
};

/// A failure that a result tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure<'a> {
    /// What can be done about it.
    pub kind: FailureKind,
    /// The error's own words.
    pub text: Cow<'a, str>,
}

/// What can be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The arguments were wrong: fix them.
    Arguments,
    /// What was asked for is not there: ask for something else.
    NotFound,
    /// The service is busy or away: wait.
    Wait,
    /// It is not allowed: a person must act.
    Denied,
    /// It does not say.
    Unclear,
}

/// Longest text that can be an error as a whole, in bytes.
const MAX_ERROR_BYTES: usize = 600;
/// Bytes of an error that its kind and signature are read from.
const MAX_SIGNATURE_BYTES: usize = 300;

/// The failure that a result tells.
pub fn find<'a>(result: &'a ReadResult<'_>, tool: &str) -> Option<Failure<'a>> {
    let purpose = purpose(tool);
    let by_value = match &result.value {
        Some(Value::Object(map)) => of_object(map, purpose),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | None => None,
    };
    match result.flagged {
        Some(true) => {
            let text = by_value.unwrap_or(Cow::Borrowed(result.text.trim()));
            Some(Failure {
                kind: kind(&text),
                text,
            })
        }
        Some(false) | None => {
            let text = match by_value {
                Some(text) => text,
                None if result.value.is_none() => Cow::Borrowed(of_text(&result.text, purpose)?),
                None => return None,
            };
            Some(Failure {
                kind: kind(&text),
                text,
            })
        }
    }
}

/// The error without numbers, ids, paths, quotations and case: the same fault gives the same signature.
pub fn signature(text: &str) -> Fingerprint {
    let text = text.get(..text.floor_char_boundary(MAX_SIGNATURE_BYTES)).unwrap_or_default();
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '\'' | '"' | '`' | '“' | '‘' if !plain.ends_with(|c: char| c.is_alphanumeric()) => {
                plain.push('"');
                match closing(after, c) {
                    Some(end) => after.get(end..).unwrap_or_default(),
                    None => after,
                }
            }
            _ => {
                plain.extend(c.to_lowercase());
                after
            }
        };
    }
    let mut sum = 0u64;
    for word in plain.split_ascii_whitespace() {
        let core = word.trim_matches(|c: char| c.is_ascii_punctuation() && !matches!(c, '/' | '"'));
        let folded = if core.contains('/') || core.contains('\\') || core.contains('@') || core.contains('_') && core.bytes().any(|b| b.is_ascii_digit()) {
            1
        } else if volatile::is_volatile_word(core) {
            2
        } else {
            xxh3_64(&core.bytes().filter(|byte| !byte.is_ascii_digit()).collect::<Vec<u8>>())
        };
        if folded != xxh3_64(&[]) {
            sum = sum.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ folded;
        }
    }
    Fingerprint(sum)
}

/// What can be done about an error of these words.
pub fn kind(text: &str) -> FailureKind {
    const WAIT: [&str; 20] = [
        "rate limit", "ratelimit", "too many requests", "quota", "throttl", "timed out", "timeout", "time-out",
        "unavailable", "try again", "connection refused", "connection reset", "overloaded", "warming up", "bad gateway",
        "econn", "internal server error", "busy", "temporar", "network error",
    ];
    const DENIED: [&str; 16] = [
        "unauthorized", "unauthorised", "forbidden", "access denied", "permission denied", "not permitted", "authenticat",
        "login required", "log in", "logged in", "token", "api key", "credential", "not authorized", "not allowed", "expired",
    ];
    const NOT_FOUND: [&str; 11] = [
        "not found", "no such", "does not exist", "doesn't exist", "not exist", "unknown", "no matching", "cannot find",
        "could not find", "couldn't find", "notfound",
    ];
    const ARGUMENTS: [&str; 16] = [
        "invalid", "required", "missing", "must be", "must not", "expected", "validation", "malformed", "bad request",
        "out of range", "unsupported", "wrong", "not a valid", "should be", "cannot be", "unexpected",
    ];
    let text = text.get(..text.floor_char_boundary(MAX_SIGNATURE_BYTES)).unwrap_or_default();
    let any = |phrases: &[&str]| phrases.iter().any(|phrase| contains_ignore_case(text, phrase));
    let status = status_code(text);
    if any(&WAIT) || matches!(status, Some(408 | 425 | 429 | 500 | 502..=504)) {
        FailureKind::Wait
    } else if any(&DENIED) || matches!(status, Some(401 | 403)) {
        FailureKind::Denied
    } else if any(&NOT_FOUND) || matches!(status, Some(404 | 410)) {
        FailureKind::NotFound
    } else if any(&ARGUMENTS) || matches!(status, Some(400 | 405 | 409 | 413 | 415 | 422)) {
        FailureKind::Arguments
    } else {
        FailureKind::Unclear
    }
}

/// An object that is an error: it says so, and holds nothing else.
fn of_object(map: &Map<String, Value>, purpose: Purpose) -> Option<Cow<'static, str>> {
    let only_companions = map.keys().all(|key| is_companion(key));
    let message = || {
        ["error", "message", "detail", "details", "error_message", "errorMessage", "reason", "errors", "msg", "title", "result"]
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
    let is_error_status = match map.get("status").or_else(|| map.get("type")).or_else(|| map.get("level")) {
        Some(Value::String(status)) => {
            ["error", "failed", "failure", "fail"].iter().any(|known| status.eq_ignore_ascii_case(known))
        }
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
        "cause", "code", "data", "detail", "details", "docs", "documentation_url", "err", "error", "errorcode", "errormessage",
        "errors", "errortype", "exception", "help", "hint", "instance", "iserror", "kind", "level", "message", "meta",
        "method", "msg", "ok", "param", "path", "reason", "requestid", "retryable", "retryafter", "result", "stack", "status",
        "statuscode", "succeeded", "success", "suggestion", "timestamp", "title", "traceback", "type",
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
        Value::String(text) => !matches!(text.trim(), "" | "none" | "None" | "null" | "false" | "no error" | "OK" | "ok" | "0"),
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

/// A text that is an error as a whole.
fn of_text(text: &str, purpose: Purpose) -> Option<&str> {
    let text = text.trim();
    if text.starts_with("Traceback (most recent call last)") && purpose != Purpose::Document {
        let last = text.lines().next_back().unwrap_or_default();
        return (!last.starts_with(' ')).then_some(last);
    }
    if let Some(error) = python_error(text) {
        return Some(error);
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    if text.len() > MAX_ERROR_BYTES || lines > 4 {
        return None;
    }
    match purpose {
        Purpose::Log => None,
        Purpose::Document => (lines == 1 && text.len() <= 200 && announces_error(text) && names_a_cause(text)).then_some(text),
        Purpose::Question | Purpose::Search | Purpose::Lookup | Purpose::Other => {
            (announces_error(text) || (lines == 1 && text.len() <= 200 && is_error_sentence(text, purpose))).then_some(text)
        }
    }
}

/// `{'error': '…'}`: a Python dictionary printed as it is.
fn python_error(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{'error': ")?.strip_suffix('}')?;
    (!matches!(inner, "None" | "''" | "False") && !inner.contains("', '")).then_some(inner.trim_matches('\''))
}

/// Whether a text begins with a word that announces an error: `Error: …`, `ValueError: …`, `503 Service Unavailable`.
pub fn announces_error(text: &str) -> bool {
    const HEADS: [&str; 19] = [
        "error:", "error -", "error (", "error during", "error while", "error executing", "error calling", "error in ",
        "error occurred", "error code", "an error occurred", "exception:", "fatal:", "failure:", "http error", "api error",
        "tool error", "mcp error", "request failed",
    ];
    let head = text.trim_start_matches(['❌', '⚠', '\u{fe0f}', ' ', '*', '[', '<', '#']);
    HEADS.iter().any(|known| starts_with_ignore_case(head, known))
        || head.split_once(':').is_some_and(|(name, rest)| {
            !rest.is_empty()
                && name.len() > 5
                && (name.ends_with("Error") || name.ends_with("Exception"))
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
        })
        || (status_code(head).is_some() && starts_with_status(head))
}

/// A short sentence that tells of nothing but a failure.
fn is_error_sentence(text: &str, purpose: Purpose) -> bool {
    const HEADS: [&str; 30] = [
        "failed to ", "failed:", "could not ", "couldn't ", "cannot ", "can't ", "unable to ", "invalid ", "no such ",
        "permission denied", "access denied", "unauthorized", "forbidden", "authentication required", "authentication failed",
        "login required", "not logged in", "you are not logged in", "rate limit", "too many requests", "request timed out", "timed out",
        "timeout", "connection refused", "connection reset", "service unavailable", "internal server error", "bad request",
        "missing required", "operation failed",
    ];
    const NOT_FOUND: [&str; 5] = ["not found", "does not exist", "doesn't exist", "not exist", "could not be found"];
    let text = text.trim_end_matches(['.', '!', ' ']);
    HEADS.iter().any(|head| starts_with_ignore_case(text, head))
        || (purpose != Purpose::Search && NOT_FOUND.iter().any(|tail| ends_with_ignore_case(text, tail)))
        || (purpose == Purpose::Lookup
            && (starts_with_ignore_case(text, "no ") || starts_with_ignore_case(text, "nothing "))
            && (ends_with_ignore_case(text, " found") || contains_ignore_case(text, " found for ") || contains_ignore_case(text, " found with ")))
}

/// Whether an error names what systems fail of; a document's own line seldom does so right after its head.
fn names_a_cause(text: &str) -> bool {
    !matches!(kind(text), FailureKind::Unclear) || contains_ignore_case(text, "failed")
}

/// `404 Not Found`, `HTTP 503: …`, `Error: 404 …`, `(503)`.
fn status_code(text: &str) -> Option<u16> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() == 3)
        .filter_map(|word| word.parse::<u16>().ok())
        .find(|code| matches!(code, 400..=431 | 500..=511))
}

fn starts_with_status(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let is_status = |word: &str| word.len() == 3 && status_code(word).is_some();
    let names_one = |word: &str| {
        ["bad", "unauthorized", "forbidden", "not", "method", "timeout", "too", "internal", "service", "gateway", "request", "error", "payment", "conflict", "gone", "unprocessable"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    };
    (is_status(first) && names_one(second)) || (first.eq_ignore_ascii_case("http") && is_status(second))
}

/// Where a quotation ends, behind its closing mark; not across lines.
fn closing(text: &str, open: char) -> Option<usize> {
    let close = match open {
        '“' => '”',
        '‘' => '’',
        _ => open,
    };
    let mut previous = open;
    for (index, c) in text.char_indices() {
        let end = index + c.len_utf8();
        if c == '\n' {
            return None;
        }
        let next_is_letter = text.get(end..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric);
        if c == close && previous != '\\' && !(close == '\'' && next_is_letter) {
            return Some(end);
        }
        previous = c;
    }
    None
}

fn starts_with_ignore_case(text: &str, head: &str) -> bool {
    text.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head))
}

fn ends_with_ignore_case(text: &str, tail: &str) -> bool {
    text.len().checked_sub(tail.len()).and_then(|from| text.get(from..)).is_some_and(|end| end.eq_ignore_ascii_case(tail))
}
