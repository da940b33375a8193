//! The HTTP port: documents, refusals in the same shape, health.

#![expect(clippy::unwrap_used, reason = "what a test needs and does not get ends it")]

mod support;

use reqwest::{StatusCode, header::CONTENT_TYPE};
use serde_json::{Value, json};
use support::{Service, client};
use toolward_server::config::Config;

async fn post(service: &Service, body: impl Into<reqwest::Body>) -> (StatusCode, Value) {
    let answer = client().post(service.url("/v1/check")).body(body).send().await.unwrap();
    assert_eq!(answer.headers().get(CONTENT_TYPE).unwrap(), "application/json");
    (
        answer.status(),
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap(),
    )
}

fn document(arguments: &str) -> Value {
    let tool: Value = serde_json::from_slice(&support::weather()).unwrap();
    let function = json!({"name": "get_weather", "arguments": arguments});
    let calls = json!([{"id": "call_1", "type": "function", "function": function}]);
    json!({"id": "d-1", "tools": tool, "intent": "What is the weather in Oslo?",
        "candidate": {"role": "assistant", "content": null, "tool_calls": calls}})
}

#[tokio::test]
async fn a_document_is_judged() {
    let service = Service::start(Config::default()).await;
    let (status, answer) = post(&service, document(r#"{"city":"Oslo"}"#).to_string()).await;
    assert_eq!(
        (status, &answer["id"], &answer["decision"]),
        (StatusCode::OK, &json!("d-1"), &json!("pass"))
    );
    let (status, answer) = post(&service, document("{}").to_string()).await;
    assert_eq!((status, &answer["decision"]), (StatusCode::OK, &json!("retry")));
    assert_eq!(answer["calls"][0]["findings"][0]["code"], "missing_required");
}

#[tokio::test]
async fn what_cannot_be_judged_is_told_in_the_shape_of_an_answer() {
    let service = Service::start(Config::default()).await;
    let unknown = json!({"id": "d-2", "candidates": []}).to_string();
    let policy = {
        let mut document = document("{}");
        document["policy"] = json!("nobody's");
        document.to_string()
    };
    for (body, status, reason) in [
        ("{\"id\": ".to_owned(), 400, "DOCUMENT_NOT_JSON"),
        ("[1]".to_owned(), 400, "DOCUMENT_INVALID"),
        (unknown, 400, "FIELD_UNKNOWN"),
        (policy, 400, "POLICY_UNKNOWN"),
        ("{}".to_owned(), 400, "REQUEST_EMPTY"),
    ] {
        let (got, answer) = post(&service, body).await;
        assert_eq!(
            (got.as_u16(), &answer["decision"], &answer["error"]["reason"]),
            (status, &json!("error"), &json!(reason))
        );
        assert_eq!(
            service
                .metric(&format!("toolward_refusals_total{{reason=\"{reason}\"}}"))
                .await,
            1.0
        );
    }
}

#[tokio::test]
async fn fifty_megabytes_are_refused_with_an_answer_that_arrives() {
    let service = Service::start(Config::default()).await;
    let (status, answer) = post(&service, vec![b'x'; 50 << 20]).await;
    assert_eq!(
        (status, &answer["error"]["reason"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("BODY_TOO_LARGE"))
    );
    let chunks = (0..50).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1 << 20]));
    let (status, answer) = post(&service, reqwest::Body::wrap_stream(tokio_stream::iter(chunks))).await;
    assert_eq!(
        (status, &answer["error"]["reason"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("BODY_TOO_LARGE"))
    );
    assert_eq!(
        post(&service, document(r#"{"city":"Oslo"}"#).to_string()).await.0,
        StatusCode::OK
    );
}

#[tokio::test]
async fn other_paths_and_methods_are_told() {
    let service = Service::start(Config::default()).await;
    for request in [
        client().get(service.url("/v1/check")),
        client().get(service.url("/etc/passwd")),
    ] {
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
        let answer: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        assert_eq!(answer["error"]["reason"], "PATH_UNKNOWN");
    }
}

#[tokio::test]
async fn health_and_readiness() {
    let service = Service::start(Config::default()).await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(
            client().get(service.url(path)).send().await.unwrap().status(),
            StatusCode::OK
        );
    }
}
