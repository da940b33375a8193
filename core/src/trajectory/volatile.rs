//! What changes in a result though nothing has happened: times, durations, process and request ids, nonces.
//!
//! Left out by the name of a key (`durationMs`, `request_id`, `created_at`) and by the shape of a value (a UUID, a
//! timestamp, `12ms`), so that a loop is not hidden by a clock. Small numbers and plain words are content.

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    Fingerprint, canonical,
    text::{head, tail},
};

/// Words before a number that make it volatile in running text.
const VOLATILE_WORDS: &[&str] = &[
    "pid", "port", "took", "elapsed", "duration", "request", "req", "trace", "id", "attempt",
];

const MAX_DEPTH: u32 = 100;
/// Bytes at each end of a long text that are read word by word.
const MAX_END_BYTES: usize = 16 << 10;
const MASK: u64 = 0x766f_6c61;

/// The fingerprint of a JSON value without its volatile fields.
pub fn value(value: &Value) -> Fingerprint {
    Fingerprint(fold(value, 0))
}

/// The fingerprint of running text without what is volatile in it; spacing makes no difference.
pub fn text(text: &str) -> Fingerprint {
    Fingerprint(text_fold(text))
}

/// Whether a field of this name changes by itself.
pub fn is_volatile_key(key: &str) -> bool {
    let mut folded = [0u8; 24];
    let mut len = 0;
    for byte in key.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' ' | b'.')) {
        let Some(slot) = folded.get_mut(len) else { return false };
        *slot = byte.to_ascii_lowercase();
        len += 1;
    }
    let folded = folded
        .get(..len)
        .and_then(|name| std::str::from_utf8(name).ok())
        .unwrap_or_default();
    is_known(folded) || folded.ends_with("timestamp") || key.ends_with("_at") || (key.ends_with("At") && key.len() > 2)
}

/// Names of volatile fields, in lower case and without separators.
fn is_known(folded: &str) -> bool {
    matches!(
        folded,
        "callid"
            | "correlationid"
            | "date"
            | "datetime"
            | "duration"
            | "durationms"
            | "durationseconds"
            | "elapsed"
            | "elapsedms"
            | "elapsedseconds"
            | "elapsedtime"
            | "etag"
            | "executionid"
            | "executiontime"
            | "executiontimems"
            | "fetchtime"
            | "guid"
            | "lastchecked"
            | "lastmodified"
            | "lastupdated"
            | "latency"
            | "latencyms"
            | "messageid"
            | "nonce"
            | "now"
            | "pid"
            | "port"
            | "ppid"
            | "processid"
            | "queryms"
            | "querytime"
            | "requestid"
            | "responseid"
            | "responsetime"
            | "responsetimems"
            | "runid"
            | "servertime"
            | "sessionid"
            | "spanid"
            | "threadid"
            | "time"
            | "timems"
            | "timestamp"
            | "took"
            | "tookms"
            | "traceid"
            | "traceparent"
            | "ts"
            | "uptime"
            | "uuid"
            | "walltime"
    )
}

/// Whether a whole word or string changes by itself: a UUID, a point in time, a duration, a long hexadecimal number.
pub fn is_volatile_word(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
        && (is_uuid(word) || is_time(word) || is_duration(word) || is_long_hex(word) || is_epoch(word))
}

fn fold(value: &Value, depth: u32) -> u64 {
    match value {
        Value::String(text) => text_fold(text),
        Value::Number(number) if is_epoch(number.as_str()) => MASK,
        Value::Null | Value::Bool(_) | Value::Number(_) => canonical::value(value).0,
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => MASK,
        Value::Array(items) => items
            .iter()
            .fold(items.len() as u64, |sum, item| mix(sum, fold(item, depth + 1))),
        Value::Object(map) => map.iter().fold(map.len() as u64, |sum, (key, value)| {
            let content = if is_volatile_key(key) {
                MASK
            } else {
                fold(value, depth + 1)
            };
            sum.wrapping_add(mix(xxh3_64(key.as_bytes()), content))
        }),
    }
}

/// Long text is compared word by word at both ends, and byte by byte between them.
fn text_fold(text: &str) -> u64 {
    if text.len() <= 2 * MAX_END_BYTES {
        return words_fold(text, 0);
    }
    let (first, last) = (head(text, MAX_END_BYTES), tail(text, MAX_END_BYTES));
    let between = text.get(first.len()..text.len() - last.len()).unwrap_or_default();
    words_fold(last, mix(words_fold(first, 0), xxh3_64(between.as_bytes())))
}

fn words_fold(text: &str, seed: u64) -> u64 {
    let mut sum = seed;
    let mut before = "";
    for word in text.split_ascii_whitespace() {
        let is_volatile = word
            .bytes()
            .any(|byte| byte.is_ascii_digit() || matches!(byte, b'=' | b':'))
            && is_volatile_here(word, before);
        sum = mix(sum, if is_volatile { MASK } else { xxh3_64(word.as_bytes()) });
        before = word;
    }
    sum
}

/// Whether a word of running text is volatile, or a number behind a word that makes it so, or `key=value`.
fn is_volatile_here(word: &str, before: &str) -> bool {
    let core = bare(word);
    is_volatile_word(core)
        || (core.bytes().all(|byte| byte.is_ascii_digit())
            && VOLATILE_WORDS
                .iter()
                .any(|known| bare(before).eq_ignore_ascii_case(known)))
        || core.split_once(['=', ':']).is_some_and(|(key, rest)| {
            !rest.is_empty() && (is_volatile_key(key.trim_matches('"')) || is_volatile_word(rest))
        })
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| {
        matches!(
            c,
            ',' | ';' | ':' | '.' | '(' | ')' | '[' | ']' | '"' | '\'' | '{' | '}'
        )
    })
}

fn mix(sum: u64, next: u64) -> u64 {
    (sum.rotate_left(7) ^ next).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (next >> 31)
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// `2024-05-01`, `2024-05-01T10:00:00.123Z`, `10:00`, `10:00:00`, `10:00:00.123`.
fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    let shape = |pattern: &[u8], from: usize| {
        pattern
            .iter()
            .enumerate()
            .all(|(index, want)| match (bytes.get(from + index), want) {
                (Some(byte), b'd') => byte.is_ascii_digit(),
                (Some(byte), want) => byte == want,
                (None, _) => false,
            })
    };
    let rest_is_clock = |from: usize| {
        bytes.get(from..).is_some_and(|rest| {
            rest.iter().all(|byte| {
                matches!(
                    byte,
                    b'0'..=b'9' | b':' | b'.' | b',' | b'+' | b'-' | b'Z' | b'T' | b't' | b'z'
                )
            })
        })
    };
    (shape(b"dddd-dd-dd", 0) || shape(b"dddd/dd/dd", 0)) && rest_is_clock(10)
        || shape(b"dd:dd", 0) && rest_is_clock(5)
        || (shape(b"d:dd", 0) && rest_is_clock(4))
}

/// `12ms`, `1.5s`, `3sec`, `250µs`.
fn is_duration(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < word.len()
        && matches!(
            unit,
            "ms" | "s" | "sec" | "secs" | "us" | "µs" | "ns" | "seconds" | "min"
        )
}

fn is_long_hex(word: &str) -> bool {
    let word = word.strip_prefix("0x").unwrap_or(word);
    word.len() >= 12
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Seconds or milliseconds since 1970, between 2017 and 2039.
fn is_epoch(word: &str) -> bool {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
    matches!(whole.len(), 10 | 13)
        && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit())
        && matches!(whole.get(..2), Some("15" | "16" | "17" | "18" | "19" | "20" | "21"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Fingerprint {
        serde_json::from_str::<Value>(source).map_or_else(|_| text(source), |parsed| value(&parsed))
    }

    #[test]
    fn clocks_do_not_hide_a_loop() {
        for (left, right) in [
            (
                r#"{"out":"x","durationMs":12,"pid":991}"#,
                r#"{"out":"x","durationMs":15,"pid":1002}"#,
            ),
            (
                r#"{"m":"hi","created_at":"2024-01-01"}"#,
                r#"{"m":"hi","created_at":"2024-01-02"}"#,
            ),
            (
                r#"{"id":"0b9f3a52-9d0e-4b53-8a1e-3f0a4f6f1a11","a":1}"#,
                r#"{"id":"7c9f3a52-9d0e-4b53-8a1e-3f0a4f6f1a22","a":1.0}"#,
            ),
            ("done in 12ms at 10:00:01", "done in 340ms at 10:00:09"),
            ("2024-05-01T10:00:00Z up  pid 12", "2024-05-01T10:00:05Z up pid 13"),
            ("ok request_id=abc123", "ok request_id=zzz999"),
            (r#"{"t":1716200000123}"#, r#"{"t":1716200000999}"#),
        ] {
            assert_eq!(of(left), of(right), "{left} and {right}");
        }
    }

    #[test]
    fn progress_is_seen() {
        for (left, right) in [
            ("compiled 10 of 90", "compiled 20 of 90"),
            (
                r#"{"status":"running","percent":10}"#,
                r#"{"status":"running","percent":20}"#,
            ),
            (r#"{"id":1}"#, r#"{"id":2}"#),
            ("step 1 ok", "step 2 ok"),
            (r#"["a","b"]"#, r#"["b","a"]"#),
            (r#"{"error":null}"#, r#"{"error":"x"}"#),
        ] {
            assert_ne!(of(left), of(right), "{left} and {right}");
        }
    }
}
