//! The schema refuses what reading refuses, and nothing else.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test says what it expects"
)]

use jsonschema::Validator;
use serde_json::{Value, json};
use toolward_document::{Answer, Line, SCHEMA};

fn validator(parts: &[&str]) -> Validator {
    let mut schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let refs: Vec<Value> = parts
        .iter()
        .map(|part| json!({"$ref": format!("#/$defs/{part}")}))
        .collect();
    schema["anyOf"] = Value::from(refs);
    jsonschema::draft202012::new(&schema).expect("a schema")
}

fn full_document() -> Value {
    json!({
        "id": "a", "tools": [], "intent": "i", "messages": [], "tool_choice": "auto", "parallel_tool_calls": true,
        "history": [{"call": {"id": "c", "name": "n", "arguments": {}}, "result": {"content": "c", "is_error": true}, "t_ms": 5}],
        "format": "auto", "candidate": {"calls": [{"name": "n", "arguments_b64": "e2E6"}]}, "finish_reason": "stop",
        "results": [{"call_id": "c", "content_json": "{}"}, {"content_b64": "/w=="}],
        "session_id": "s", "tenant": "t", "policy": "p", "attempt": 1, "now": "n",
        "options": {"repair": "safe", "layers": ["value"], "mode": "enforce", "explain": false, "arguments": "all"}
    })
}

fn full_answer() -> Value {
    let finding = json!({
        "layer": "schema", "code": "wrong_type", "severity": "block", "enforced": true, "pointer": "/a", "message": "m",
        "expected": "integer", "received": "string", "suggestion": "send 5"
    });
    json!({
        "id": "a", "decision_id": "d", "policy_revision": "r", "toolset_ref": "t", "decision": "retry", "enforced": true,
        "would_decide": "fallback", "error": {"reason": "R", "message": "m"},
        "calls": [{"id": "c", "name": "n", "arguments": {}, "decision": "retry", "findings": [finding], "patch": []}],
        "duplicates": [{"id": "c2", "name": "n", "duplicate_of": "c"}],
        "findings": [], "text": "t", "results": [{"call_id": "c", "decision": "pass", "findings": []}],
        "retry": {"attempt": 1, "max_attempts": 3, "feedback": [], "feedback_text": "t"},
        "fallback": {"kind": "tool", "tool": "n", "arguments": {}, "text": "t"},
        "response": {}, "response_text": "t",
        "layers": [{"layer": "schema", "outcome": "fail", "reason": "r", "duration_us": 5}]
    })
}

/// Every place in a value, as a JSON Pointer; the root left out.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    let mut step = |key: String, inner: &Value| {
        let at = format!("{at}/{key}");
        into.push(at.clone());
        places(inner, &at, into);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, inner)| step(key.clone(), inner)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(at, inner)| step(at.to_string(), inner)),
        _ => {}
    }
}

#[derive(Debug, Clone)]
enum Change {
    Put(Value),
    Remove,
    Add(&'static str, Value),
}

/// Every change that is tried at every place.
fn changes() -> Vec<Change> {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(7),
        json!(-1),
        json!(1.5),
        json!(4294967296u64),
        json!("text"),
        json!("off"),
        json!("e30="),
        json!([]),
        json!({}),
        json!([1]),
        json!({"calls": [{}]}),
        json!({"x": 1}),
    ];
    let names = ["unknown", "candidate_b64", "content", "arguments", "toolset"];
    let put = values.iter().cloned().map(Change::Put);
    let added = |name| values.iter().cloned().map(move |value| Change::Add(name, value));
    put.chain(names.into_iter().flat_map(added))
        .chain([Change::Remove])
        .collect()
}

fn changed(mut value: Value, place: &str, change: &Change) -> Value {
    match change {
        Change::Put(put) => {
            if let Some(at) = value.pointer_mut(place) {
                *at = put.clone();
            }
        }
        Change::Remove => {
            let (above, key) = place.rsplit_once('/').expect("a place");
            if let Some(object) = value.pointer_mut(above).and_then(Value::as_object_mut) {
                object.shift_remove(key);
            }
        }
        Change::Add(name, put) => {
            if let Some(object) = value.pointer_mut(place).and_then(Value::as_object_mut) {
                object.insert((*name).to_owned(), put.clone());
            }
        }
    }
    value
}

#[test]
fn whole_ones_fit() {
    let document = full_document();
    assert!(validator(&["document"]).is_valid(&document));
    assert!(matches!(Line::read(document.to_string().as_bytes()), Line::Document(_)));
    let answer = full_answer();
    assert!(validator(&["answer"]).is_valid(&answer));
    let read: Answer = serde_json::from_value(answer.clone()).expect("an answer");
    assert_eq!(serde_json::to_value(read).expect("JSON"), answer);
}

/// A full answer names every field of the schema: nothing in it is unknown to the types, and the other way round.
#[test]
fn answers_name_every_field() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let answer = full_answer();
    let check = |part: &str, pointer: &str| {
        let keys = |value: &Value| -> Vec<String> { value.as_object().expect("an object").keys().cloned().collect() };
        let written = answer.pointer(pointer).expect("a part");
        assert_eq!(keys(&schema["$defs"][part]["properties"]), keys(written), "{part}");
    };
    check("answer", "");
    check("error", "/error");
    check("call_answer", "/calls/0");
    check("finding", "/calls/0/findings/0");
    check("result_answer", "/results/0");
    check("retry", "/retry");
    check("fallback", "/fallback");
    check("layer_answer", "/layers/0");
}

#[test]
fn answers_refuse_what_the_schema_refuses() {
    let validator = validator(&["answer"]);
    let mut all = Vec::new();
    places(&full_answer(), "", &mut all);
    for place in all {
        for change in [
            Change::Remove,
            Change::Add("unknown", json!(1)),
            Change::Put(json!(["odd"])),
        ] {
            let value = changed(full_answer(), &place, &change);
            let read = serde_json::from_value::<Answer>(value.clone()).is_ok();
            // The types keep what is passed through (arguments, feedback, patch) as any JSON.
            let looser = ["/patch", "/feedback", "/reason"]
                .iter()
                .any(|end| place.ends_with(end));
            assert!(
                read == validator.is_valid(&value) || (looser && read),
                "{place} {change:?}"
            );
        }
    }
}

#[test]
fn input_agrees() {
    let input = validator(&["document", "toolset"]);
    let mut all = vec![String::new()];
    places(&full_document(), "", &mut all);
    for place in &all {
        for change in changes() {
            if place.is_empty() && matches!(change, Change::Remove) {
                continue;
            }
            let value = changed(full_document(), place, &change);
            let read = !matches!(Line::read(value.to_string().as_bytes()), Line::Invalid { .. });
            assert_eq!(read, input.is_valid(&value), "{place} {change:?}: {value}");
        }
    }
}
