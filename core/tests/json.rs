//! The JSON reader: what it accepts, what it rescues, where it gives up, and that it agrees with serde_json.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::{Value, json};
use toolward_core::{
    code::Code,
    json::{read, rescue},
    limits::Limits,
};

fn check_rescue(text: &str, expected: Value, codes: &[Code]) {
    let rescued = rescue(text, &Limits::default()).unwrap_or_else(|fault| panic!("{text}: {}", fault.message()));
    assert_eq!(rescued.value, expected, "{text}");
    let found: Vec<Code> = rescued.repairs.iter().map(|repair| repair.code).collect();
    assert_eq!(found, codes, "{text}");
    assert!(
        read(text, &Limits::default()).is_err() || found == [Code::RepairedDoubleEncoding],
        "{text} is strict JSON"
    );
}

fn check_refused(text: &str, code: Code) {
    let fault = rescue(text, &Limits::default()).expect_err(text);
    assert_eq!(fault.code(), code, "{text}: {}", fault.message());
}

#[test]
fn one_lossless_reading_is_taken() {
    let place = json!({"city": "Rome", "n": 2});
    for (text, codes) in [
        (
            "```json\n{\"city\": \"Rome\", \"n\": 2}\n```",
            vec![Code::RepairedFence],
        ),
        ("```{\"city\": \"Rome\", \"n\": 2}```", vec![Code::RepairedFence]),
        ("\u{feff}{\"city\": \"Rome\", \"n\": 2}", vec![Code::RepairedBom]),
        ("{\"city\": \"Rome\", \"n\": 2,}", vec![Code::RepairedTrailingComma]),
        (
            "{\"city\": \"Rome\" /* there */, \"n\": 2 // two\n}",
            vec![Code::RepairedComment],
        ),
        ("{'city': 'Rome', 'n': 2}", vec![Code::RepairedQuotes]),
        ("{city: \"Rome\", n: 2}", vec![Code::RepairedBareKey]),
        (
            "{\"city\": \"Rome\", \"n\": 2, \"n\": 2}",
            vec![Code::RepairedDuplicateKey],
        ),
        ("{}{\"city\": \"Rome\", \"n\": 2}", vec![Code::RepairedConcatenation]),
        (
            "{\"city\": \"Rome\", \"n\": 2}{\"city\": \"Rome\", \"n\": 2}",
            vec![Code::RepairedConcatenation],
        ),
        (
            "\"{\\\"city\\\": \\\"Rome\\\", \\\"n\\\": 2}\"",
            vec![Code::RepairedDoubleEncoding],
        ),
        (
            "{'city': \"Rome\", 'n': 2,}",
            vec![Code::RepairedTrailingComma, Code::RepairedQuotes],
        ),
    ] {
        check_rescue(text, place.clone(), &codes);
    }
    check_rescue(
        "{\"a\": [True, False, None]}",
        json!({"a": [true, false, null]}),
        &[Code::RepairedPythonLiteral],
    );
    check_rescue(
        "{\"t\": \"one\ntwo\tthree\"}",
        json!({"t": "one\ntwo\tthree"}),
        &[Code::RepairedControlChar],
    );
    check_rescue("{'t': 'don\\'t'}", json!({"t": "don't"}), &[Code::RepairedQuotes]);
    check_rescue(
        "{'t': \"what's up\"}",
        json!({"t": "what's up"}),
        &[Code::RepairedQuotes],
    );
}

#[test]
fn a_guess_is_not_taken() {
    for (text, code) in [
        ("{\"t\": \"she said \"no\" again\"}", Code::MalformedJson),
        ("{'t': 'it's'}", Code::MalformedJson),
        ("{\"a\": 1, \"a\": 2}", Code::DuplicateKey),
        ("{\"a\": 1}{\"a\": 2}", Code::MalformedJson),
        ("{\"a\": 1} and more", Code::MalformedJson),
        ("{\"a\": [1, 2", Code::Truncated),
        ("{\"a\": \"un", Code::Truncated),
        ("{\"a\": tru", Code::Truncated),
        ("{\"a\":", Code::Truncated),
        ("", Code::Truncated),
        ("{\"a\": 0x10}", Code::MalformedJson),
        ("{\"a\": 1_000}", Code::MalformedJson),
        ("{\"a\": +5}", Code::MalformedJson),
        ("{\"a\": 007}", Code::MalformedJson),
        ("{\"a\": NaN}", Code::MalformedJson),
        ("{\"a\": rome}", Code::MalformedJson),
        ("{\"a\": \"\\x41\"}", Code::MalformedJson),
        ("{\"a\": \"\\ud83d\"}", Code::InvalidEncoding),
        ("{\"a\": \"\\udc00\\ud83d\"}", Code::InvalidEncoding),
        ("{,}", Code::MalformedJson),
        ("{\"a\": 1,, \"b\": 2}", Code::MalformedJson),
        ("not json", Code::MalformedJson),
    ] {
        check_refused(text, code);
    }
}

#[test]
fn what_looks_broken_inside_a_string_is_left_alone() {
    for text in [
        r#"{"t": "```json\n{}\n```"}"#,
        r#"{"t": "}{"}"#,
        r#"{"t": "// no comment", "u": "True, None,]"}"#,
        r#"{"t": "{\"a\": 1}"}"#,
        r#"{"$serde_json::private::Number": "1"}"#,
    ] {
        let rescued = rescue(text, &Limits::default()).expect(text);
        assert!(rescued.repairs.is_empty(), "{text}");
        assert_eq!(rescued.value, read(text, &Limits::default()).expect(text));
    }
    let odd = read(r#"{"$serde_json::private::Number": "1"}"#, &Limits::default()).expect("an object");
    assert!(odd.is_object());
}

#[test]
fn numbers_keep_their_digits() {
    let text = r#"{"a":36893488147419103233,"b":1.10,"c":-0,"d":1e400,"e":0.1000000000000000055511151231257827}"#;
    assert_eq!(
        read(text, &Limits::default())
            .expect("strict")
            .to_string()
            .replace("1e+400", "1e400"),
        text
    );
}

#[test]
fn faults_have_a_place() {
    let fault = read("{\n  \"a\": é}", &Limits::default()).expect_err("broken");
    assert_eq!((fault.line, fault.column), (2, 8));
}

#[test]
fn depth_and_size_are_bounded() {
    let limits = Limits {
        max_arguments_depth: 50,
        max_arguments_bytes: 1_000,
        ..Limits::default()
    };
    let deep = "[".repeat(51) + &"]".repeat(51);
    assert_eq!(read(&deep, &limits).expect_err("deep").code(), Code::TooDeep);
    assert!(read(&("[".repeat(50) + &"]".repeat(50)), &limits).is_ok());
    assert_eq!(
        rescue(&" ".repeat(1_001), &limits).expect_err("large").code(),
        Code::TooLarge
    );
}

#[test]
fn hostile_text_is_read_in_linear_time() {
    let limits = Limits {
        max_arguments_bytes: 64 << 20,
        ..Limits::default()
    };
    for unit in [
        "[",
        "{\"a\":",
        "\"",
        "'",
        "\\",
        "{}",
        "/*",
        "//\n",
        "```",
        "\"\\u",
        "1",
        "{'a':'b',",
        "\u{feff}",
        ",",
    ] {
        let text = unit.repeat((8 << 20) / unit.len());
        let _ = rescue(&text, &limits);
        let _ = rescue(&format!("{{\"a\":{text}"), &limits);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn agrees_with_serde_json(value in any_json()) {
        let text = value.to_string();
        prop_assert_eq!(&read(&text, &Limits::default()).expect("valid"), &value);
        let pretty = serde_json::to_string_pretty(&value).expect("text");
        prop_assert_eq!(&read(&pretty, &Limits::default()).expect("valid"), &value);
    }

    #[test]
    fn rescue_leaves_valid_json_alone(value in any_json().prop_filter("no string", |value| !value.is_string())) {
        let rescued = rescue(&value.to_string(), &Limits::default()).expect("valid");
        prop_assert!(rescued.repairs.is_empty());
        prop_assert_eq!(rescued.value, value);
    }

    #[test]
    fn what_strict_reading_takes_serde_json_takes(text in "[\\[\\]{}:,\"'a-z0-9\\\\ \\-.eE+u]{0,40}") {
        if let Ok(value) = read(&text, &Limits::default()) {
            prop_assert_eq!(serde_json::from_str::<Value>(&text).expect("valid"), value);
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,200}") {
        let _ = read(&text, &Limits::default());
        let _ = rescue(&text, &Limits::default());
    }
}
