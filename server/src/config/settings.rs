//! The sections of a checked configuration.

use std::{net::SocketAddr, time::Duration};

use toolward_core::limits::Limits;

/// Where the service listens.
#[derive(Debug, Clone, Copy)]
pub struct ListenSettings {
    /// For gRPC.
    pub grpc: SocketAddr,
    /// For HTTP.
    pub http: SocketAddr,
    /// Whether gRPC reflection is served.
    pub reflection: bool,
}

/// Bounds on what is in flight, and on everything that comes in.
#[derive(Debug, Clone, Copy)]
pub struct LimitSettings {
    /// Bytes of one request, on either port. Reason `REQUEST_TOO_LARGE`.
    pub max_message_bytes: usize,
    /// Requests worked on at once. Reason `OVERLOADED`.
    pub max_in_flight: usize,
    /// Requests of one `CheckStream` worked on at once; more are read only when one is answered.
    pub max_stream_in_flight: usize,
    /// Open calls on one HTTP/2 connection.
    pub max_connection_streams: u32,
    /// Longest check. Reason `DEADLINE_EXCEEDED`.
    pub check_timeout: Duration,
    /// How long work in flight may go on once the service is to stop.
    pub drain_timeout: Duration,
    /// What the core applies while it reads.
    pub core: Limits,
}

/// The judge.
#[derive(Debug, Clone)]
pub enum JudgeSettings {
    /// None: results are judged without a model.
    Off,
    /// An OpenAI-compatible endpoint.
    Openai(Box<OpenaiSettings>),
}

/// An OpenAI-compatible endpoint.
#[derive(Clone)]
pub struct OpenaiSettings {
    /// The base, up to and without `/chat/completions`.
    pub url: reqwest::Url,
    /// The model's name.
    pub model: String,
    /// The key; no header is sent where there is none.
    pub api_key: Option<String>,
    /// For one question, all tries together.
    pub timeout: Duration,
    /// Tries for one question.
    pub max_attempts: u32,
    /// Questions in flight at once; more are answered as overloaded.
    pub max_concurrent: usize,
    /// Tokens that the model may write.
    pub max_tokens: u32,
    /// Bytes of an answer that are read.
    pub max_response_bytes: usize,
    /// Verdicts kept.
    pub cache_capacity: u64,
    /// How long a verdict is kept.
    pub cache_ttl: Duration,
}

impl std::fmt::Debug for OpenaiSettings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("OpenaiSettings")
            .field("model", &self.model)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Sessions.
#[derive(Debug, Clone, Copy)]
pub struct SessionSettings {
    /// Sessions kept; the least used one goes first.
    pub max: u64,
    /// How long an idle one is kept.
    pub ttl: Duration,
}

/// Compiled toolsets.
#[derive(Debug, Clone, Copy)]
pub struct ToolsetSettings {
    /// Bytes of tool definitions whose compiled form is kept; the least used goes first.
    pub cache_bytes: u64,
}

/// The log.
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// A level, or a filter of tracing's: `info`, `warn,toolward_server=debug`.
    pub level: String,
    /// How lines are written.
    pub format: LogFormat,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object a line.
    Json,
}
