//! Checks over gRPC: answers, refusals, streams, sessions, toolsets.

#![expect(clippy::unwrap_used, reason = "what a test needs and does not get ends it")]

mod support;

use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use serde_json::json;
use support::{Reply, ScriptedJudge, Service, candidate, check, check_result, reason, weather, with_policy};
use tokio_stream::{StreamExt, iter, wrappers::ReceiverStream};
use tonic::Code;
use toolward_proto::v1::{
    ArgumentsEcho, Candidate, CheckOptions, CheckRequest, CheckResponse, Decision, RegisterToolsRequest, RunMode,
    check_request::Tools,
};
use toolward_server::config::Config;

async fn one(service: &Service, request: CheckRequest) -> CheckResponse {
    service.defense().await.check(request).await.unwrap().into_inner()
}

#[tokio::test]
async fn a_valid_call_passes_byte_for_byte() {
    let service = Service::start(Config::default()).await;
    let arguments = r#"{ "city" : "Oslo" }"#;
    let answer = one(&service, check("r-1", arguments)).await;
    assert_eq!(
        (answer.request_id.as_str(), answer.decision(), answer.enforced),
        ("r-1", Decision::Pass, true)
    );
    let call = answer.calls.first().unwrap();
    assert_eq!((call.id.as_str(), call.name.as_str()), ("call_1", "get_weather"));
    assert_eq!(call.arguments_json.as_deref(), Some(arguments.as_bytes()));
    assert!(!answer.decision_id.is_empty() && !answer.policy_revision.is_empty());
    assert_eq!(
        service
            .metric("toolward_decisions_total{decision=\"pass\",mode=\"enforce\"}")
            .await,
        1.0
    );
    assert_eq!(
        service
            .metric("toolward_calls_total{decision=\"pass\",format=\"openai_chat\"}")
            .await,
        1.0
    );
    assert_eq!(service.metric("toolward_in_flight_checks").await, 0.0);
}

#[tokio::test]
async fn a_rejected_call_carries_no_arguments_and_a_correction() {
    let service = Service::start(Config::default()).await;
    let answer = one(&service, check("1", "{}")).await;
    assert_eq!(answer.decision(), Decision::Retry);
    let call = answer.calls.first().unwrap();
    assert_eq!((call.decision(), call.arguments_json.as_ref()), (Decision::Retry, None));
    assert!(call.findings.iter().any(|finding| finding.code == "missing_required"));
    let retry = answer.retry.unwrap();
    assert_eq!(retry.attempt, 1);
    assert!(retry.feedback_text.contains("city") && !retry.feedback_json.is_empty());
    assert_eq!(service.metric("toolward_retries_total").await, 1.0);
    let series = "toolward_findings_total{layer=\"schema\",code=\"missing_required\",enforced=\"true\"}";
    assert_eq!(service.metric(series).await, 1.0);
}

#[tokio::test]
async fn shadow_mode_passes_and_says_what_would_hold() {
    let service = Service::start(Config::default()).await;
    let options = CheckOptions {
        mode: RunMode::Shadow.into(),
        ..CheckOptions::default()
    };
    let answer = one(
        &service,
        CheckRequest {
            options: Some(options),
            ..check("1", "{}")
        },
    )
    .await;
    assert_eq!(
        (answer.decision(), answer.enforced, answer.would_decide()),
        (Decision::Pass, false, Decision::Retry)
    );
    assert_eq!(
        service
            .metric("toolward_decisions_total{decision=\"retry\",mode=\"shadow\"}")
            .await,
        1.0
    );
    assert_eq!(service.metric("toolward_retries_total").await, 0.0);
}

#[tokio::test]
async fn the_answer_to_a_clean_pass_is_small_where_only_changes_are_asked_for() {
    let service = Service::start(Config::default()).await;
    let options = CheckOptions {
        arguments: ArgumentsEcho::Changed.into(),
        ..CheckOptions::default()
    };
    let arguments = json!({"city": "Oslo ".repeat(100)}).to_string();
    let answer = one(
        &service,
        CheckRequest {
            options: Some(options),
            ..check("1", &arguments)
        },
    )
    .await;
    assert_eq!(answer.decision(), Decision::Pass);
    assert_eq!(answer.calls.first().unwrap().arguments_json, None);
    // From 256 bytes on HTTP/2 writes twice.
    assert!(answer.encoded_len() < 250, "{} bytes: {answer:?}", answer.encoded_len());
}

#[tokio::test]
async fn what_cannot_be_judged_is_an_error_with_its_reason() {
    let service = Service::start(Config::default()).await;
    let base = || check("1", r#"{"city":"Oslo"}"#);
    let tools = |json: &'static [u8]| Some(Tools::ToolsJson(Bytes::from_static(json)));
    let options = |options| Some(options);
    let layers = CheckOptions {
        layers: vec![9],
        ..CheckOptions::default()
    };
    let cases: Vec<(CheckRequest, Code, &str)> = vec![
        (
            CheckRequest {
                tools: tools(b"{\"a\":"),
                ..base()
            },
            Code::InvalidArgument,
            "TOOLS_INVALID",
        ),
        (
            CheckRequest {
                tool_choice_json: Some(Bytes::from_static(b"7")),
                ..base()
            },
            Code::InvalidArgument,
            "TOOL_CHOICE_INVALID",
        ),
        (
            CheckRequest {
                now: Some("yesterday".into()),
                ..base()
            },
            Code::InvalidArgument,
            "NOW_INVALID",
        ),
        (
            CheckRequest {
                policy: Some("nobody's".into()),
                ..base()
            },
            Code::InvalidArgument,
            "POLICY_UNKNOWN",
        ),
        (
            CheckRequest {
                options: options(layers),
                ..base()
            },
            Code::InvalidArgument,
            "OPTIONS_INVALID",
        ),
        (
            CheckRequest {
                candidate: None,
                ..base()
            },
            Code::InvalidArgument,
            "REQUEST_EMPTY",
        ),
        (
            CheckRequest {
                session_id: Some("s".repeat(300)),
                ..base()
            },
            Code::InvalidArgument,
            "SESSION_INVALID",
        ),
        (
            CheckRequest {
                tools: Some(Tools::ToolsetRef("ts_0".into())),
                ..base()
            },
            Code::NotFound,
            "TOOLSET_UNKNOWN",
        ),
    ];
    let mut defense = service.defense().await;
    for (request, code, expected) in cases {
        let status = defense.check(request).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (code, expected),
            "{status:?}"
        );
        assert_eq!(
            service
                .metric(&format!("toolward_refusals_total{{reason=\"{expected}\"}}"))
                .await,
            1.0
        );
    }
}

#[tokio::test]
async fn fifty_megabytes_are_refused_and_the_connection_lives() {
    let service = Service::start(Config::default()).await;
    let mut defense = service.defense().await;
    let body = toolward_proto::v1::candidate::Body::ResponseJson(vec![b' '; 50 << 20].into());
    let huge = CheckRequest {
        candidate: Some(Candidate {
            body: Some(body),
            ..Candidate::default()
        }),
        ..check("1", "{}")
    };
    let status = defense.check(huge.clone()).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::ResourceExhausted, "BODY_TOO_LARGE")
    );
    let mut answers = defense.check_stream(iter([huge])).await.unwrap().into_inner();
    let status = answers.next().await.unwrap().unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::ResourceExhausted, "BODY_TOO_LARGE")
    );
    assert_eq!(
        one(&service, check("2", r#"{"city":"Oslo"}"#)).await.decision(),
        Decision::Pass
    );
    assert_eq!(
        service
            .metric("toolward_refusals_total{reason=\"BODY_TOO_LARGE\"}")
            .await,
        2.0
    );
}

#[tokio::test]
async fn a_registered_toolset_is_named_by_its_content() {
    let service = Service::start(Config::default()).await;
    let mut tools = service.tools().await;
    let register = || RegisterToolsRequest { tools_json: weather() };
    let first = tools.register_tools(register()).await.unwrap().into_inner();
    let second = tools.register_tools(register()).await.unwrap().into_inner();
    assert_eq!((first.tool_count, &first.toolset_ref), (1, &second.toolset_ref));
    assert!(first.diagnostics.is_empty(), "{:?}", first.diagnostics);
    let request = CheckRequest {
        tools: Some(Tools::ToolsetRef(first.toolset_ref.clone())),
        ..check("1", r#"{"city":"Oslo"}"#)
    };
    let answer = one(&service, request).await;
    assert_eq!(
        (answer.decision(), &answer.toolset_ref),
        (Decision::Pass, &first.toolset_ref)
    );
    assert_eq!(
        service.metric("toolward_toolset_cache_total{result=\"miss\"}").await,
        1.0
    );
    assert_eq!(
        service.metric("toolward_toolset_cache_total{result=\"hit\"}").await,
        2.0
    );
}

#[tokio::test]
async fn ten_thousand_tools_are_registered_and_one_is_called() {
    let service = Service::start(Config::default()).await;
    let tools: Vec<_> = (0..10_000)
        .map(|number| {
            let schema = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}});
            json!({"name": format!("read_record_{number}"), "description": "Reads a record", "parameters": schema})
        })
        .collect();
    let request = RegisterToolsRequest {
        tools_json: json!(tools).to_string().into(),
    };
    let registered = service
        .tools()
        .await
        .register_tools(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(registered.tool_count, 10_000);
    let function = json!({"name": "read_record_9999", "arguments": "{\"id\": 7}"});
    let message = json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]});
    let body = toolward_proto::v1::candidate::Body::ResponseJson(message.to_string().into());
    let request = CheckRequest {
        tools: Some(Tools::ToolsetRef(registered.toolset_ref)),
        candidate: Some(Candidate {
            body: Some(body),
            ..Candidate::default()
        }),
        ..CheckRequest::default()
    };
    assert_eq!(one(&service, request).await.decision(), Decision::Pass);
}

#[tokio::test]
async fn a_stream_answers_every_request_and_goes_on_after_an_error() {
    let service = Service::start(Config::default()).await;
    let requests = vec![
        check("good", r#"{"city":"Oslo"}"#),
        CheckRequest {
            policy: Some("nobody's".into()),
            ..check("refused", "{}")
        },
        check("bad", "{}"),
    ];
    let answers = service
        .defense()
        .await
        .check_stream(iter(requests))
        .await
        .unwrap()
        .into_inner();
    let answers: Vec<CheckResponse> = answers.map(Result::unwrap).collect().await;
    let find = |id: &str| answers.iter().find(|answer| answer.request_id == id).unwrap();
    assert_eq!(answers.len(), 3);
    assert_eq!(find("good").decision(), Decision::Pass);
    assert_eq!(find("bad").decision(), Decision::Retry);
    let refused = find("refused");
    assert_eq!(
        (refused.decision(), refused.error.as_ref().unwrap().reason.as_str()),
        (Decision::Unspecified, "POLICY_UNKNOWN")
    );
}

#[tokio::test]
async fn a_stream_answers_as_checks_finish() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    config.judge.timeout_ms = 9_000;
    let service = Service::start(config).await;
    let (requests, receiver) = tokio::sync::mpsc::channel(8);
    requests
        .send(check_result("slow", "4 degrees and rain in Oslo"))
        .await
        .unwrap();
    let mut answers = service
        .defense()
        .await
        .check_stream(ReceiverStream::new(receiver))
        .await
        .unwrap()
        .into_inner();
    judge.arrived(1).await;
    requests.send(check("quick", r#"{"city":"Oslo"}"#)).await.unwrap();
    assert_eq!(answers.next().await.unwrap().unwrap().request_id, "quick");
    judge.release(1);
    assert_eq!(answers.next().await.unwrap().unwrap().request_id, "slow");
    drop(requests);
    assert!(answers.next().await.is_none());
}

#[tokio::test]
async fn a_stream_reads_no_further_than_its_limit() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    (config.judge.timeout_ms, config.limits.max_stream_in_flight) = (9_000, 2);
    let service = Service::start(config).await;
    let requests = ["a", "b", "c"].map(|id| check_result(id, &format!("{id} degrees in Oslo")));
    let answers = service
        .defense()
        .await
        .check_stream(iter(requests))
        .await
        .unwrap()
        .into_inner();
    judge.arrived(2).await;
    assert_eq!(service.metric("toolward_in_flight_checks").await, 2.0);
    judge.release(3);
    let answers: Vec<_> = answers.map(Result::unwrap).collect().await;
    assert_eq!(answers.len(), 3);
    assert_eq!(judge.asked(), 3);
}

#[tokio::test]
async fn requests_of_one_session_are_judged_in_order() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    config.judge.timeout_ms = 9_000;
    let service = Service::start(config).await;
    let in_session = |request: CheckRequest| CheckRequest {
        session_id: Some("s".into()),
        ..request
    };
    // A call, then its result (which waits for the judge), then the next call: it must not overtake.
    let result = CheckRequest {
        conversation: None,
        tools: None,
        ..check_result("2", "4 degrees and rain in Oslo")
    };
    let next = CheckRequest {
        tools: None,
        candidate: Some(candidate("call_2", r#"{"city":"Bergen"}"#)),
        ..check("3", "")
    };
    let requests = vec![
        in_session(check("1", r#"{"city":"Oslo"}"#)),
        in_session(result),
        in_session(next),
        check("4", r#"{"city":"Oslo"}"#),
    ];
    let mut answers = service
        .defense()
        .await
        .check_stream(iter(requests))
        .await
        .unwrap()
        .into_inner();
    judge.arrived(1).await;
    let mut order = Vec::new();
    for _ in 0..2 {
        order.push(answers.next().await.unwrap().unwrap().request_id);
    }
    assert_eq!(order, ["1", "4"]);
    judge.release(1);
    let rest: Vec<CheckResponse> = answers.map(Result::unwrap).collect().await;
    let ids: Vec<&str> = rest.iter().map(|answer| answer.request_id.as_str()).collect();
    assert_eq!(ids, ["2", "3"]);
    assert_eq!(rest.last().unwrap().decision(), Decision::Pass);
    assert_eq!(service.metric("toolward_sessions").await, 1.0);
}

#[tokio::test]
async fn a_session_remembers_its_tools_and_no_other_tenants() {
    let service = Service::start(Config::default()).await;
    let of = |tenant: &str, request: CheckRequest| CheckRequest {
        session_id: Some("s".into()),
        tenant: Some(tenant.into()),
        ..request
    };
    assert_eq!(
        one(&service, of("a", check("1", r#"{"city":"Oslo"}"#)))
            .await
            .decision(),
        Decision::Pass
    );
    let later = CheckRequest {
        tools: None,
        ..check("2", r#"{"city":"Bergen"}"#)
    };
    let known = one(&service, of("a", later.clone())).await;
    assert_eq!(known.decision(), Decision::Pass);
    let foreign = one(&service, of("b", later)).await;
    assert_ne!(foreign.decision(), Decision::Pass);
    assert!(foreign.toolset_ref.is_empty());
}

#[tokio::test]
async fn more_than_the_service_carries_is_refused_at_once() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    (config.limits.max_in_flight, config.judge.timeout_ms) = (1, 9_000);
    let service = Service::start(config).await;
    let (mut held, mut other) = (service.defense().await, service.defense().await);
    let first = held.check(check_result("1", "4 degrees and rain in Oslo"));
    let (first, ()) = tokio::join!(first, async {
        judge.arrived(1).await;
        let status = other.check(check("2", r#"{"city":"Oslo"}"#)).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::ResourceExhausted, "OVERLOADED")
        );
        let mut answers = other.check_stream(iter([check("3", "{}")])).await.unwrap().into_inner();
        assert_eq!(
            answers.next().await.unwrap().unwrap().error.unwrap().reason,
            "OVERLOADED"
        );
        judge.release(1);
    });
    assert!(first.is_ok());
    assert_eq!(
        one(&service, check("4", r#"{"city":"Oslo"}"#)).await.decision(),
        Decision::Pass
    );
}

#[tokio::test]
async fn a_wait_for_a_session_ends_at_the_callers_deadline() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    config.judge.timeout_ms = 9_000;
    let service = Service::start(config).await;
    let in_session = |request: CheckRequest| CheckRequest {
        session_id: Some("s".into()),
        ..request
    };
    let (mut held, mut other) = (service.defense().await, service.defense().await);
    held.check(in_session(check("0", r#"{"city":"Oslo"}"#))).await.unwrap();
    let first = held.check(in_session(check_result("1", "4 degrees and rain in Oslo")));
    let (first, ()) = tokio::join!(first, async {
        judge.arrived(1).await;
        let mut late = tonic::Request::new(in_session(check("2", r#"{"city":"Oslo"}"#)));
        late.set_timeout(Duration::from_millis(200));
        let status = other.check(late).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::DeadlineExceeded, "DEADLINE_EXCEEDED")
        );
        judge.release(1);
    });
    assert!(first.is_ok());
}

#[tokio::test]
async fn a_policy_is_chosen_by_its_name() {
    let (config, _folder) = with_policy(
        Config::default(),
        "lenient",
        "[codes.missing_required]\nmode = \"shadow\"\n",
    );
    let service = Service::start(config).await;
    assert_eq!(one(&service, check("1", "{}")).await.decision(), Decision::Retry);
    let lenient = one(
        &service,
        CheckRequest {
            policy: Some("lenient".into()),
            ..check("2", "{}")
        },
    )
    .await;
    assert_eq!(lenient.decision(), Decision::Pass);
    let series = "toolward_findings_total{layer=\"schema\",code=\"missing_required\",enforced=\"false\"}";
    assert_eq!(service.metric(series).await, 1.0);
}
