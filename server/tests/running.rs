//! Start and stop: ports, health, reflection, draining.

mod support;

use std::time::Duration;

use support::{Reply, ScriptedJudge, Service, check, check_result, reason};
use tokio_stream::StreamExt;
use tonic::{Code, Request};
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};
use toolward_proto::v1::Decision;
use toolward_server::{Listeners, config::Config};

fn health(service: &str) -> HealthCheckRequest {
    HealthCheckRequest {
        service: service.to_owned(),
    }
}

#[tokio::test]
async fn a_port_in_use_is_told_with_its_key() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let mut config = Config::default();
    config.listen.grpc = "127.0.0.1:0".parse().unwrap();
    config.listen.http = address;
    let said = Listeners::bind(&config).await.unwrap_err().to_string();
    assert!(
        said.contains(&address.to_string()) && said.contains("listen.http"),
        "{said}"
    );
}

#[tokio::test]
async fn a_policy_that_cannot_be_used_stops_the_start() {
    let (config, _folder) = support::with_policy(Config::default(), "broken", "[layers.value]\nmode = \"sometimes\"\n");
    let service = Service::start(config).await;
    let said = service.stop().await.unwrap().unwrap_err().to_string();
    assert!(
        said.contains("layers.value.mode") && said.contains("policy.toml"),
        "{said}"
    );
}

#[tokio::test]
async fn a_key_file_that_is_missing_stops_the_start() {
    let mut config = support::judged_by("http://127.0.0.1:9/v1");
    if let toolward_server::config::JudgeBackend::OpenAi { api_key_file, .. } = &mut config.judge.backend {
        *api_key_file = Some("/nowhere/key".into());
    }
    let said = Service::start(config)
        .await
        .stop()
        .await
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("judge.api_key_file") && said.contains("/nowhere/key"),
        "{said}"
    );
}

#[tokio::test]
async fn health_is_told_for_each_service() {
    let service = Service::start(Config::default()).await;
    let mut client = HealthClient::new(service.channel().await);
    for name in ["toolward.v1.DefenseService", "toolward.v1.ToolService", ""] {
        let answer = client.check(health(name)).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{name}");
    }
    assert_eq!(
        client.check(health("nobody's")).await.unwrap_err().code(),
        Code::NotFound
    );
}

#[tokio::test]
async fn reflection_lists_the_services() {
    let service = Service::start(Config::default()).await;
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(service.channel().await);
    let mut answers = client
        .server_reflection_info(tokio_stream::iter([request]))
        .await
        .unwrap()
        .into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response.unwrap();
    let MessageResponse::ListServicesResponse(list) = answer else {
        panic!("{answer:?}")
    };
    let names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    for name in ["toolward.v1.DefenseService", "toolward.v1.ToolService"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[tokio::test]
async fn what_is_in_flight_is_answered_and_streams_are_sent_elsewhere() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    config.judge.timeout_ms = 9_000;
    let service = Service::start(config).await;
    let mut watch = HealthClient::new(service.channel().await);
    let mut watched = watch
        .watch(health("toolward.v1.DefenseService"))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(watched.next().await.unwrap().unwrap().status(), ServingStatus::Serving);
    let (requests, receiver) = tokio::sync::mpsc::channel(8);
    requests
        .send(check_result("1", "4 degrees and rain in Oslo"))
        .await
        .unwrap();
    let stream = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let mut answers = service.defense().await.check_stream(stream).await.unwrap().into_inner();
    judge.arrived(1).await;
    let running = service.stop();
    assert_eq!(
        watched.next().await.unwrap().unwrap().status(),
        ServingStatus::NotServing
    );
    drop((watched, watch));
    judge.release(1);
    assert_eq!(answers.next().await.unwrap().unwrap().request_id, "1");
    let end = answers.next().await.unwrap().unwrap_err();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "DRAINING"));
    drop((answers, requests));
    assert!(running.await.unwrap().is_ok());
}

#[tokio::test]
async fn draining_ends_when_its_time_is_up() {
    let judge = ScriptedJudge::start(vec![Reply::Held]).await;
    let mut config = judge.config();
    (config.judge.timeout_ms, config.limits.drain_ms) = (9_000, 50);
    let service = Service::start(config).await;
    let mut defense = service.defense().await;
    let held = tokio::spawn(async move { defense.check(check_result("1", "4 degrees and rain in Oslo")).await });
    judge.arrived(1).await;
    assert!(service.stop().await.unwrap().is_ok());
    let status = held.await.unwrap().unwrap_err();
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::Unavailable, "DRAINING")
    );
}

#[tokio::test]
async fn several_services_run_in_one_process() {
    let (one, two) = (
        Service::start(Config::default()).await,
        Service::start(Config::default()).await,
    );
    let mut request = Request::new(check("1", r#"{"city":"Oslo"}"#));
    request.set_timeout(Duration::from_secs(5));
    assert_eq!(
        one.defense()
            .await
            .check(request)
            .await
            .unwrap()
            .into_inner()
            .decision(),
        Decision::Pass
    );
    let series = "toolward_decisions_total{decision=\"pass\",mode=\"enforce\"}";
    assert_eq!((one.metric(series).await, two.metric(series).await), (1.0, 0.0));
}
