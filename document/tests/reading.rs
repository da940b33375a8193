//! What is read of a document, and how a faulty one is refused.

#![expect(clippy::expect_used, reason = "a test says what it expects")]

use serde_json::json;
use toolward_document::{Arguments, Candidate, Document, DocumentError, Format, Line, ResultBody, Tools};
use toolward_proto::v1::{self, candidate::Body, check_request::Tools as WireTools, tool_result};

fn request(text: &str) -> v1::CheckRequest {
    Document::from_slice(text.as_bytes())
        .expect("a document")
        .into_request()
        .expect("a request")
}

fn body(text: &str) -> Body {
    request(text).candidate.expect("a candidate").body.expect("a body")
}

#[test]
fn candidates() {
    let check = |text: &str, expect: Body| assert_eq!(body(text), expect, "{text}");
    check(
        r#"{"candidate": {"a" : 1.0,"a":2}}"#,
        Body::ResponseJson(r#"{"a" : 1.0,"a":2}"#.into()),
    );
    check(r#"{"candidate": [1 ,2]}"#, Body::ResponseJson("[1 ,2]".into()));
    check(r#"{"candidate": "he\u0301llo"}"#, Body::Text("he\u{301}llo".into()));
    check(
        r#"{"candidate": "\ud83d", "format": "text"}"#,
        Body::ResponseJson(r#""\ud83d""#.into()),
    );
    check(r#"{"candidate_b64": "/w=="}"#, Body::ResponseJson(vec![0xff].into()));
    check(r#"{"candidate_b64": "e30="}"#, Body::ResponseJson("{}".into()));
    check(
        r#"{"candidate": "data: {}\n\n", "format": "openai_sse"}"#,
        Body::Sse("data: {}\n\n".into()),
    );
    check(
        r#"{"candidate": [{}], "format": "openai_sse"}"#,
        Body::ResponseJson("[{}]".into()),
    );
    let call = |id: Option<&str>, arguments: &str| v1::ProposedCall {
        id: id.map(str::to_owned),
        name: "t".into(),
        arguments_json: arguments.to_owned().into(),
    };
    check(
        r#"{"candidate": {"calls": [{"name": "t", "arguments": {"n": 1e400}}, {"id": "c", "name": "t"},
            {"name": "t", "arguments_b64": "e2E6"}, {"name": "t", "arguments": "{\"a\":1}"}]}}"#,
        Body::Calls(v1::ProposedCalls {
            calls: vec![
                call(None, r#"{"n": 1e400}"#),
                call(Some("c"), ""),
                call(None, "{a:"),
                call(None, r#""{\"a\":1}""#),
            ],
        }),
    );
    // A model's own object that happens to hold `calls` among others is a response.
    let other = r#"{"calls":[],"model":"m"}"#;
    check(
        &format!(r#"{{"candidate": {other}}}"#),
        Body::ResponseJson(other.to_owned().into()),
    );
}

#[test]
fn everything_else() {
    let wire = request(
        r#"{"id":"a","tools":[ {"name":"t"} ],"intent":"i","messages":[{"role":"user"}],
            "history":[{"call":{"name":"t"},"t_ms":-5},{"call":{"name":"u"},"result":{"content":{"k":null}}}],
            "tool_choice":"required","parallel_tool_calls":false,"format":"gemini","candidate":{},
            "finish_reason":"stop","results":[{"content":"text"},{"content_json":"{\"bad"},{"call_id":"c","is_error":true}],
            "session_id":"s","tenant":"n","policy":"p","attempt":2,"now":"2026-01-01T00:00:00Z",
            "options":{"repair":"off","layers":["schema","cascade"],"mode":"shadow","explain":true,"arguments":"changed"}}"#,
    );
    assert_eq!(wire.tools, Some(WireTools::ToolsJson(r#"[ {"name":"t"} ]"#.into())));
    let conversation = wire.conversation.expect("a conversation");
    assert_eq!(conversation.messages_json.expect("messages"), r#"[{"role":"user"}]"#);
    assert_eq!(conversation.history.len(), 2);
    assert_eq!(conversation.history[0].t_ms, Some(-5));
    assert_eq!(wire.tool_choice_json.expect("a choice"), r#""required""#);
    assert_eq!(wire.candidate.expect("a candidate").format(), v1::WireFormat::Gemini);
    let bodies: Vec<_> = wire.results.into_iter().map(|result| result.body).collect();
    assert_eq!(
        bodies,
        [
            Some(tool_result::Body::Content("text".into())),
            Some(tool_result::Body::ContentJson(r#"{"bad"#.into())),
            None
        ]
    );
    let options = wire.options.expect("options");
    assert_eq!(options.layers, [v1::Layer::Schema as i32, v1::Layer::Cascade as i32]);
    assert_eq!(options.mode(), v1::RunMode::Shadow);
    assert_eq!(options.arguments(), v1::ArgumentsEcho::Changed);
    assert_eq!(wire.attempt, Some(2));
    assert_eq!(request("{}"), v1::CheckRequest::default());
    assert_eq!(
        request(r#"{"tools":null,"results":null,"options":null}"#),
        v1::CheckRequest::default()
    );
    assert_eq!(
        request(r#"{"tools":"set"}"#).tools,
        Some(WireTools::ToolsetRef("set".into()))
    );
}

#[test]
fn faults() {
    let check = |text: &str, reason: &str, message: &str| {
        let error = Document::from_slice(text.as_bytes()).expect_err(text);
        assert_eq!(error.reason, reason, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    };
    let invalid = DocumentError::INVALID;
    check("", DocumentError::NOT_JSON, "not JSON");
    check("{\"id\": \"a\"", DocumentError::NOT_JSON, "column");
    check("{} {}", DocumentError::NOT_JSON, "trailing");
    check("[]", invalid, "must be an object");
    check("7", invalid, "must be an object");
    check(r#"{"id": 7}"#, invalid, "`id` must be a string");
    check(r#"{"id": "\ud800"}"#, invalid, "`id` must be a string");
    check(r#"{"id":"a","id":"a"}"#, invalid, "`id` stands twice");
    check(r#"{"attempt":0}"#, invalid, "from 1");
    check(r#"{"attempt":-1}"#, invalid, "from 1");
    check(
        r#"{"sesion_id":"s"}"#,
        DocumentError::FIELD_UNKNOWN,
        "did you mean `session_id`?",
    );
    check(
        r#"{"Candidate":{}}"#,
        DocumentError::FIELD_UNKNOWN,
        "did you mean `candidate`?",
    );
    check(
        r#"{"wholly_different":1}"#,
        DocumentError::FIELD_UNKNOWN,
        "known are id, tools",
    );
    check(
        r#"{"options":{"repairs":"off"}}"#,
        DocumentError::FIELD_UNKNOWN,
        "`options.repairs`, did you mean `repair`",
    );
    check(
        r#"{"results":[{},{"contents":1}]}"#,
        DocumentError::FIELD_UNKNOWN,
        "`results[1].contents`",
    );
    check(r#"{"tools":{}}"#, DocumentError::TOOLS_INVALID, "array");
    check(r#"{"messages":{}}"#, DocumentError::MESSAGES_INVALID, "array");
    check(
        r#"{"history":{}}"#,
        DocumentError::HISTORY_INVALID,
        "`history` must be an array",
    );
    check(
        r#"{"history":[{"call":{}}]}"#,
        DocumentError::HISTORY_INVALID,
        "`history[0].call.name`",
    );
    check(
        r#"{"history":[{"result":{}}]}"#,
        DocumentError::HISTORY_INVALID,
        "`history[0].call`",
    );
    check(
        r#"{"history":[{"call":{"name":"t"},"t_ms":1.5}]}"#,
        DocumentError::HISTORY_INVALID,
        "t_ms",
    );
    check(
        r#"{"results":[3]}"#,
        DocumentError::RESULTS_INVALID,
        "results[0] must be an object",
    );
    check(
        r#"{"results":[{"content":"a","content_json":"b"}]}"#,
        DocumentError::RESULTS_INVALID,
        "only one",
    );
    check(
        r#"{"results":[{"content_json":{}}]}"#,
        DocumentError::RESULTS_INVALID,
        "JSON text",
    );
    check(r#"{"candidate":7}"#, DocumentError::CANDIDATE_INVALID, "object");
    check(
        r#"{"candidate":{"calls":[{}]}}"#,
        DocumentError::CANDIDATE_INVALID,
        "`candidate.calls[0].name`",
    );
    check(
        r#"{"candidate":"","candidate_b64":""}"#,
        DocumentError::CANDIDATE_INVALID,
        "exclude",
    );
    check(r#"{"candidate_b64":"%"}"#, DocumentError::CANDIDATE_INVALID, "base64");
    check(r#"{"format":"openai"}"#, DocumentError::FORMAT_UNKNOWN, "openai_chat");
    check(
        r#"{"format":"anthropic_sse"}"#,
        DocumentError::FORMAT_UNKNOWN,
        "did you mean anthropic?",
    );
    check(
        r#"{"format":"conol"}"#,
        DocumentError::FORMAT_UNKNOWN,
        "must be one of auto, openai_chat",
    );
    check(r#"{"format":1}"#, DocumentError::FORMAT_UNKNOWN, "must be one of");
    check(
        r#"{"options":{"layers":["schemas"]}}"#,
        DocumentError::OPTIONS_INVALID,
        "did you mean schema?",
    );
    check(
        r#"{"options":[]}"#,
        DocumentError::OPTIONS_INVALID,
        "options must be an object",
    );
    check(
        r#"{"options":{"explain":"yes"}}"#,
        DocumentError::OPTIONS_INVALID,
        "`options.explain`",
    );
    let error = Document::from_slice(b"{\"candidate\":\"\xff\"}").expect_err("not UTF-8");
    assert_eq!(
        (error.reason, error.message.contains("candidate_b64")),
        (DocumentError::NOT_JSON, true)
    );
}

#[test]
fn lines() {
    assert!(matches!(Line::read(br#"{"id":"a"}"#), Line::Document(document) if document.id.as_deref() == Some("a")));
    match Line::read(br#"{"toolset":"s","tools":[ ]}"#) {
        Line::Toolset { name, tools } => assert_eq!((name.as_str(), tools.get()), ("s", "[ ]")),
        other => panic!("{other:?}"),
    }
    let check = |text: &str, expect_id: Option<&str>, reason: &str| match Line::read(text.as_bytes()) {
        Line::Invalid { id, error } => assert_eq!((id.as_deref(), error.reason), (expect_id, reason), "{text}"),
        other => panic!("{text}: {other:?}"),
    };
    check("nope", None, DocumentError::NOT_JSON);
    check(r#"{"id":"a","candidat":{}}"#, Some("a"), DocumentError::FIELD_UNKNOWN);
    check(r#"{"format":"x","id":"a"}"#, Some("a"), DocumentError::FORMAT_UNKNOWN);
    check(r#"{"toolset":"s"}"#, None, DocumentError::TOOLS_INVALID);
    check(r#"{"toolset":null,"tools":[]}"#, None, DocumentError::INVALID);
    check(r#"{"toolset":7,"tools":[]}"#, None, DocumentError::INVALID);
    check(
        r#"{"toolset":"s","tools":[],"intent":"i"}"#,
        None,
        DocumentError::FIELD_UNKNOWN,
    );
}

#[test]
fn a_deep_candidate_stays_text() {
    let deep = "[".repeat(200_000) + &"]".repeat(200_000);
    let document = Document::from_slice(format!(r#"{{"candidate":{deep}}}"#).as_bytes()).expect("a document");
    assert!(matches!(document.candidate, Some(Candidate::Json(json)) if json.get() == deep));
}

#[test]
fn requests_that_no_document_can_say() {
    let check = |request: v1::CheckRequest, reason: &str| {
        assert_eq!(Document::from_request(&request).expect_err(reason).reason, reason);
    };
    let candidate = |candidate: v1::Candidate| v1::CheckRequest {
        candidate: Some(candidate),
        ..Default::default()
    };
    check(
        candidate(v1::Candidate {
            format: 5,
            ..Default::default()
        }),
        DocumentError::FORMAT_UNKNOWN,
    );
    check(
        candidate(v1::Candidate {
            format: v1::WireFormat::Anthropic as i32,
            body: Some(Body::Sse("data".into())),
            ..Default::default()
        }),
        DocumentError::CANDIDATE_INVALID,
    );
    check(
        v1::CheckRequest {
            tools: Some(WireTools::ToolsJson("{".into())),
            ..Default::default()
        },
        DocumentError::TOOLS_INVALID,
    );
    check(
        v1::CheckRequest {
            conversation: Some(v1::Conversation {
                history: vec![v1::Step::default()],
                ..Default::default()
            }),
            ..Default::default()
        },
        DocumentError::HISTORY_INVALID,
    );
    check(
        v1::CheckRequest {
            options: Some(v1::CheckOptions {
                layers: vec![9],
                ..Default::default()
            }),
            ..Default::default()
        },
        DocumentError::OPTIONS_INVALID,
    );
}

#[test]
fn what_a_request_may_say_in_another_way() {
    let read = |candidate: v1::Candidate| {
        let request = v1::CheckRequest {
            candidate: Some(candidate),
            ..Default::default()
        };
        let document = Document::from_request(&request).expect("a document");
        (document.candidate, document.format)
    };
    let stream = read(v1::Candidate {
        body: Some(Body::Sse("data: x\n\n".into())),
        ..Default::default()
    });
    assert_eq!(
        stream,
        (Some(Candidate::Text("data: x\n\n".into())), Some(Format::OpenaiSse))
    );
    let text_as_json = read(v1::Candidate {
        body: Some(Body::ResponseJson(r#""text""#.into())),
        ..Default::default()
    });
    assert_eq!(text_as_json, (Some(Candidate::Bytes(r#""text""#.into())), None));
    let only_format = read(v1::Candidate {
        format: v1::WireFormat::Mcp as i32,
        ..Default::default()
    });
    assert_eq!(only_format, (None, Some(Format::Mcp)));
    let request = v1::CheckRequest {
        results: vec![v1::ToolResult {
            body: Some(tool_result::Body::ContentValueJson("{broken".into())),
            ..Default::default()
        }],
        attempt: Some(0),
        tools: Some(WireTools::ToolsetRef("r".into())),
        ..Default::default()
    };
    let document = Document::from_request(&request).expect("a document");
    assert_eq!(document.results[0].body, ResultBody::Encoded("{broken".into()));
    assert_eq!(
        (document.attempt, document.tools),
        (None, Some(Tools::Named("r".into())))
    );
}

#[test]
fn a_document_is_also_a_serde_type() {
    let value = json!({"id": "a", "candidate": {"calls": [{"name": "t", "arguments": [1]}]}, "format": "auto"});
    let document: Document = serde_json::from_value(value.clone()).expect("a document");
    match &document.candidate {
        Some(Candidate::Calls(calls)) => {
            assert!(matches!(&calls[0].arguments, Arguments::Json(json) if json.get() == "[1]"))
        }
        other => panic!("{other:?}"),
    }
    let mut expect = value;
    expect.as_object_mut().expect("an object").remove("format");
    assert_eq!(serde_json::to_value(&document).expect("JSON"), expect);
}
