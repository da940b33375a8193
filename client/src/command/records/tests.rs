//! Inputs and what they are cut into, also when they come one byte at a time.

use std::io::{BufReader, Cursor};

use super::*;

fn cut(input: &[u8], whole: bool, capacity: usize, max: usize) -> Vec<(u64, String)> {
    let mut records = Records::new(BufReader::with_capacity(capacity, Cursor::new(input)), whole);
    records.max = max;
    let mut all = Vec::new();
    while let Some(record) = records.next().expect("bytes") {
        let text = record
            .text
            .map_or("(too long)".into(), |text| String::from_utf8(text).expect("UTF-8"));
        all.push((record.line, text));
    }
    all
}

fn check(input: &str, whole: bool, expect: &[(u64, &str)]) {
    let expect: Vec<(u64, String)> = expect.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
    for capacity in [1, 7, 4096] {
        assert_eq!(
            cut(input.as_bytes(), whole, capacity, MAX_TEXT),
            expect,
            "{input:?} by {capacity}"
        );
    }
}

#[test]
fn json_lines() {
    check("", false, &[]);
    check("\n \r\n", false, &[]);
    check("{\"a\":1}\n{\"b\":2}", false, &[(1, "{\"a\":1}"), (2, "{\"b\":2}")]);
    check(
        "\u{feff}{\"a\":1}\r\n\r\n  \n{\"b\":2}\r\n",
        false,
        &[(1, "{\"a\":1}"), (4, "{\"b\":2}")],
    );
    check(
        "\n\n{\"a\":1}\nnope\n{}\n",
        true,
        &[(3, "{\"a\":1}"), (4, "nope"), (5, "{}")],
    );
    check("{\"a\n{\"b\":2}\n", true, &[(1, "{\"a"), (2, "{\"b\":2}")]);
    check("{\"a\":{\n{\"b\":2}\n", true, &[(1, "{\"a\":{"), (2, "{\"b\":2}")]);
    check(
        "{\"a\":{\nnope\n\n{\"b\":2}\n",
        true,
        &[(1, "{\"a\":{"), (2, "nope"), (4, "{\"b\":2}")],
    );
    check("{\"a\":{\n{\"b\":2}\n", false, &[(1, "{\"a\":{"), (2, "{\"b\":2}")]);
    check("{\"a\":{\n", true, &[(1, "{\"a\":{")]);
}

#[test]
fn documents_over_several_lines() {
    let pretty = "{\n  \"a\": [\n    \"}\\\"\"\n  ]\n}";
    let cut = "{\n  \"a\": [\n    \"}\\\"\"\n  ]\n}\n";
    check(pretty, false, &[(1, cut)]);
    check(
        &format!("{pretty}\n{pretty}\n{{}}\n"),
        false,
        &[(1, cut), (6, cut), (11, "{}")],
    );
    check("{\n\"a\": [\n{\n}\n]\n}\n", false, &[(1, "{\n\"a\": [\n{\n}\n]\n}\n")]);
    check(
        "{ \"a\": 1,\n  \"b\": 2 }\n",
        true,
        &[(1, "{ \"a\": 1,\n  \"b\": 2 }\n")],
    );
    check(
        "{ \"a\": 1,\n  \"b\": 2 }\n",
        false,
        &[(1, "{ \"a\": 1,"), (2, "  \"b\": 2 }")],
    );
    check(
        "{\n  \"a\": \"cut\n}\n{}\n",
        false,
        &[(1, "{"), (2, "  \"a\": \"cut"), (3, "}"), (4, "{}")],
    );
}

#[test]
fn arrays() {
    check("[]", false, &[]);
    check(" [ ]\n", false, &[]);
    check(
        "[{\"a\":\"]}\\\"\"},\n {\"b\":[1,{}]} ]\n",
        false,
        &[(1, "{\"a\":\"]}\\\"\"}"), (2, "{\"b\":[1,{}]}")],
    );
    check(
        "[\n  {\n    \"a\": 1\n  },\n  7, \"x,y\"\n]\n{\"c\":3}",
        false,
        &[
            (2, "{\n    \"a\": 1\n  }"),
            (5, "7"),
            (5, "\"x,y\"\n"),
            (7, "{\"c\":3}"),
        ],
    );
    check("[{\"a\":1}, {\"b\":", false, &[(1, "{\"a\":1}"), (1, "{\"b\":")]);
}

#[test]
fn too_long() {
    let long = "x".repeat(40);
    let told = |line| (line, "(too long)".to_owned());
    for capacity in [1, 16, 4096] {
        let lines = format!("{{}}\n{long}\n{{\"a\":1}}\n{long}");
        assert_eq!(
            cut(lines.as_bytes(), false, capacity, 30),
            [(1, "{}".to_owned()), told(2), (3, "{\"a\":1}".to_owned()), told(4)]
        );
        let array = format!("[{{\"a\":\"{long}\"}},{{}}]");
        assert_eq!(
            cut(array.as_bytes(), false, capacity, 30),
            [told(1), (1, "{}".to_owned())]
        );
        let pretty = format!("{{\n\"{}\":\n\"{}\"\n}}\n", "x".repeat(20), "y".repeat(20));
        assert_eq!(cut(pretty.as_bytes(), false, capacity, 30).len(), 4);
        assert_eq!(cut("{}\n".repeat(2).as_bytes(), false, capacity, 2).len(), 2);
    }
}
