//! A scripted service on a port of its own, and the built command.

use std::{
    collections::HashMap,
    io::Write,
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::runtime::Runtime;
use tonic::{
    Code, Request, Response, Status, Streaming,
    transport::{Server, server::TcpIncoming},
};
use tonic_types::{ErrorDetails, StatusExt};
use toolward_client::v1::{
    self, CheckRequest, CheckResponse, RegisterToolsRequest, RegisterToolsResponse,
    check_request::Tools,
    defense_service_server::{DefenseService, DefenseServiceServer},
    tool_service_server::{ToolService, ToolServiceServer},
};

/// What the service saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub checks: Vec<CheckRequest>,
    pub timeouts: Vec<Option<String>>,
    pub registered: Vec<RegisterToolsRequest>,
    pub in_session: HashMap<String, usize>,
    pub overlaps: usize,
    pub busiest: usize,
    pub in_flight: usize,
}

/// Answers by what a request's intent says: the name of a decision, or a fault to make.
#[derive(Debug, Clone, Default)]
pub struct Script {
    seen: Arc<Mutex<Seen>>,
}

pub struct Scripted {
    pub endpoint: String,
    script: Script,
    _runtime: Runtime,
}

impl Scripted {
    pub fn start() -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let script = Script::default();
        let served = script.clone();
        let incoming =
            runtime.block_on(async { TcpIncoming::bind("127.0.0.1:0".parse().expect("an address")).expect("a port") });
        let endpoint = format!("http://{}", incoming.local_addr().expect("an address"));
        runtime.spawn(
            Server::builder()
                .add_service(DefenseServiceServer::new(served.clone()).max_decoding_message_size(16 << 20))
                .add_service(ToolServiceServer::new(served))
                .serve_with_incoming(incoming),
        );
        Self {
            endpoint,
            script,
            _runtime: runtime,
        }
    }

    pub fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        self.script.with(|seen| look(seen))
    }

    /// Runs `toolward check` against this service.
    pub fn check(&self, arguments: &[&str], input: &str) -> Output {
        let mut all = vec!["check", "--addr", &self.endpoint];
        all.extend(arguments);
        toolward(&all, input.as_bytes())
    }
}

/// Runs the command to its end.
pub fn toolward(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = command(arguments).spawn().expect("the command");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // The command may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("an end");
    feeder.join().expect("the feeder");
    output
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolward"));
    command
        .args(arguments)
        .env_remove("TOOLWARD_ADDR")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

impl Script {
    fn with<T>(&self, look: impl FnOnce(&mut Seen) -> T) -> T {
        look(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn enter(&self, request: &CheckRequest, timeout: Option<String>) -> usize {
        self.with(|seen| {
            seen.checks.push(request.clone());
            seen.timeouts.push(timeout);
            seen.in_flight += 1;
            seen.busiest = seen.busiest.max(seen.in_flight);
            if let Some(session) = &request.session_id {
                let inside = seen.in_session.entry(session.clone()).or_default();
                *inside += 1;
                seen.overlaps += usize::from(*inside > 1);
            }
            seen.checks
                .iter()
                .filter(|earlier| earlier.request_id == request.request_id)
                .count()
        })
    }

    fn leave(&self, request: &CheckRequest) {
        self.with(|seen| {
            seen.in_flight -= 1;
            if let Some(session) = &request.session_id {
                *seen.in_session.entry(session.clone()).or_default() -= 1;
            }
        });
    }
}

#[tonic::async_trait]
impl DefenseService for Script {
    async fn check(&self, request: Request<CheckRequest>) -> Result<Response<CheckResponse>, Status> {
        let timeout = request.metadata().get("grpc-timeout");
        let timeout = timeout.and_then(|value| value.to_str().ok()).map(str::to_owned);
        let request = request.into_inner();
        let attempt = self.enter(&request, timeout);
        // Others may come in between.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        let answer = answer(&request, attempt).await;
        self.leave(&request);
        answer.map(Response::new)
    }

    type CheckStreamStream = std::pin::Pin<Box<dyn tokio_stream::Stream<Item = Result<CheckResponse, Status>> + Send>>;

    async fn check_stream(
        &self,
        _: Request<Streaming<CheckRequest>>,
    ) -> Result<Response<Self::CheckStreamStream>, Status> {
        Err(Status::unimplemented("not in this script"))
    }
}

#[tonic::async_trait]
impl ToolService for Script {
    async fn register_tools(
        &self,
        request: Request<RegisterToolsRequest>,
    ) -> Result<Response<RegisterToolsResponse>, Status> {
        let request = request.into_inner();
        let number = self.with(|seen| {
            seen.registered.push(request.clone());
            seen.registered.len()
        });
        if request.tools_json.as_ref() == b"[\"refused\"]" {
            return Err(refusal(Code::InvalidArgument, "TOOLS_INVALID"));
        }
        Ok(Response::new(RegisterToolsResponse {
            toolset_ref: format!("ref-{number}"),
            ..RegisterToolsResponse::default()
        }))
    }
}

fn refusal(code: Code, reason: &str) -> Status {
    let details = ErrorDetails::with_error_info(reason, "toolward", []);
    Status::with_error_details(code, format!("refused: {reason}"), details)
}

async fn answer(request: &CheckRequest, attempt: usize) -> Result<CheckResponse, Status> {
    let intent = request
        .conversation
        .as_ref()
        .and_then(|conversation| conversation.intent.as_deref());
    let decision = match intent.unwrap_or("pass") {
        "repaired" => v1::Decision::Repaired,
        "retry" => v1::Decision::Retry,
        "fallback" => v1::Decision::Fallback,
        "hang" => std::future::pending().await,
        "down" => return Err(refusal(Code::Unavailable, "DRAINING")),
        "down once" if attempt == 1 => return Err(Status::unavailable("come back")),
        "invalid" => return Err(refusal(Code::InvalidArgument, "MESSAGES_INVALID")),
        "no reason" => return Err(Status::internal("")),
        "forgotten" if matches!(request.tools, Some(Tools::ToolsetRef(_))) => {
            return Err(refusal(Code::NotFound, "TOOLSET_UNKNOWN"));
        }
        _ => v1::Decision::Pass,
    };
    let finding = |code: &str| v1::Finding {
        layer: v1::Layer::Schema as i32,
        code: code.to_owned(),
        severity: v1::Severity::Block as i32,
        enforced: true,
        pointer: "/city".into(),
        message: "is wrong".into(),
        ..v1::Finding::default()
    };
    let findings = match decision {
        v1::Decision::Pass | v1::Decision::Unspecified => vec![],
        v1::Decision::Repaired => vec![finding("repaired_quotes")],
        v1::Decision::Retry | v1::Decision::Fallback => vec![finding("wrong_type"), finding("missing_required")],
    };
    Ok(CheckResponse {
        request_id: request.request_id.clone().unwrap_or_else(|| "made".into()),
        decision: decision as i32,
        enforced: true,
        calls: vec![v1::CallVerdict {
            id: "call_1".into(),
            name: "get_weather".into(),
            arguments_json: (findings.len() < 2).then(|| "{\n  \"city\": \"Oslo\"\n}".into()),
            decision: decision as i32,
            findings,
            ..v1::CallVerdict::default()
        }],
        retry: (decision == v1::Decision::Retry).then(|| v1::Retry {
            attempt: 1,
            max_attempts: 3,
            feedback_json: r#"[{"role":"user","content":"no"}]"#.into(),
            feedback_text: "no".into(),
        }),
        fallback: (decision == v1::Decision::Fallback).then(|| v1::Fallback {
            kind: v1::FallbackKind::AskUser as i32,
            text: Some("Which city?".into()),
            ..v1::Fallback::default()
        }),
        ..CheckResponse::default()
    })
}
