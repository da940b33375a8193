//! Whether a result is an error, and what kind.
//!
//! A flag is believed. Without one the shape decides: a lone `error` key, `success: false`, or a text that is an error
//! from its first word to its last. A document that speaks of errors is a document: what the tool is for, seen from
//! the words of its name, says how much a text alone may prove.

mod kind;
mod object;
mod signature;

pub use kind::kind;
pub use signature::signature;

use std::borrow::Cow;

use serde_json::Value;

use super::{
    names::{Purpose, purpose},
    result::ReadResult,
    text::{contains_ignore_case, ends_with_ignore_case, starts_with_ignore_case},
};
use kind::{starts_with_status, status_code};
use object::of_object;

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
        Purpose::Document => {
            (lines == 1 && text.len() <= 200 && announces_error(text) && names_a_cause(text)).then_some(text)
        }
        Purpose::Question | Purpose::Search | Purpose::Lookup | Purpose::Other => (announces_error(text)
            || (lines == 1 && text.len() <= 200 && is_error_sentence(text, purpose)))
        .then_some(text),
    }
}

/// `{'error': '…'}`: a Python dictionary printed as it is.
fn python_error(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{'error': ")?.strip_suffix('}')?;
    (!matches!(inner, "None" | "''" | "False") && !inner.contains("', '")).then_some(inner.trim_matches('\''))
}

/// Whether a text begins with a word that announces an error: `Error: …`, `ValueError: …`, `503 Service Unavailable`.
pub fn announces_error(text: &str) -> bool {
    const HEADS: [&str; 18] = [
        "error:",
        "error -",
        "error (",
        "error during",
        "error while",
        "error executing",
        "error calling",
        "error occurred",
        "error code",
        "an error occurred",
        "exception:",
        "fatal:",
        "failure:",
        "http error",
        "api error",
        "tool error",
        "mcp error",
        "request failed",
    ];
    let head = text.trim_start_matches(['❌', '⚠', '\u{fe0f}', ' ', '*', '[', '<', '#']);
    HEADS.iter().any(|known| starts_with_ignore_case(head, known))
        || head.split_once(':').is_some_and(|(name, rest)| {
            !rest.is_empty()
                && name.len() > 5
                && (name.ends_with("Error") || name.ends_with("Exception"))
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
        })
        || (status_code(head).is_some() && starts_with_status(head))
}

/// Whether a text begins as sentences do that tell of a failure: `Failed to …`, `Permission denied …`.
pub fn begins_as_error(text: &str) -> bool {
    const HEADS: [&str; 30] = [
        "failed to ",
        "failed:",
        "could not ",
        "couldn't ",
        "cannot ",
        "can't ",
        "unable to ",
        "invalid ",
        "no such ",
        "permission denied",
        "access denied",
        "unauthorized",
        "forbidden",
        "authentication required",
        "authentication failed",
        "login required",
        "not logged in",
        "you are not logged in",
        "rate limit",
        "too many requests",
        "request timed out",
        "timed out",
        "timeout",
        "connection refused",
        "connection reset",
        "service unavailable",
        "internal server error",
        "bad request",
        "missing required",
        "operation failed",
    ];
    HEADS.iter().any(|head| starts_with_ignore_case(text, head))
}

/// A short sentence that tells of nothing but a failure.
fn is_error_sentence(text: &str, purpose: Purpose) -> bool {
    const NOT_FOUND: [&str; 5] = [
        "not found",
        "does not exist",
        "doesn't exist",
        "not exist",
        "could not be found",
    ];
    let text = text.trim_end_matches(['.', '!', ' ']);
    begins_as_error(text)
        || (purpose != Purpose::Search && NOT_FOUND.iter().any(|tail| ends_with_ignore_case(text, tail)))
        || (purpose == Purpose::Lookup
            && (starts_with_ignore_case(text, "no ") || starts_with_ignore_case(text, "nothing "))
            && (ends_with_ignore_case(text, " found")
                || contains_ignore_case(text, " found for ")
                || contains_ignore_case(text, " found with ")))
}

/// Whether an error names what systems fail of; a document's own line seldom does so right after its head.
fn names_a_cause(text: &str) -> bool {
    !matches!(kind(text), FailureKind::Unclear) || contains_ignore_case(text, "failed")
}
