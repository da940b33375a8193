//! The server's configuration: a TOML file and the environment in, a checked [`Config`] or every fault at once out.
//!
//! What is read key by key: asking for a key is what makes it known, so the reader, the ranges in the fault report and
//! the nearest-key suggestion cannot differ. The environment stands over the file: `TOOLWARD__SECTION__KEY`.

mod fault;
mod sections;
mod source;

use std::{
    collections::BTreeMap,
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use toolward_core::limits::Limits;

use source::Source;

pub use fault::{ConfigFault, ConfigFaults};

/// What the service runs with. Every value is inside its range.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// Where it listens.
    pub listen: ListenConfig,
    /// What it refuses.
    pub limits: LimitsConfig,
    /// Which policy files it reads.
    pub policy: PolicyConfig,
    /// Who answers the semantic layer's questions.
    pub judge: JudgeConfig,
    /// What it remembers of conversations.
    pub sessions: SessionsConfig,
    /// What it remembers of tools.
    pub toolsets: ToolsetsConfig,
    /// How it logs.
    pub log: LogConfig,
}

/// `[listen]`: the two sockets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenConfig {
    /// gRPC.
    pub grpc: SocketAddr,
    /// HTTP: check documents, metrics, health.
    pub http: SocketAddr,
}

/// `[limits]`: what is refused, and how long anything may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitsConfig {
    /// Bytes of one gRPC message or HTTP body. Reason `BODY_TOO_LARGE`.
    pub max_message_bytes: usize,
    /// Checks worked on at once; more are refused with `OVERLOADED`.
    pub max_in_flight: usize,
    /// Checks of one `CheckStream` worked on at once; further ones wait in the stream.
    pub max_stream_in_flight: usize,
    /// Milliseconds that a check may take, the judge included. Reason `DEADLINE_EXCEEDED`.
    pub request_timeout_ms: u64,
    /// Milliseconds that a stopping service waits for what is in flight.
    pub drain_ms: u64,
    /// What the core refuses while it reads.
    pub core: Limits,
}

/// `[policy]`: policy files. Relative paths are relative to the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyConfig {
    /// Holds where a request names none. `None`: the built-in policy.
    pub default: Option<PathBuf>,
    /// By the name that requests use.
    pub named: BTreeMap<String, PathBuf>,
}

/// `[judge]`: the cheap model that says whether a result answers the intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeConfig {
    /// Which one.
    pub backend: JudgeBackend,
    /// Milliseconds for one question, retries included.
    pub timeout_ms: u64,
    /// Questions at the backend at once; more are `overloaded`.
    pub max_concurrent: usize,
    /// Bytes of answers that are remembered; 0: none.
    pub cache_max_bytes: u64,
    /// Seconds that an answer is remembered.
    pub cache_ttl_s: u64,
    /// Bytes of one HTTP answer of the backend.
    pub max_answer_bytes: usize,
}

/// Who judges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeBackend {
    /// Nobody: questions are not asked.
    Off,
    /// A server that speaks OpenAI's Chat Completions.
    OpenAi {
        /// The base URL; `/chat/completions` is appended.
        url: String,
        /// The model's name there.
        model: String,
        /// Holds the API key. `None`: none is sent.
        api_key_file: Option<PathBuf>,
    },
}

/// `[sessions]`: what is remembered of conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionsConfig {
    /// Sessions at once; the least used make room.
    pub max: u64,
    /// Seconds after which an unused session is forgotten.
    pub idle_s: u64,
}

/// `[toolsets]`: what is remembered of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsetsConfig {
    /// Bytes of tool definitions, as JSON, at once; the least used make room.
    pub max_bytes: u64,
}

/// `[log]`: how the service logs, on standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// The shape of a line.
    pub format: LogFormat,
    /// The least grave lines that are written.
    pub level: LogLevel,
}

/// The shape of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// How grave a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// Faults of the service.
    Error,
    /// What an operator should look at.
    Warn,
    /// Start, stop and refusals.
    Info,
    /// Every check.
    Debug,
    /// Everything.
    Trace,
}

impl Default for ListenConfig {
    fn default() -> Self {
        let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self {
            grpc: SocketAddr::new(local, 50051),
            http: SocketAddr::new(local, 9464),
        }
    }
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            // The largest candidate, and room for what stands around it.
            max_message_bytes: (16 << 20) + (64 << 10),
            max_in_flight: 1024,
            max_stream_in_flight: 64,
            request_timeout_ms: 10_000,
            drain_ms: 10_000,
            core: Limits::default(),
        }
    }
}

impl Default for JudgeConfig {
    fn default() -> Self {
        Self {
            backend: JudgeBackend::Off,
            timeout_ms: 800,
            max_concurrent: 16,
            cache_max_bytes: 16 << 20,
            cache_ttl_s: 3600,
            max_answer_bytes: 64 << 10,
        }
    }
}

impl Default for SessionsConfig {
    fn default() -> Self {
        Self {
            max: 100_000,
            idle_s: 3600,
        }
    }
}

impl Default for ToolsetsConfig {
    fn default() -> Self {
        Self { max_bytes: 256 << 20 }
    }
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            level: LogLevel::Info,
        }
    }
}

impl Config {
    /// Reads a file, lays `TOOLWARD__SECTION__KEY` of the environment over it, and checks all of it.
    ///
    /// # Errors
    /// Every fault of the file and the environment at once; a file that cannot be read or is not TOML is the only one.
    pub fn load(path: Option<&Path>, env: impl Iterator<Item = (String, String)>) -> Result<Self, ConfigFaults> {
        let (text, origin) = match path {
            Some(path) => {
                let text = fs::read_to_string(path).map_err(|error| ConfigFaults {
                    origin: path.display().to_string(),
                    faults: vec![ConfigFault::new("", format!("cannot be read: {error}"))],
                })?;
                (text, path.display().to_string())
            }
            None => (String::new(), "environment".to_owned()),
        };
        let base = path.and_then(Path::parent).unwrap_or(Path::new(""));
        Self::parse(&text, env, base).map_err(|faults| ConfigFaults { origin, faults })
    }

    /// Every key that has a name of ours, in the order of the alphabet.
    pub fn keys() -> Vec<String> {
        let mut source = Source::default();
        sections::read(&mut source, Path::new(""));
        source.known()
    }

    fn parse(text: &str, env: impl Iterator<Item = (String, String)>, base: &Path) -> Result<Self, Vec<ConfigFault>> {
        let mut source = Source::read(text, env)?;
        let config = sections::read(&mut source, base);
        source.finish()?;
        Ok(config)
    }
}
