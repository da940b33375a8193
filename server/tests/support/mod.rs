//! A real service on ports of its own, and a judge that answers as the test says.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses a part")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a test needs and does not get ends it"
)]

use std::{
    collections::VecDeque,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, oneshot},
    task::JoinHandle,
};
use tonic::{Status, transport::Channel};
use tonic_types::StatusExt;
use toolward_proto::v1::{
    Candidate, CheckRequest, Conversation, ProposedCall, Step, ToolResult, candidate, check_request::Tools,
    defense_service_client::DefenseServiceClient, tool_result, tool_service_client::ToolServiceClient,
};
use toolward_server::{
    Listeners, RunError,
    config::{Config, JudgeBackend},
    run,
};

/// A service that runs.
pub struct Service {
    pub grpc: SocketAddr,
    pub http: SocketAddr,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Result<(), RunError>>,
}

impl Service {
    pub async fn start(config: Config) -> Self {
        let grpc = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let http = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (grpc_address, http_address) = (grpc.local_addr().unwrap(), http.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(run(config, Listeners { grpc, http }, stopped));
        Self {
            grpc: grpc_address,
            http: http_address,
            stop,
            running,
        }
    }

    pub async fn channel(&self) -> Channel {
        Channel::from_shared(format!("http://{}", self.grpc))
            .unwrap()
            .connect()
            .await
            .unwrap()
    }

    pub async fn defense(&self) -> DefenseServiceClient<Channel> {
        DefenseServiceClient::new(self.channel().await).max_encoding_message_size(1 << 30)
    }

    pub async fn tools(&self) -> ToolServiceClient<Channel> {
        ToolServiceClient::new(self.channel().await)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http)
    }

    pub async fn metrics(&self) -> String {
        client()
            .get(self.url("/metrics"))
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
    }

    /// The value of one series.
    pub async fn metric(&self, series: &str) -> f64 {
        let text = self.metrics().await;
        let line = text.lines().find(|line| line.starts_with(&format!("{series} ")));
        line.unwrap_or_else(|| panic!("no series {series}"))
            .rsplit(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    }

    /// Asks it to stop; the answer is what `run` returns.
    pub fn stop(self) -> JoinHandle<Result<(), RunError>> {
        self.stop.send(()).unwrap();
        self.running
    }
}

/// An HTTP client; the service or another test may have installed the provider.
pub fn client() -> reqwest::Client {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// One answer of the scripted judge.
pub enum Reply {
    /// A chat completion that says this.
    Says(&'static str),
    /// The same, cut off by length.
    CutOff(&'static str),
    /// A status without more.
    Status(u16),
    /// 429 with a `retry-after` of so many seconds.
    RetryAfter(u32),
    /// Any text with status 200.
    Raw(String),
    /// None, until the test lets it.
    Held,
}

/// The authorization header and the body of one question.
pub type Asked = (Option<String>, Value);

#[derive(Clone)]
struct Script {
    replies: Arc<Mutex<VecDeque<Reply>>>,
    asked: Arc<AtomicUsize>,
    arrived: Arc<Semaphore>,
    release: Arc<Semaphore>,
    seen: Arc<Mutex<Vec<Asked>>>,
}

/// A judge of the test's own, over real HTTP.
pub struct ScriptedJudge {
    pub address: SocketAddr,
    script: Script,
}

impl ScriptedJudge {
    /// The last reply is repeated for ever.
    pub async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Script {
            replies: Arc::new(Mutex::new(replies.into())),
            asked: Arc::default(),
            arrived: Arc::new(Semaphore::new(0)),
            release: Arc::new(Semaphore::new(0)),
            seen: Arc::default(),
        };
        let router = Router::new()
            .route("/v1/chat/completions", post(reply))
            .with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, script }
    }

    pub fn asked(&self) -> usize {
        self.script.asked.load(Ordering::SeqCst)
    }

    /// Waits until so many questions have arrived since the last wait.
    pub async fn arrived(&self, count: u32) {
        let waiting = tokio::time::timeout(
            std::time::Duration::from_secs(20),
            self.script.arrived.acquire_many(count),
        );
        waiting.await.expect("the judge was not asked").unwrap().forget();
    }

    /// Lets so many held questions be answered.
    pub fn release(&self, count: usize) {
        self.script.release.add_permits(count);
    }

    /// Each question as it came.
    pub fn seen(&self) -> Vec<Asked> {
        self.script.seen.lock().unwrap().clone()
    }

    /// A configuration that asks this judge.
    pub fn config(&self) -> Config {
        judged_by(&format!("http://{}/v1", self.address))
    }
}

/// A configuration whose judge is at this base URL.
pub fn judged_by(url: &str) -> Config {
    let mut config = Config::default();
    config.judge.backend = JudgeBackend::OpenAi {
        url: url.to_owned(),
        model: "small".to_owned(),
        api_key_file: None,
    };
    config
}

async fn reply(State(script): State<Script>, request: axum::extract::Request) -> Response {
    script.asked.fetch_add(1, Ordering::SeqCst);
    let key = request
        .headers()
        .get("authorization")
        .map(|value| value.to_str().unwrap().to_owned());
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
    script
        .seen
        .lock()
        .unwrap()
        .push((key, serde_json::from_slice(&body).unwrap()));
    script.arrived.add_permits(1);
    let next = {
        let mut replies = script.replies.lock().unwrap();
        if replies.len() > 1 {
            replies.pop_front().unwrap()
        } else {
            again(replies.front().unwrap())
        }
    };
    match next {
        Reply::Says(text) => completion(text, "stop"),
        Reply::CutOff(text) => completion(text, "length"),
        Reply::Status(code) => StatusCode::from_u16(code).unwrap().into_response(),
        Reply::RetryAfter(seconds) => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", seconds.to_string())]).into_response()
        }
        Reply::Raw(text) => Body::from(text).into_response(),
        Reply::Held => {
            script.release.acquire().await.unwrap().forget();
            completion("YES", "stop")
        }
    }
}

fn again(reply: &Reply) -> Reply {
    match reply {
        Reply::Says(text) => Reply::Says(text),
        Reply::CutOff(text) => Reply::CutOff(text),
        Reply::Status(code) => Reply::Status(*code),
        Reply::RetryAfter(seconds) => Reply::RetryAfter(*seconds),
        Reply::Raw(text) => Reply::Raw(text.clone()),
        Reply::Held => Reply::Held,
    }
}

fn completion(text: &str, finish: &str) -> Response {
    axum::Json(json!({
        "id": "c", "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 1, "total_tokens": 121},
    }))
    .into_response()
}

/// A policy file with this text, under a name, in a configuration.
pub fn with_policy(mut config: Config, name: &str, text: &str) -> (Config, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("policy.toml");
    std::fs::write(&path, text).unwrap();
    config.policy.named.insert(name.to_owned(), path);
    (config, folder)
}

/// One tool: weather at a city.
pub fn weather() -> Bytes {
    let schema = json!({"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}});
    let tool = json!({"name": "get_weather", "description": "Weather at a place", "parameters": schema});
    json!([{"type": "function", "function": tool}]).to_string().into()
}

/// An assistant message with one call of `get_weather`.
pub fn candidate(id: &str, arguments: &str) -> Candidate {
    let function = json!({"name": "get_weather", "arguments": arguments});
    let calls = json!([{"id": id, "type": "function", "function": function}]);
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    Candidate {
        body: Some(candidate::Body::ResponseJson(message.to_string().into())),
        ..Candidate::default()
    }
}

/// A check of one call.
pub fn check(request_id: &str, arguments: &str) -> CheckRequest {
    CheckRequest {
        request_id: Some(request_id.to_owned()),
        tools: Some(Tools::ToolsJson(weather())),
        conversation: Some(Conversation {
            intent: Some("What is the weather in Oslo?".to_owned()),
            ..Conversation::default()
        }),
        candidate: Some(candidate("call_1", arguments)),
        ..CheckRequest::default()
    }
}

/// A check of one result, which the judge is asked about. Another `text` is another question.
pub fn check_result(request_id: &str, text: &str) -> CheckRequest {
    let call = ProposedCall {
        id: Some("call_1".to_owned()),
        name: "get_weather".to_owned(),
        arguments_json: Bytes::from_static(br#"{"city":"Oslo"}"#),
    };
    CheckRequest {
        request_id: Some(request_id.to_owned()),
        tools: Some(Tools::ToolsJson(weather())),
        conversation: Some(Conversation {
            intent: Some("What is the weather in Oslo?".to_owned()),
            history: vec![Step {
                call: Some(call),
                result: None,
                t_ms: None,
            }],
            ..Conversation::default()
        }),
        results: vec![ToolResult {
            call_id: Some("call_1".to_owned()),
            body: Some(tool_result::Body::Content(text.to_owned())),
            is_error: None,
        }],
        ..CheckRequest::default()
    }
}

/// The reason in a status's ErrorInfo, with its domain checked.
pub fn reason(status: &Status) -> String {
    let info = status
        .get_details_error_info()
        .unwrap_or_else(|| panic!("no ErrorInfo: {status:?}"));
    assert_eq!(info.domain, "toolward");
    info.reason
}
