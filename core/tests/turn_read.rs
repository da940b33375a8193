//! Reading a turn: every case of `cases/turn_read.jsonl`, and what must hold for any bytes at all.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolward_core::{
    limits::{Limits, Reason},
    tools::ToolSet,
    turn::{
        Body, Candidate, ProposedCall, ReadOptions, Reading, Turn, WireFormat, read,
        render::{Fate, feedback, response},
    },
};

fn toolset() -> ToolSet {
    let tools = json!([
        {"name": "get_weather", "description": "Weather of a city", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "unit": {"type": "string"}}, "required": ["city"]}},
        {"name": "get_time", "description": "The time", "parameters": {"type": "object", "properties": {}}},
        {"name": "find", "description": "Finds", "parameters": {"type": "object", "properties": {"queries": {"type": "array"}, "top": {"type": "integer"}}, "required": ["queries"]}},
        {"name": "zip", "description": "By number", "parameters": {"type": "object", "properties": {"code": {"type": "string"}, "exact": {"type": "boolean"}}, "required": ["code"]}}
    ]);
    ToolSet::read(tools.to_string().as_bytes(), &Limits::default()).expect("the tools")
}

fn format(name: &str) -> WireFormat {
    WireFormat::ALL
        .into_iter()
        .find(|format| format.as_str() == name)
        .unwrap_or_else(|| panic!("format {name}"))
}

/// The reading in the form in which cases state it.
fn told(turn: &Turn<'_>) -> Value {
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .map(|call| {
            let reading = match &call.arguments.reading {
                Reading::Strict(value) => json!({"strict": value}),
                Reading::Rescued(value) => json!({"rescued": value}),
                Reading::Absent => json!("absent"),
                Reading::Failed => json!("failed"),
            };
            let codes: Vec<&str> = call.findings.iter().map(|finding| finding.code.as_str()).collect();
            json!([call.id, call.name, reading, codes])
        })
        .collect();
    let codes: Vec<&str> = turn.findings.iter().map(|finding| finding.code.as_str()).collect();
    let mut told = json!({"format": turn.format.as_str(), "finish": format!("{:?}", turn.finish), "calls": calls});
    let entries = told.as_object_mut().expect("an object");
    if !turn.text.is_empty() {
        entries.insert("text".to_owned(), json!(turn.text));
    }
    if !codes.is_empty() {
        entries.insert("codes".to_owned(), json!(codes));
    }
    told
}

/// What reading the case gives.
fn check(case: &Value) -> Value {
    let json_text = case["json"].to_string();
    let raw = case["raw"].as_str().unwrap_or(&json_text);
    let body = match (&case["text"], &case["sse"]) {
        (Value::String(text), _) => Body::Text(text),
        (_, Value::String(stream)) => Body::Sse(stream.as_bytes()),
        _ => Body::Json(raw.as_bytes()),
    };
    let candidate = Candidate {
        body,
        format: case["format"].as_str().map(format),
        finish_reason: case["finish_reason"].as_str(),
    };
    let limits = Limits::default();
    let options = ReadOptions {
        repair: case["repair"] != json!(false),
        limits: &limits,
    };
    let toolset = if case["tools"] == json!(false) {
        ToolSet::empty()
    } else {
        toolset()
    };
    match read(&candidate, &toolset, options) {
        Ok(turn) => told(&turn),
        Err(refusal) => {
            assert_eq!(refusal.reason, Reason::CandidateInvalid);
            json!({"refused": refusal.message})
        }
    }
}

#[test]
fn every_case_is_read_as_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/turn_read.jsonl");
    let cases = fs::read_to_string(path).expect("the cases");
    let (mut count, mut wrong) = (0, Vec::new());
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let got = check(&case);
        if got != case["expect"] {
            wrong.push(format!(
                "{}\n  expected {}\n  got      {got}",
                case["name"], case["expect"]
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80, "only {count} cases");
}

#[test]
fn arguments_keep_their_bytes() {
    let arguments = r#"{ "n":12345678901234567890.10,  "s":"é\/" ,"a":[ 1 ]}"#;
    let body = json!({"role": "assistant", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    ]})
    .to_string();
    let object = format!(r#"{{"content":[{{"type":"tool_use","id":"t","name":"x","input":{arguments}}}]}}"#);
    for body in [body, object] {
        let limits = Limits::default();
        let candidate = Candidate {
            body: Body::Json(body.as_bytes()),
            format: None,
            finish_reason: None,
        };
        let turn = read(
            &candidate,
            &toolset(),
            ReadOptions {
                repair: true,
                limits: &limits,
            },
        )
        .expect("a turn");
        assert_eq!(turn.calls[0].arguments.received, arguments);
        assert!(matches!(turn.calls[0].arguments.reading, Reading::Strict(_)));
    }
}

#[test]
fn limits_refuse_the_request() {
    let call = r#"{"function":{"name":"get_time","arguments":{}}}"#;
    let body = format!(r#"{{"message":{{"role":"assistant","tool_calls":[{call},{call},{call}]}}}}"#);
    let candidate = Candidate {
        body: Body::Json(body.as_bytes()),
        format: None,
        finish_reason: None,
    };
    let refuse = |limits: Limits| {
        read(
            &candidate,
            &toolset(),
            ReadOptions {
                repair: true,
                limits: &limits,
            },
        )
        .map_err(|it| it.reason)
    };
    assert!(
        refuse(Limits {
            max_calls: 3,
            ..Limits::default()
        })
        .is_ok()
    );
    assert_eq!(
        refuse(Limits {
            max_calls: 2,
            ..Limits::default()
        })
        .unwrap_err(),
        Reason::TooManyCalls
    );
    let small = Limits {
        max_candidate_bytes: body.len() - 1,
        ..Limits::default()
    };
    assert_eq!(refuse(small).unwrap_err(), Reason::CandidateTooLarge);
}

#[test]
fn a_stream_of_too_many_calls_is_refused() {
    let fragment = |index: usize| json!({"index": index, "id": format!("c{index}"), "function": {"name": "get_time", "arguments": "{}"}});
    let fragments: Vec<Value> = (0..4).map(fragment).collect();
    let body = json!([{"choices": [{"index": 0, "delta": {"tool_calls": fragments}}]}]).to_string();
    let candidate = Candidate {
        body: Body::Json(body.as_bytes()),
        format: None,
        finish_reason: None,
    };
    for (max_calls, fits) in [(4, true), (3, false), (1, false)] {
        let limits = Limits {
            max_calls,
            ..Limits::default()
        };
        let turn = read(
            &candidate,
            &toolset(),
            ReadOptions {
                repair: true,
                limits: &limits,
            },
        );
        assert_eq!(
            turn.as_ref().err().map(|it| it.reason),
            (!fits).then_some(Reason::TooManyCalls)
        );
    }
}

#[test]
fn calls_read_by_the_caller_are_taken_over() {
    let calls = [
        ProposedCall {
            id: Some("a"),
            name: "get_weather",
            arguments: br#"{"city": "Oslo",}"#,
        },
        ProposedCall {
            id: None,
            name: "get_weather",
            arguments: b"{\"city\": \"Malm\xf6\"}",
        },
        ProposedCall {
            id: None,
            name: "get_time",
            arguments: b"",
        },
    ];
    let candidate = Candidate {
        body: Body::Calls(&calls),
        format: Some(WireFormat::Anthropic),
        finish_reason: Some("max_tokens"),
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
    let expect = json!({"format": "anthropic", "finish": "Length", "calls": [
        ["a", "get_weather", {"rescued": {"city": "Oslo"}}, ["repaired_trailing_comma"]],
        ["call_1", "get_weather", "failed", ["invalid_encoding"]],
        ["call_2", "get_time", "absent", ["truncated"]]
    ]});
    assert_eq!(told(&turn), expect);
}

#[test]
fn bytes_that_are_no_text_are_the_turns_finding() {
    let limits = Limits::default();
    for format in WireFormat::ALL.map(Some).into_iter().chain([None]) {
        let body = Body::Json(b"{\"role\":\"assistant\",\"content\":\"Malm\xf6\"}");
        let candidate = Candidate {
            body,
            format,
            finish_reason: None,
        };
        let turn = read(
            &candidate,
            &toolset(),
            ReadOptions {
                repair: true,
                limits: &limits,
            },
        )
        .expect("a turn");
        assert_eq!(turn.findings[0].code.as_str(), "invalid_encoding");
        assert!(turn.calls.is_empty());
        assert_eq!(response(&candidate, &turn, &[], Some("text")), None);
    }
}

#[test]
fn any_split_of_a_stream_reads_the_same() {
    let arguments = r#"{"city":"caf\u00e9 \"x\"\n","unit":"{}"}"#;
    let limits = Limits::default();
    let options = ReadOptions {
        repair: true,
        limits: &limits,
    };
    for at in (1..arguments.len()).filter(|at| arguments.is_char_boundary(*at)) {
        let chunk = |function: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "function": function}]}}]});
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
        let chunks = json!([
            chunk(json!({"name": "get_weather", "arguments": arguments[..at]})),
            chunk(json!({"name": "get_weather", "arguments": arguments[at..]})),
            end
        ]);
        let body = chunks.to_string();
        let candidate = Candidate {
            body: Body::Json(body.as_bytes()),
            format: None,
            finish_reason: None,
        };
        let turn = read(&candidate, &toolset(), options).expect("a turn");
        assert_eq!(turn.calls.len(), 1);
        assert_eq!(turn.calls[0].arguments.received, arguments);
        assert!(turn.calls[0].findings.is_empty() && turn.findings.is_empty());
    }
}

/// Everything that is done with a candidate, for bytes of any kind.
fn run(body: Body<'_>, format: Option<WireFormat>, reason: Option<&str>) {
    let limits = Limits::default();
    let candidate = Candidate {
        body,
        format,
        finish_reason: reason,
    };
    for repair in [true, false] {
        let Ok(turn) = read(
            &candidate,
            &toolset(),
            ReadOptions {
                repair,
                limits: &limits,
            },
        ) else {
            continue;
        };
        let keep: Vec<Fate<'_>> = turn.calls.iter().map(|_| Fate::Keep).collect();
        let drop: Vec<Fate<'_>> = turn.calls.iter().map(|_| Fate::Drop).collect();
        if let Some(written) = response(&candidate, &turn, &keep, None) {
            let again = match body {
                Body::Sse(_) => Body::Sse(&written),
                Body::Text(_) => Body::Text(std::str::from_utf8(&written).expect("UTF-8")),
                Body::Json(_) | Body::Calls(_) => Body::Json(&written),
            };
            let candidate = Candidate {
                body: again,
                format,
                finish_reason: None,
            };
            let again = read(
                &candidate,
                &toolset(),
                ReadOptions {
                    repair,
                    limits: &limits,
                },
            )
            .expect("the same shape");
            // A call that moves from the text to a place for objects has nothing said as `{}`, and broken JSON as a string.
            let received = |turn: &Turn<'_>| -> Vec<(String, String)> {
                let moved = |text: &str| {
                    if matches!(text.trim(), "" | "null") {
                        "{}".to_owned()
                    } else {
                        text.to_owned()
                    }
                };
                let read = |text: &str| serde_json::from_str::<String>(text).unwrap_or_else(|_| moved(text));
                turn.calls
                    .iter()
                    .map(|it| (it.name.to_string(), read(&it.arguments.received)))
                    .collect()
            };
            assert_eq!(received(&turn), received(&again));
        }
        response(&candidate, &turn, &drop, Some("no"));
        response(&candidate, &turn, &[], Some("no"));
        let _ = feedback(&turn, &[], Some("again"));
    }
}

/// Pieces of every notation, so that chance meets the readers where they work.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "\n",
    " ",
    "name",
    "\"name\":\"get_weather\"",
    "\"arguments\":{\"city\":\"Oslo\"}",
    "<tool_call>",
    "</tool_call>",
    "[get_weather(city=\"Oslo\")]",
    "TOOL: ",
    "get_weather(",
    "city=",
    "'Oslo'",
    "[TOOL_CALLS]",
    "[ARGS]",
    "<|python_tag|>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "```",
    "```json\n",
    "<function=get_weather>",
    "<parameter=city>",
    "</parameter>",
    "</function>",
    "<|channel|>",
    " to=functions.get_time ",
    "<|message|>",
    "<|call|>",
    "<｜DSML｜invoke name=\"get_time\">",
    "</｜DSML｜invoke>",
    "data: ",
    "[DONE]",
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":",
    "{\"action\":\"tool_call\",",
    "é",
    "\u{feff}",
    "null",
    "True",
    "1e5",
];

fn formats() -> impl Strategy<Value = Option<WireFormat>> {
    prop::option::of(prop::sample::select(WireFormat::ALL.to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), format in formats()) {
        run(Body::Json(&bytes), format, None);
        run(Body::Sse(&bytes), format, None);
    }

    #[test]
    fn any_text_is_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        format in formats(),
        reason in prop::option::of(prop::sample::select(&["length", "stop", "MALFORMED_FUNCTION_CALL"][..])),
    ) {
        let text = pieces.concat();
        run(Body::Text(&text), format, reason);
        run(Body::Json(text.as_bytes()), format, reason);
        run(Body::Sse(text.as_bytes()), format, reason);
        let chat = json!({"role": "assistant", "content": text}).to_string();
        run(Body::Json(chat.as_bytes()), None, reason);
        let blocks = json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"});
        run(Body::Json(blocks.to_string().as_bytes()), None, reason);
        let parts = json!({"candidates": [{"content": {"parts": [{"text": text}]}}]}).to_string();
        run(Body::Json(parts.as_bytes()), None, reason);
        let call = json!({"id": "a", "function": {"name": "get_weather", "arguments": text}});
        let chat = json!({"role": "assistant", "content": null, "tool_calls": [call, call]}).to_string();
        run(Body::Json(chat.as_bytes()), None, reason);
    }
}
