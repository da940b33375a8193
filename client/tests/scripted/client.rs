//! The typed client against a scripted service.

use std::time::Duration;

use crate::support::Scripted;
use tokio::runtime::Runtime;
use toolward_client::{Client, ClientConfig, ClientError, v1};

fn request(intent: &str) -> v1::CheckRequest {
    v1::CheckRequest {
        request_id: Some(intent.to_owned()),
        conversation: Some(v1::Conversation {
            intent: Some(intent.to_owned()),
            ..v1::Conversation::default()
        }),
        ..v1::CheckRequest::default()
    }
}

fn check(
    service: &Scripted,
    config: ClientConfig,
    request: v1::CheckRequest,
) -> Result<v1::CheckResponse, ClientError> {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let client = Client::connect(service.endpoint.as_str(), config).await?;
        client.check(request).await
    })
}

fn quick() -> ClientConfig {
    ClientConfig {
        backoff: Duration::from_millis(1),
        ..ClientConfig::default()
    }
}

#[test]
fn only_unavailable_is_tried_again() {
    let service = Scripted::start();
    let attempts = |intent: &str| {
        service.seen(|seen| {
            seen.checks
                .iter()
                .filter(|check| check.request_id.as_deref() == Some(intent))
                .count()
        })
    };
    assert!(check(&service, quick(), request("down once")).is_ok());
    assert_eq!(attempts("down once"), 2);
    let refused = check(&service, quick(), request("down")).expect_err("down");
    assert_eq!((refused.reason(), attempts("down")), ("DRAINING", 4));
    let refused = check(&service, quick(), request("invalid")).expect_err("invalid");
    assert_eq!((refused.reason(), attempts("invalid")), ("MESSAGES_INVALID", 1));
    assert_eq!(refused.to_string(), "refused: MESSAGES_INVALID");
    assert!(matches!(
        refused,
        ClientError::Refused {
            code: tonic::Code::InvalidArgument,
            ..
        }
    ));
    let refused = check(&service, quick(), request("no reason")).expect_err("internal");
    assert_eq!(refused.reason(), "INTERNAL");
}

#[test]
fn the_deadline_holds_and_is_told() {
    let service = Scripted::start();
    let config = ClientConfig {
        deadline: Duration::from_millis(200),
        ..ClientConfig::default()
    };
    let late = check(&service, config, request("hang")).expect_err("late");
    assert_eq!(
        (late.reason(), late.to_string().as_str()),
        ("DEADLINE_EXCEEDED", "no answer within 200 ms")
    );
    service.seen(|seen| assert!(seen.timeouts.iter().all(Option::is_some), "{:?}", seen.timeouts));
    // Waiting longer than the deadline leaves is no use: the refusal is told at once.
    let config = ClientConfig {
        deadline: Duration::from_secs(5),
        backoff: Duration::from_secs(60),
        max_backoff: Duration::from_secs(60),
        ..ClientConfig::default()
    };
    assert_eq!(
        check(&service, config, request("down")).expect_err("down").reason(),
        "DRAINING"
    );
}

#[test]
fn messages_may_be_large() {
    let service = Scripted::start();
    let mut large = request("pass");
    large.request_id = Some("x".repeat(6 << 20));
    let answer = check(&service, ClientConfig::default(), large).expect("an answer");
    assert_eq!(answer.request_id.len(), 6 << 20);
}
