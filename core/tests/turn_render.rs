//! Writing a turn back: every case of `cases/turn_render.jsonl`, each a candidate, what becomes of its calls and what is
//! said of them, with the response and the feedback as they must stand.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolward_core::{
    limits::Limits,
    tools::ToolSet,
    turn::{
        Body, Candidate, ReadOptions, read,
        render::{Correction, Fate, feedback, response},
    },
};

fn toolset() -> ToolSet {
    let tools = json!([
        {"name": "get_weather", "description": "Weather of a city", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
        {"name": "get_time", "description": "The time", "parameters": {"type": "object", "properties": {}}}
    ]);
    ToolSet::read(tools.to_string().as_bytes(), &Limits::default()).expect("the tools")
}

fn fate(case: &Value) -> Fate<'_> {
    match case {
        Value::String(word) if word == "keep" => Fate::Keep,
        Value::String(word) if word == "drop" => Fate::Drop,
        other => Fate::Replace {
            name: other[0].as_str().expect("a name"),
            arguments: other[1].as_str().expect("arguments"),
        },
    }
}

/// JSON where it is JSON, else the text.
fn shown(bytes: &[u8]) -> Value {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

fn check(case: &Value) -> (Value, Value) {
    let json_text = case["json"].to_string();
    let body = match (&case["text"], &case["sse"]) {
        (Value::String(text), _) => Body::Text(text),
        (_, Value::String(stream)) => Body::Sse(stream.as_bytes()),
        _ => Body::Json(json_text.as_bytes()),
    };
    let candidate = Candidate {
        body,
        format: None,
        finish_reason: None,
    };
    let limits = Limits::default();
    let turn = read(
        &candidate,
        &toolset(),
        ReadOptions {
            repair: true,
            limits: &limits,
        },
    )
    .expect("a turn");
    let fates: Vec<Fate<'_>> = case["fates"].as_array().into_iter().flatten().map(fate).collect();
    let written = response(&candidate, &turn, &fates, case["says"].as_str());
    let corrections: Vec<Correction<'_>> = case["corrections"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| Correction {
            call: it[0].as_u64().expect("a position") as usize,
            text: it[1].as_str().expect("words"),
        })
        .collect();
    let general = case["general"].as_str();
    let asked = !corrections.is_empty() || general.is_some();
    let feedback = if asked {
        feedback(&turn, &corrections, general)
    } else {
        Value::Null
    };
    (written.as_deref().map_or(Value::Null, shown), feedback)
}

#[test]
fn every_case_is_written_as_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/turn_render.jsonl");
    let cases = fs::read_to_string(path).expect("the cases");
    let mut wrong = Vec::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let (response, feedback) = check(&case);
        for (what, got) in [("response", response), ("feedback", feedback)] {
            if case.get(what).unwrap_or(&Value::Null) != &got {
                wrong.push(format!(
                    "{} {what}\n  expected {}\n  got      {got}",
                    case["name"], case[what]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.lines().count() > 30, "too few cases");
}
