//! One number for the same content, however it is written.
//!
//! Key order, spacing and the spelling of a number (`1`, `1.0`, `1e0`) make no difference. Objects are folded with a
//! commutative sum, so that nothing is sorted and nothing is allocated.
//!
//! A fingerprint of arguments holds two readings at once: all of the content, and the content without cosmetic
//! counters (`label: "try 7"`), because models that are stuck number their attempts.

use serde_json::{Map, Number, Value};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::Fingerprint;

/// Arguments whose digits say which try it is, not what is asked.
const COSMETIC_KEYS: &[&str] = &[
    "label",
    "title",
    "name",
    "description",
    "explanation",
    "reason",
    "reasoning",
    "thought",
    "thoughts",
    "comment",
    "note",
    "attempt",
    "try",
    "retry",
    "retry_count",
    "iteration",
    "counter",
    "nonce",
    "request_id",
    "idempotency_key",
    "toolcallid",
    "tool_call_id",
    "trace_id",
];

/// How deep a value is followed; what lies deeper is the same for all.
const MAX_DEPTH: u32 = 200;

const LOOSE_MASK: u64 = 0xffff_ffff;

/// The fingerprint of a call's arguments.
pub fn arguments(value: &Value) -> Fingerprint {
    let exact = fold(value, 0);
    let loose = match value {
        Value::Object(map) if map.keys().any(|key| is_cosmetic(key)) => loose_object(map),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            exact
        }
    };
    Fingerprint((mix(exact, 1) & !LOOSE_MASK) | (mix(loose, 2) & LOOSE_MASK))
}

/// The fingerprint of arguments given as JSON text. A text that is not JSON stands for itself; JSON text inside a JSON
/// string is read as what it says, because that is how some APIs send arguments.
pub fn arguments_text(json: &[u8]) -> Fingerprint {
    match serde_json::from_slice::<Value>(json) {
        Ok(Value::String(inner)) => match serde_json::from_str::<Value>(&inner) {
            Ok(value @ Value::Object(_)) => arguments(&value),
            Ok(_) | Err(_) if inner.trim().is_empty() => nothing(),
            Ok(_) | Err(_) => arguments(&Value::String(inner)),
        },
        Ok(Value::Null) => nothing(),
        Ok(value) => arguments(&value),
        Err(_) if json.trim_ascii().is_empty() => nothing(),
        Err(_) => Fingerprint(xxh3_64(json.trim_ascii())),
    }
}

/// The fingerprint of a whole value, without the second reading.
pub fn value(value: &Value) -> Fingerprint {
    Fingerprint(fold(value, 0))
}

/// The fingerprint of no arguments: the same as that of `{}`.
pub fn nothing() -> Fingerprint {
    arguments(&Value::Object(Map::new()))
}

/// Whether the arguments hold a cosmetic counter.
pub fn is_cosmetic(key: &str) -> bool {
    COSMETIC_KEYS.iter().any(|known| key.eq_ignore_ascii_case(known))
}

impl Fingerprint {
    /// Whether both are the same but for cosmetic counters.
    pub fn resembles(self, other: Fingerprint) -> bool {
        self.0 & LOOSE_MASK == other.0 & LOOSE_MASK
    }
}

fn fold(value: &Value, depth: u32) -> u64 {
    match value {
        Value::Null => 0x6e75_6c6c,
        Value::Bool(false) => 0x6661_6c73,
        Value::Bool(true) => 0x7472_7565,
        Value::String(text) => string(text),
        Value::Number(number) => number_fold(number),
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => 0x6465_6570,
        Value::Array(items) => items.iter().fold(mix(items.len() as u64, 3), |sum, item| {
            mix(sum ^ fold(item, depth + 1), 4)
        }),
        Value::Object(map) => object(map, |_, value| fold(value, depth + 1)),
    }
}

fn object(map: &Map<String, Value>, mut of: impl FnMut(&str, &Value) -> u64) -> u64 {
    let sum = map.iter().fold(0u64, |sum, (key, value)| {
        sum.wrapping_add(mix(xxh3_64(key.as_bytes()) ^ of(key, value).rotate_left(17), 5))
    });
    mix(sum ^ map.len() as u64, 6)
}

fn loose_object(map: &Map<String, Value>) -> u64 {
    object(map, |key, value| match value {
        Value::String(text) if is_cosmetic(key) => string_without_digits(text),
        Value::Number(_) if is_cosmetic(key) => 0x636f_756e,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            fold(value, 1)
        }
    })
}

fn string(text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), 7)
}

fn string_without_digits(text: &str) -> u64 {
    text.split(|c: char| c.is_ascii_digit())
        .filter(|piece| !piece.is_empty())
        .fold(8, |sum, piece| mix(sum ^ string(piece), 9))
}

fn mix(hash: u64, seed: u64) -> u64 {
    let mut mixed = (hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^= mixed >> 29;
    mixed = mixed.wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 32)
}

/// A number by its value: significant digits and exponent, whatever the spelling.
fn number_fold(number: &Number) -> u64 {
    let text = number.as_str();
    let Some(Decimal {
        negative,
        digits,
        skip_back,
        exponent,
    }) = decimal(text)
    else {
        return string(text);
    };
    let mut sum = if negative { 10 } else { 11 };
    let significant = digits
        .bytes()
        .filter(u8::is_ascii_digit)
        .count()
        .saturating_sub(skip_back);
    let mut started = false;
    for digit in digits.bytes().filter(u8::is_ascii_digit).take(significant) {
        started |= digit != b'0';
        if started {
            sum = mix(sum ^ u64::from(digit), 12);
        }
    }
    if started {
        mix(sum ^ exponent.cast_unsigned(), 13)
    } else {
        14
    }
}

struct Decimal<'a> {
    negative: bool,
    /// Integer and fraction with the point between them.
    digits: &'a str,
    /// Trailing zeros that say nothing but the exponent.
    skip_back: usize,
    /// The power of ten of the last significant digit.
    exponent: i64,
}

/// `None`: an exponent beyond all measure; the text stands for itself.
fn decimal(text: &str) -> Option<Decimal<'_>> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (
            digits,
            exponent.strip_prefix('+').unwrap_or(exponent).parse::<i64>().ok()?,
        ),
        None => (text, 0),
    };
    let fraction = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let skip_back = digits
        .bytes()
        .rev()
        .filter(u8::is_ascii_digit)
        .take_while(|digit| *digit == b'0')
        .count();
    let exponent = exponent
        .checked_sub(i64::try_from(fraction).ok()?)?
        .checked_add(i64::try_from(skip_back).ok()?)?;
    Some(Decimal {
        negative,
        digits,
        skip_back,
        exponent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(left: &str, right: &str) -> bool {
        arguments_text(left.as_bytes()) == arguments_text(right.as_bytes())
    }

    #[test]
    fn spelling_makes_no_difference() {
        for (left, right) in [
            (r#"{"a":1,"b":2}"#, r#"{ "b": 2.0, "a": 1e0 }"#),
            (r#"{"a":100}"#, r#"{"a":1e2}"#),
            (r#"{"a":100}"#, r#"{"a":100.00}"#),
            (r#"{"a":0}"#, r#"{"a":-0.0}"#),
            (r#"{"a":0.10}"#, r#"{"a":1E-1}"#),
            (r#"{"a":"x"}"#, r#""{\"a\": \"x\"}""#),
            (r#"{"a":{"c":[1,2],"d":null}}"#, r#"{"a":{"d":null,"c":[1.0,2]}}"#),
            ("", "{}"),
            ("null", "{}"),
            (r#""""#, "{}"),
            (" not json ", "not json"),
        ] {
            assert!(same(left, right), "{left} and {right}");
        }
    }

    #[test]
    fn content_makes_a_difference() {
        for (left, right) in [
            (r#"{"a":1}"#, r#"{"a":2}"#),
            (r#"{"a":1}"#, r#"{"a":10}"#),
            (r#"{"a":1}"#, r#"{"a":-1}"#),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":1.5}"#, r#"{"a":15}"#),
            (r#"{"a":101}"#, r#"{"a":11}"#),
            (r#"{"a":"b"}"#, r#"{"b":"a"}"#),
            (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#),
            (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#),
            (r#"{"a":[[1],2]}"#, r#"{"a":[1,[2]]}"#),
            (r#"{"a":null}"#, "{}"),
            (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#),
            (r#"{"path":"Ab"}"#, r#"{"path":"ab"}"#),
        ] {
            assert!(!same(left, right), "{left} and {right}");
        }
    }

    #[test]
    fn counters_resemble_and_work_does_not() {
        let of = |text: &str| arguments_text(text.as_bytes());
        let first = of(r#"{"label":"try 1","command":"ls"}"#);
        let second = of(r#"{"label":"try 22","command":"ls"}"#);
        assert!(first != second && first.resembles(second));
        assert!(!of(r#"{"label":"a","path":"f1"}"#).resembles(of(r#"{"label":"a","path":"f2"}"#)));
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
        assert!(same(&deep, &deep));
        let mut value = Value::Null;
        for _ in 0..100_000 {
            value = Value::Array(vec![value]);
        }
        let _ = arguments(&value);
        // Dropping it the ordinary way would recurse as deep as it is nested.
        while let Value::Array(mut items) = value {
            value = items.pop().unwrap_or(Value::Null);
        }
    }
}
