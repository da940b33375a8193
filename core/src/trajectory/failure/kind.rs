//! What can be done about an error, read from its words and its status code.

use crate::trajectory::text::{contains_ignore_case, head};

use super::{FailureKind, MAX_SIGNATURE_BYTES};

/// What can be done about an error of these words.
pub fn kind(text: &str) -> FailureKind {
    let text = head(text, MAX_SIGNATURE_BYTES);
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

/// `404 Not Found`, `HTTP 503: …`, `Error: 404 …`, `(503)`.
pub(super) fn status_code(text: &str) -> Option<u16> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() == 3)
        .filter_map(|word| word.parse::<u16>().ok())
        .find(|code| matches!(code, 400..=431 | 500..=511))
}

pub(super) fn starts_with_status(text: &str) -> bool {
    let mut words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let is_status = |word: &str| word.len() == 3 && status_code(word).is_some();
    let names_one = |word: &str| {
        [
            "bad",
            "unauthorized",
            "forbidden",
            "not",
            "method",
            "timeout",
            "too",
            "internal",
            "service",
            "gateway",
            "request",
            "error",
            "payment",
            "conflict",
            "gone",
            "unprocessable",
        ]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
    };
    (is_status(first) && names_one(second)) || (first.eq_ignore_ascii_case("http") && is_status(second))
}

const WAIT: [&str; 20] = [
    "rate limit",
    "ratelimit",
    "too many requests",
    "quota",
    "throttl",
    "timed out",
    "timeout",
    "time-out",
    "unavailable",
    "try again",
    "connection refused",
    "connection reset",
    "overloaded",
    "warming up",
    "bad gateway",
    "econn",
    "internal server error",
    "busy",
    "temporar",
    "network error",
];

const DENIED: [&str; 16] = [
    "unauthorized",
    "unauthorised",
    "forbidden",
    "access denied",
    "permission denied",
    "not permitted",
    "authenticat",
    "login required",
    "log in",
    "logged in",
    "token",
    "api key",
    "credential",
    "not authorized",
    "not allowed",
    "expired",
];

const NOT_FOUND: [&str; 11] = [
    "not found",
    "no such",
    "does not exist",
    "doesn't exist",
    "not exist",
    "unknown",
    "no matching",
    "cannot find",
    "could not find",
    "couldn't find",
    "notfound",
];

const ARGUMENTS: [&str; 16] = [
    "invalid",
    "required",
    "missing",
    "must be",
    "must not",
    "expected",
    "validation",
    "malformed",
    "bad request",
    "out of range",
    "unsupported",
    "wrong",
    "not a valid",
    "should be",
    "cannot be",
    "unexpected",
];
