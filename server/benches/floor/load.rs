//! The servers under load, each alone in a thread with a runtime of its own, and the load generator.

use std::{
    fs,
    net::SocketAddr,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use prost::Message;
use tokio::net::TcpListener;
use tokio_stream::{StreamExt, wrappers::ReceiverStream};
use tonic::{
    Request,
    client::Grpc,
    codegen::http::uri::PathAndQuery,
    transport::{Channel, Endpoint},
};
use toolward_proto::v1::{
    ArgumentsEcho, Candidate, CheckOptions, CheckRequest, RegisterToolsRequest, candidate::Body, check_request::Tools,
    tool_service_client::ToolServiceClient,
};

use crate::{ack::Raw, work::Work};

/// A server under load.
pub struct Target {
    address: SocketAddr,
    path: &'static str,
    /// The server's thread in the kernel's accounting.
    accounting: String,
}

/// How the load comes.
#[derive(Clone, Copy)]
pub enum Shape {
    /// One request a call.
    Unary { in_flight: usize },
    /// All over one stream.
    Stream { in_flight: usize },
}

/// What was measured.
#[derive(Clone, Copy)]
pub struct Figures {
    /// Server CPU per request, in microseconds.
    pub cpu_us: f64,
    /// 99th percentile of the latency, in microseconds.
    pub p99_us: f64,
    /// Requests a second.
    pub per_second: f64,
}

/// Runs a server in a thread with a current-thread runtime.
pub fn spawn<S, F>(path: &'static str, serve: S) -> Target
where
    S: FnOnce(TcpListener) -> F + Send + 'static,
    F: Future<Output = ()>,
{
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let link = fs::read_link("/proc/thread-self").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            sender
                .send((address, format!("/proc/{}/schedstat", link.display())))
                .unwrap();
            serve(listener).await;
        });
    });
    let (address, accounting) = receiver.recv().unwrap();
    Target {
        address,
        path,
        accounting,
    }
}

/// The service in a thread of its own.
pub fn spawn_toolward() -> Target {
    spawn("/toolward.v1.DefenseService/Check", |grpc| async move {
        let http = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let config = toolward_server::config::Config::default();
        let listeners = toolward_server::Listeners { grpc, http };
        toolward_server::run(config, listeners, std::future::pending::<()>())
            .await
            .unwrap();
    })
}

impl Target {
    /// The request that judges a work's candidate against its registered tools.
    pub fn prepare(&self, work: &Work) -> Bytes {
        let reference = client_runtime().block_on(async {
            let mut tools = ToolServiceClient::connect(format!("http://{}", self.address))
                .await
                .unwrap();
            let request = RegisterToolsRequest {
                tools_json: work.tools.clone().into(),
            };
            tools.register_tools(request).await.unwrap().into_inner().toolset_ref
        });
        request(work, Tools::ToolsetRef(reference))
    }

    /// The same with the tools sent along.
    pub fn inline(&self, work: &Work) -> Bytes {
        request(work, Tools::ToolsJson(work.tools.clone().into()))
    }

    fn cpu(&self) -> Duration {
        let text = fs::read_to_string(&self.accounting).unwrap();
        Duration::from_nanos(text.split_whitespace().next().unwrap().parse().unwrap())
    }
}

fn request(work: &Work, tools: Tools) -> Bytes {
    CheckRequest {
        tools: Some(tools),
        candidate: Some(Candidate {
            body: Some(Body::ResponseJson(work.candidate.clone().into())),
            ..Candidate::default()
        }),
        options: Some(CheckOptions {
            arguments: ArgumentsEcho::Changed.into(),
            ..CheckOptions::default()
        }),
        ..CheckRequest::default()
    }
    .encode_to_vec()
    .into()
}

/// Alternates between the floor and the service; medians of each.
pub fn alternate(
    base: &Target,
    ours: &Target,
    request: &Bytes,
    shape: Shape,
    millis: u64,
    rounds: usize,
) -> (Figures, Figures) {
    let pairs: Vec<(Figures, Figures)> = (0..rounds)
        .map(|_| {
            (
                measure(base, request, shape, millis),
                measure(ours, request, shape, millis),
            )
        })
        .collect();
    (
        median(pairs.iter().map(|pair| pair.0)),
        median(pairs.iter().map(|pair| pair.1)),
    )
}

fn median(figures: impl Iterator<Item = Figures>) -> Figures {
    let mut all: Vec<Figures> = figures.collect();
    all.sort_by(|left, right| left.cpu_us.total_cmp(&right.cpu_us));
    *all.get(all.len() / 2).expect("a round")
}

/// One run.
pub fn measure(target: &Target, request: &Bytes, shape: Shape, millis: u64) -> Figures {
    client_runtime().block_on(async {
        let channel = Endpoint::from_shared(format!("http://{}", target.address))
            .unwrap()
            .connect()
            .await
            .unwrap();
        run(target, &channel, request, shape, 100).await;
        let (cpu, start) = (target.cpu(), Instant::now());
        let mut latencies = run(target, &channel, request, shape, millis).await;
        let (spent, took) = (target.cpu() - cpu, start.elapsed());
        latencies.sort_unstable();
        let count = latencies.len().max(1);
        Figures {
            cpu_us: spent.as_secs_f64() * 1e6 / count as f64,
            p99_us: latencies
                .get(count * 99 / 100)
                .map_or(f64::NAN, |it| it.as_secs_f64() * 1e6),
            per_second: count as f64 / took.as_secs_f64(),
        }
    })
}

async fn run(target: &Target, channel: &Channel, request: &Bytes, shape: Shape, millis: u64) -> Vec<Duration> {
    let end = Instant::now() + Duration::from_millis(millis);
    match shape {
        Shape::Unary { in_flight } => {
            let tasks: Vec<_> = (0..in_flight)
                .map(|_| unary(Grpc::new(channel.clone()), target.path, request.clone(), end))
                .collect();
            futures::future::join_all(tasks).await.concat()
        }
        Shape::Stream { in_flight } => stream(Grpc::new(channel.clone()), request.clone(), in_flight, end).await,
    }
}

async fn unary(mut grpc: Grpc<Channel>, path: &'static str, request: Bytes, end: Instant) -> Vec<Duration> {
    let mut latencies = Vec::new();
    while Instant::now() < end {
        let start = Instant::now();
        grpc.ready().await.unwrap();
        grpc.unary(Request::new(request.clone()), PathAndQuery::from_static(path), Raw)
            .await
            .unwrap();
        latencies.push(start.elapsed());
    }
    latencies
}

async fn stream(mut grpc: Grpc<Channel>, request: Bytes, in_flight: usize, end: Instant) -> Vec<Duration> {
    let (sender, receiver) = tokio::sync::mpsc::channel(in_flight);
    let path = PathAndQuery::from_static("/toolward.v1.DefenseService/CheckStream");
    for _ in 0..in_flight {
        sender.send(request.clone()).await.unwrap();
    }
    grpc.ready().await.unwrap();
    let mut answers = grpc
        .streaming(Request::new(ReceiverStream::new(receiver)), path, Raw)
        .await
        .unwrap()
        .into_inner();
    let mut latencies = Vec::new();
    while Instant::now() < end {
        let start = Instant::now();
        answers.next().await.unwrap().unwrap();
        latencies.push(start.elapsed());
        sender.send(request.clone()).await.unwrap();
    }
    latencies
}

fn client_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}
