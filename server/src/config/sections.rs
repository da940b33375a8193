//! Every key with its range, section by section, and the few rules between keys.

use std::path::{Path, PathBuf};

use reqwest::Url;
use toolward_core::limits::Limits;

use super::{
    Config, JudgeBackend, JudgeConfig, LimitsConfig, ListenConfig, LogConfig, LogFormat, LogLevel, PolicyConfig,
    SessionsConfig, ToolsetsConfig, source::Source,
};

const GIB: usize = 1 << 30;
const HOUR_MS: u64 = 3_600_000;
const YEAR_S: u64 = 31_536_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Backend {
    Off,
    OpenAi,
}

/// Reads all sections. Faults stay with the source.
pub(super) fn read(source: &mut Source, base: &Path) -> Config {
    let config = Config {
        listen: listen(source),
        limits: limits(source),
        policy: policy(source, base),
        judge: judge(source, base),
        sessions: sessions(source),
        toolsets: toolsets(source),
        log: log(source),
    };
    if config.judge.backend != JudgeBackend::Off && config.judge.timeout_ms >= config.limits.request_timeout_ms {
        let limit = config.limits.request_timeout_ms;
        source.fault(
            "judge.timeout_ms",
            format!("must be less than limits.request_timeout_ms, which is {limit}"),
        );
    }
    config
}

fn listen(source: &mut Source) -> ListenConfig {
    let default = ListenConfig::default();
    let read = ListenConfig {
        grpc: source.address("listen.grpc", default.grpc),
        http: source.address("listen.http", default.http),
    };
    if read.grpc == read.http && read.grpc.port() != 0 {
        source.fault("listen.http", "must differ from listen.grpc");
    }
    read
}

fn limits(source: &mut Source) -> LimitsConfig {
    let default = LimitsConfig::default();
    LimitsConfig {
        max_message_bytes: source.number("limits.max_message_bytes", 1024..=GIB, default.max_message_bytes),
        max_in_flight: source.number("limits.max_in_flight", 1..=1_000_000, default.max_in_flight),
        max_stream_in_flight: source.number("limits.max_stream_in_flight", 1..=10_000, default.max_stream_in_flight),
        request_timeout_ms: source.number("limits.request_timeout_ms", 1..=HOUR_MS, default.request_timeout_ms),
        drain_ms: source.number("limits.drain_ms", 0..=HOUR_MS, default.drain_ms),
        core: core(source, default.core),
    }
}

fn core(source: &mut Source, default: Limits) -> Limits {
    Limits {
        max_tools: source.number("limits.max_tools", 1..=1_000_000, default.max_tools),
        max_tools_bytes: source.number("limits.max_tools_bytes", 2..=GIB, default.max_tools_bytes),
        max_schema_bytes: source.number("limits.max_schema_bytes", 2..=GIB, default.max_schema_bytes),
        max_schema_expansion: source.number(
            "limits.max_schema_expansion",
            1..=1_000_000_000,
            default.max_schema_expansion,
        ),
        max_arguments_bytes: source.number("limits.max_arguments_bytes", 2..=GIB, default.max_arguments_bytes),
        // Validation and rendering recurse: deeper ones could not be judged on a worker's stack.
        max_arguments_depth: source.number("limits.max_arguments_depth", 1..=120, default.max_arguments_depth),
        max_calls: source.number("limits.max_calls", 1..=10_000, default.max_calls),
        max_results: source.number("limits.max_results", 1..=10_000, default.max_results),
        max_candidate_bytes: source.number("limits.max_candidate_bytes", 2..=GIB, default.max_candidate_bytes),
        max_messages_bytes: source.number("limits.max_messages_bytes", 2..=GIB, default.max_messages_bytes),
        max_steps: source.number("limits.max_steps", 1..=10_000, default.max_steps),
    }
}

fn policy(source: &mut Source, base: &Path) -> PolicyConfig {
    let default = path(source, "policy.default", base);
    let mut read = PolicyConfig {
        default,
        named: Default::default(),
    };
    for name in source.names("policy.named") {
        let key = format!("policy.named.{name}");
        if name == "default" {
            source.fault(&key, "this name is the default policy's: use policy.default");
        }
        if let Some(path) = path(source, &key, base) {
            read.named.insert(name, path);
        }
    }
    read
}

fn judge(source: &mut Source, base: &Path) -> JudgeConfig {
    let default = JudgeConfig::default();
    let backend = source.word(
        "judge.backend",
        &[("off", Backend::Off), ("openai", Backend::OpenAi)],
        Backend::Off,
    );
    let url = url(source, "judge.url");
    let model = source.text("judge.model");
    let api_key_file = path(source, "judge.api_key_file", base);
    let backend = match backend {
        Backend::Off => JudgeBackend::Off,
        Backend::OpenAi => JudgeBackend::OpenAi {
            url: needed(source, "judge.url", url),
            model: needed(source, "judge.model", model),
            api_key_file,
        },
    };
    JudgeConfig {
        backend,
        timeout_ms: source.number("judge.timeout_ms", 1..=HOUR_MS, default.timeout_ms),
        max_concurrent: source.number("judge.max_concurrent", 1..=10_000, default.max_concurrent),
        cache_max_bytes: source.number("judge.cache_max_bytes", 0..=GIB as u64, default.cache_max_bytes),
        cache_ttl_s: source.number("judge.cache_ttl_s", 1..=YEAR_S, default.cache_ttl_s),
        max_answer_bytes: source.number("judge.max_answer_bytes", 256..=16 << 20, default.max_answer_bytes),
    }
}

fn sessions(source: &mut Source) -> SessionsConfig {
    let default = SessionsConfig::default();
    SessionsConfig {
        max: source.number("sessions.max", 1..=100_000_000, default.max),
        idle_s: source.number("sessions.idle_s", 1..=YEAR_S, default.idle_s),
    }
}

fn toolsets(source: &mut Source) -> ToolsetsConfig {
    let default = ToolsetsConfig::default();
    ToolsetsConfig {
        max_bytes: source.number("toolsets.max_bytes", 1 << 20..=1 << 40, default.max_bytes),
    }
}

fn log(source: &mut Source) -> LogConfig {
    let default = LogConfig::default();
    let formats = [("text", LogFormat::Text), ("json", LogFormat::Json)];
    let levels = [
        ("error", LogLevel::Error),
        ("warn", LogLevel::Warn),
        ("info", LogLevel::Info),
        ("debug", LogLevel::Debug),
        ("trace", LogLevel::Trace),
    ];
    LogConfig {
        format: source.word("log.format", &formats, default.format),
        level: source.word("log.level", &levels, default.level),
    }
}

fn path(source: &mut Source, key: &str, base: &Path) -> Option<PathBuf> {
    source.text(key).map(|text| base.join(text))
}

fn url(source: &mut Source, key: &str) -> Option<String> {
    let text = source.text(key)?;
    let usable = Url::parse(&text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    if !usable {
        source.fault(
            key,
            "must be an http or https URL without user, query or fragment, like \"http://127.0.0.1:8000/v1\"",
        );
    }
    // Also where it is faulty: it is there, so it is not missing.
    Some(text)
}

fn needed(source: &mut Source, key: &str, value: Option<String>) -> String {
    match value {
        Some(value) => value,
        None => {
            source.fault(key, "is needed with judge.backend = \"openai\"");
            String::new()
        }
    }
}
