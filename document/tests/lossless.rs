//! Documents and messages say the same: there and back is the identity, and every line of it fits the schema.

#![expect(clippy::expect_used, reason = "a test says what it expects")]

use std::sync::LazyLock;

use bytes::Bytes;
use jsonschema::Validator;
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};
use toolward_document::{
    Answer, Arguments, ArgumentsEcho, Call, Candidate, Document, Format, Json, Layer, Options, Repair, ResultBody,
    RunMode, SCHEMA, Step, ToolResult, Tools,
};
use toolward_proto::v1;

static DOCUMENT: LazyLock<Validator> = LazyLock::new(|| validator("document"));
static ANSWER: LazyLock<Validator> = LazyLock::new(|| validator("answer"));

fn validator(part: &str) -> Validator {
    let mut schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let root = schema.as_object_mut().expect("an object");
    root.remove("anyOf");
    root.insert("$ref".into(), json!(format!("#/$defs/{part}")));
    jsonschema::draft202012::new(&schema).expect("a schema")
}

/// JSON text with the liberties that callers take: white space, odd numbers, escapes, repeated keys.
fn json_text() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("18446744073709551616".to_owned()),
        Just("1.50e+3".to_owned()),
        Just(r#""\ud83d\u0000""#.to_owned()),
        ".{0,6}".prop_map(|text| Value::from(text).to_string()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(" ,\n"))),
            vec(("[a-c]", inner), 0..4).prop_map(|entries| {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("\"{key}\" :\t{value}"))
                    .collect();
                format!("{{ {}}}", entries.join(","))
            }),
        ]
    })
    .boxed()
}

fn some_json() -> BoxedStrategy<Json> {
    json_text()
        .prop_filter_map("null is absent", |text| {
            Json::from_bytes(text.as_bytes()).filter(|json| json.get() != "null")
        })
        .boxed()
}

fn array() -> BoxedStrategy<Json> {
    vec(json_text(), 0..3)
        .prop_filter_map("JSON", |items| {
            Json::from_bytes(format!("[{}]", items.join(", ")).as_bytes())
        })
        .boxed()
}

fn object() -> BoxedStrategy<Json> {
    json_text()
        .prop_filter_map("JSON", |value| {
            Json::from_bytes(format!("{{\"k\": {value}}}").as_bytes())
        })
        .boxed()
}

fn text() -> BoxedStrategy<Option<String>> {
    option::of(".{0,8}").boxed()
}

fn broken() -> BoxedStrategy<Bytes> {
    prop_oneof![
        Just(Bytes::from_static(b"{\"a\": \xff}")),
        Just(Bytes::from_static(b"{a:1"))
    ]
    .boxed()
}

fn call() -> BoxedStrategy<Call> {
    let arguments = prop_oneof![
        Just(Arguments::Absent),
        some_json().prop_map(Arguments::Json),
        broken().prop_map(Arguments::Bytes),
    ];
    (text(), ".{0,8}", arguments)
        .prop_map(|(id, name, arguments)| Call { id, name, arguments })
        .boxed()
}

fn result() -> BoxedStrategy<ToolResult> {
    let body = prop_oneof![
        Just(ResultBody::Absent),
        ".{0,8}".prop_map(ResultBody::Text),
        object().prop_map(ResultBody::Value),
        array().prop_map(ResultBody::Value),
        ".{0,8}".prop_map(ResultBody::Encoded),
        Just(ResultBody::Bytes(Bytes::from_static(b"\xff"))),
    ];
    (text(), body, option::of(any::<bool>()))
        .prop_map(|(call_id, body, is_error)| ToolResult {
            call_id,
            body,
            is_error,
        })
        .boxed()
}

fn step() -> BoxedStrategy<Step> {
    (call(), option::of(result()), option::of(any::<i64>()))
        .prop_map(|(call, result, t_ms)| Step { call, result, t_ms })
        .boxed()
}

fn options() -> BoxedStrategy<Options> {
    let words = (
        option::of(proptest::sample::select(Repair::ALL)),
        vec(proptest::sample::select(Layer::ALL), 0..3),
        option::of(proptest::sample::select(RunMode::ALL)),
        any::<bool>(),
        option::of(proptest::sample::select(ArgumentsEcho::ALL)),
    );
    words
        .prop_map(|(repair, layers, mode, explain, arguments)| Options {
            repair,
            layers,
            mode,
            explain,
            arguments,
        })
        .boxed()
}

fn candidate() -> BoxedStrategy<Candidate> {
    prop_oneof![
        object().prop_map(Candidate::Json),
        array().prop_map(Candidate::Json),
        ".{0,8}".prop_map(Candidate::Text),
        Just(Candidate::Bytes(Bytes::from_static(b"{\"a\": \xff}"))),
        vec(call(), 0..3).prop_map(Candidate::Calls),
    ]
    .boxed()
}

fn document() -> BoxedStrategy<Document> {
    let tools = prop_oneof![array().prop_map(Tools::Inline), ".{0,8}".prop_map(Tools::Named)];
    let spoken = (
        text(),
        option::of(tools),
        text(),
        option::of(array()),
        vec(step(), 0..3),
    );
    let turn = (
        option::of(some_json()),
        option::of(any::<bool>()),
        option::of(proptest::sample::select(Format::ALL)),
        option::of(candidate()),
        text(),
        vec(result(), 0..3),
    );
    let around = (
        text(),
        text(),
        text(),
        option::of(1..=u32::MAX),
        text(),
        option::of(options()),
    );
    (spoken, turn, around)
        .prop_map(|(spoken, turn, around)| Document {
            id: spoken.0,
            tools: spoken.1,
            intent: spoken.2,
            messages: spoken.3,
            history: spoken.4,
            tool_choice: turn.0,
            parallel_tool_calls: turn.1,
            format: turn.2,
            candidate: turn.3,
            finish_reason: turn.4,
            results: turn.5,
            session_id: around.0,
            tenant: around.1,
            policy: around.2,
            attempt: around.3,
            now: around.4,
            options: around.5,
        })
        .boxed()
}

fn wire_json(strategy: BoxedStrategy<Json>) -> BoxedStrategy<Bytes> {
    strategy.prop_map(Json::into_bytes).boxed()
}

fn finding() -> BoxedStrategy<v1::Finding> {
    let words = (1..=5, "[a-z_]{1,8}", 1..=3, any::<bool>(), ".{0,8}", ".{0,8}");
    (words, text(), text(), text())
        .prop_map(|(words, expected, received, suggestion)| v1::Finding {
            layer: words.0,
            code: words.1,
            severity: words.2,
            enforced: words.3,
            pointer: words.4,
            message: words.5,
            expected,
            received,
            suggestion,
        })
        .boxed()
}

fn verdict() -> BoxedStrategy<v1::CallVerdict> {
    let bytes = (option::of(wire_json(some_json())), option::of(wire_json(array())));
    (".{0,8}", ".{0,8}", bytes, 1..=4, vec(finding(), 0..3))
        .prop_map(
            |(id, name, (arguments_json, patch_json), decision, findings)| v1::CallVerdict {
                id,
                name,
                arguments_json,
                decision,
                findings,
                patch_json,
            },
        )
        .boxed()
}

fn duplicate() -> BoxedStrategy<v1::DuplicateCall> {
    (".{0,8}", ".{0,8}", ".{0,8}")
        .prop_map(|(id, name, duplicate_of)| v1::DuplicateCall { id, name, duplicate_of })
        .boxed()
}

fn retry() -> BoxedStrategy<v1::Retry> {
    (any::<u32>(), any::<u32>(), wire_json(array()), ".{0,8}")
        .prop_map(|(attempt, max_attempts, feedback_json, feedback_text)| v1::Retry {
            attempt,
            max_attempts,
            feedback_json,
            feedback_text,
        })
        .boxed()
}

fn fallback() -> BoxedStrategy<v1::Fallback> {
    (1..=4, text(), option::of(wire_json(some_json())), text())
        .prop_map(|(kind, tool, arguments_json, text)| v1::Fallback {
            kind,
            tool,
            arguments_json,
            text,
        })
        .boxed()
}

fn layer_report() -> BoxedStrategy<v1::LayerReport> {
    (1..=5, 1..=4, text(), option::of(any::<u64>()))
        .prop_map(|(layer, outcome, reason, duration_us)| v1::LayerReport {
            layer,
            outcome,
            reason,
            duration_us,
        })
        .boxed()
}

fn response() -> BoxedStrategy<v1::CheckResponse> {
    let names = (".{0,8}", ".{0,8}", ".{0,8}", ".{0,8}");
    let refused = ("[A-Z]{1,8}", ".{0,8}").prop_map(|(reason, message)| v1::CheckError { reason, message });
    let decided = (0..=4, any::<bool>(), 0..=4, option::of(refused));
    let result = (text(), 1..=4, vec(finding(), 0..2)).prop_map(|(call_id, decision, findings)| v1::ResultVerdict {
        call_id,
        decision,
        findings,
    });
    let found = (
        vec(verdict(), 0..3),
        vec(finding(), 0..3),
        text(),
        vec(result, 0..3),
        vec(duplicate(), 0..3),
    );
    let rewritten = prop_oneof![
        wire_json(some_json()),
        Just(Bytes::from_static(b"data: {}\n\n")),
        Just(Bytes::from_static(b"null")),
    ];
    let next = (
        option::of(retry()),
        option::of(fallback()),
        option::of(rewritten),
        vec(layer_report(), 0..3),
    );
    (names, decided, found, next)
        .prop_map(|(names, decided, found, next)| v1::CheckResponse {
            request_id: names.0,
            decision_id: names.1,
            policy_revision: names.2,
            toolset_ref: names.3,
            decision: if decided.3.is_some() { 0 } else { decided.0 },
            enforced: decided.1,
            would_decide: decided.2,
            error: decided.3,
            calls: found.0,
            findings: found.1,
            text: found.2,
            results: found.3,
            duplicates: found.4,
            retry: next.0,
            fallback: next.1,
            response_json: next.2,
            layers: next.3,
        })
        .boxed()
}

fn valid(validator: &Validator, text: &[u8]) {
    // The validator's values hold no lone surrogates; they are told apart from the text itself elsewhere.
    let text = String::from_utf8(text.to_vec()).expect("UTF-8").replace(r"\ud83d", "x");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let faults: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}\n{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_document_survives(document in document()) {
        let text = serde_json::to_vec(&document).expect("JSON");
        valid(&DOCUMENT, &text);
        let read = Document::from_slice(&text).expect("a document");
        prop_assert_eq!(&read, &canonical(document));
        let request = read.clone().into_request().expect("a request");
        let back = Document::from_request(&request).expect("a document");
        prop_assert_eq!(&back, &read);
        prop_assert_eq!(back.into_request().expect("a request"), request);
    }

    #[test]
    fn a_response_survives(response in response()) {
        let answer = Answer::from_response(response.clone());
        let line = answer.to_line().expect("JSON");
        prop_assert_eq!(line.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count(), 1);
        valid(&ANSWER, &line);
        let text = serde_json::to_string(&answer).expect("JSON");
        prop_assert_eq!(&serde_json::from_str::<Answer>(&text).expect("an answer"), &answer);
        prop_assert_eq!(answer.into_response(), response);
    }
}

/// The one form in which a document can say two things alike: bytes of a captured stream that are text.
fn canonical(mut document: Document) -> Document {
    if document.format == Some(Format::OpenaiSse)
        && let Some(Candidate::Bytes(bytes)) = &document.candidate
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        document.candidate = Some(Candidate::Text(text.to_owned()));
    }
    document
}

#[test]
fn an_answer_that_breaks_the_contract_forwards_nothing() {
    let call = v1::CallVerdict {
        arguments_json: Some("{".into()),
        decision: v1::Decision::Pass as i32,
        ..Default::default()
    };
    let answer = Answer::from_response(v1::CheckResponse {
        request_id: "a".into(),
        decision: v1::Decision::Pass as i32,
        calls: vec![call],
        ..Default::default()
    });
    let line = String::from_utf8(answer.to_line().expect("JSON")).expect("UTF-8");
    assert_eq!(
        line,
        concat!(
            r#"{"id":"a","decision":"error","enforced":true,"error":{"reason":"ANSWER_INVALID","#,
            r#""message":"`arguments_json` of the service's answer is not JSON"},"calls":[],"findings":[]}"#,
            "\n"
        )
    );
}

#[test]
fn response_is_absent_null_or_a_value() {
    let check = |decision: v1::Decision, response_json: Option<&'static [u8]>, expect: &str| {
        let answer = Answer::from_response(v1::CheckResponse {
            decision: decision as i32,
            response_json: response_json.map(Bytes::from_static),
            ..Default::default()
        });
        let text = serde_json::to_string(&answer).expect("JSON");
        let rest = text.split_once(r#""findings":[]"#).expect("findings").1;
        assert_eq!(rest, expect);
    };
    check(v1::Decision::Pass, None, "}");
    check(v1::Decision::Retry, None, r#","response":null}"#);
    check(v1::Decision::Fallback, None, r#","response":null}"#);
    check(v1::Decision::Fallback, Some(b"{\"a\": 1}"), r#","response":{"a": 1}}"#);
    check(
        v1::Decision::Repaired,
        Some(b"\"<tool_call>\""),
        r#","response":"<tool_call>"}"#,
    );
    check(
        v1::Decision::Repaired,
        Some(b"data: x\n\n"),
        r#","response_text":"data: x\n\n"}"#,
    );
}
