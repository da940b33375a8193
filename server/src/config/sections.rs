//! Every section and key, declared where it is read.

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};

use toml::Table;
use toolward_core::{limits::Limits, policy::Policy};

use super::{
    Config, ConfigFault, DEFAULT_POLICY, JudgeSettings, LimitSettings, ListenSettings, LogFormat, LogSettings,
    OpenaiSettings, SessionSettings, ToolsetSettings, read as read_file,
    reader::{Report, Section, nearest},
    within,
};

const SECTIONS: [&str; 8] = ["grpc", "http", "limits", "policies", "judge", "sessions", "toolsets", "log"];

/// Reads all sections; whatever has a fault is told in the report and stands at its default.
pub(super) fn read(root: &mut Table, folder: &Path, report: &mut Report) -> Config {
    let listen = listen(root, report);
    let limits = limits(root, report);
    let mut warnings = Vec::new();
    let (policies, default_policy) = policies(root, folder, report, &mut warnings);
    let judge = judge(root, folder, report);
    let sessions = sessions(root, report);
    let toolsets = toolsets(root, report);
    let log = log(root, report);
    for key in root.keys() {
        let expected = nearest(key, SECTIONS.into_iter()).map(|section| format!("[{section}]"));
        report.faults.push(ConfigFault::new(key.as_str(), "is no known section", expected));
    }
    if !listen.grpc.ip().is_loopback() || !listen.http.ip().is_loopback() {
        warnings.push("listening beyond this machine: the service does not authenticate callers by itself".to_owned());
    }
    Config {
        listen,
        limits,
        policies,
        default_policy,
        judge,
        sessions,
        toolsets,
        log,
        warnings,
    }
}

fn listen(root: &mut Table, report: &mut Report) -> ListenSettings {
    let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut section = Section::take(root, "grpc", report);
    let grpc = section.address("listen", local(50051), "Where gRPC is served: checks, tools, health, reflection.");
    let words = [("on", true), ("off", false)];
    let reflection = section.word("reflection", &words, "on", "Whether gRPC reflection is served.").unwrap_or(true);
    section.finish();
    let mut section = Section::take(root, "http", report);
    let help = "Where HTTP is served: `POST /v1/check`, `/metrics`, `/healthz`, `/readyz`.";
    let http = section.address("listen", local(9464), help);
    if http == grpc && http.port() != 0 {
        section.fault("listen", "is the address of gRPC".to_owned(), "another port than grpc.listen".to_owned());
    }
    section.finish();
    ListenSettings { grpc, http, reflection }
}

fn limits(root: &mut Table, report: &mut Report) -> LimitSettings {
    let core = Limits::default();
    let mut it = Section::take(root, "limits", report);
    let limits = LimitSettings {
        max_message_bytes: it.integer("max_message_bytes", 1_024..=256 << 20, 32 << 20, "Bytes of one request on either port; larger ones are refused with `REQUEST_TOO_LARGE`."),
        max_in_flight: it.integer("max_in_flight", 1..=100_000, 1_024, "Requests worked on at once; more are refused with `OVERLOADED`."),
        max_stream_in_flight: it.integer("max_stream_in_flight", 1..=10_000, 64, "Requests of one `CheckStream` worked on at once; more are read only when one is answered."),
        max_connection_streams: it.integer("max_connection_streams", 1..=100_000, 1_024, "Open calls on one HTTP/2 connection."),
        check_timeout: millis(it.integer("check_timeout_ms", 10..=600_000, 30_000, "Longest check; a shorter deadline of the caller's is honoured.")),
        drain_timeout: millis(it.integer("drain_timeout_ms", 0..=600_000, 10_000, "How long work in flight may go on once the service is to stop.")),
        core: Limits {
            max_tools: it.integer("max_tools", 1..=100_000, core.max_tools, "Tools in one toolset (`TOO_MANY_TOOLS`)."),
            max_tools_bytes: it.integer("max_tools_bytes", 1_024..=256 << 20, core.max_tools_bytes, "Bytes of one toolset as JSON (`TOOLS_TOO_LARGE`)."),
            max_schema_bytes: it.integer("max_schema_bytes", 1_024..=16 << 20, core.max_schema_bytes, "Bytes of one tool's schema (finding `tool_schema_invalid`)."),
            max_schema_expansion: it.integer("max_schema_expansion", 100..=10_000_000, core.max_schema_expansion, "Subschemas that a validation may visit at worst (finding `tool_schema_invalid`)."),
            max_arguments_bytes: it.integer("max_arguments_bytes", 64..=64 << 20, core.max_arguments_bytes, "Bytes of one call's arguments (finding `too_large`)."),
            max_arguments_depth: it.integer("max_arguments_depth", 1..=120, core.max_arguments_depth, "Nesting of one call's arguments (finding `too_deep`)."),
            max_calls: it.integer("max_calls", 1..=4_096, core.max_calls, "Calls in one turn (`TOO_MANY_CALLS`)."),
            max_results: it.integer("max_results", 1..=4_096, core.max_results, "Results in one request (`TOO_MANY_RESULTS`)."),
            max_candidate_bytes: it.integer("max_candidate_bytes", 64..=256 << 20, core.max_candidate_bytes, "Bytes of one candidate (`CANDIDATE_TOO_LARGE`)."),
            max_messages_bytes: it.integer("max_messages_bytes", 64..=256 << 20, core.max_messages_bytes, "Bytes of one conversation (`MESSAGES_TOO_LARGE`)."),
            max_steps: it.integer("max_steps", 8..=4_096, core.max_steps, "Earlier steps that are looked at and that a session keeps; older ones are left out."),
        },
    };
    it.finish();
    limits
}

fn policies(
    root: &mut Table,
    folder: &Path,
    report: &mut Report,
    warnings: &mut Vec<String>,
) -> (BTreeMap<String, Arc<Policy>>, String) {
    let mut section = Section::take(root, "policies", report);
    let help = "The policy that holds where a request names none.";
    let default = section.text("default", "a name under `files`, or `default`", DEFAULT_POLICY, help);
    let default = default.unwrap_or_else(|| DEFAULT_POLICY.to_owned());
    let help = "Policies by name. `default` is the policy as shipped unless a file is named for it.";
    let files = section.names("files", help);
    let mut policies = BTreeMap::new();
    for (name, path) in files {
        let key = format!("files.{name}");
        match read_file(&within(folder, Path::new(&path))) {
            Err(message) => section.fault(&key, format!("{path}: {message}"), String::new()),
            Ok(text) => match Policy::parse(&text) {
                Ok((policy, odd)) => {
                    warnings.extend(odd.into_iter().map(|warning| format!("policy {name}: {warning}")));
                    policies.insert(name, Arc::new(policy));
                }
                Err(faults) => {
                    for fault in faults {
                        section.fault(&key, format!("{path}: {fault}"), String::new());
                    }
                    // A faulty file is no missing one.
                    policies.insert(name, Arc::new(Policy::default()));
                }
            },
        }
    }
    policies.entry(DEFAULT_POLICY.to_owned()).or_insert_with(|| Arc::new(Policy::default()));
    if !policies.contains_key(&default) {
        let known = policies.keys().cloned().collect::<Vec<_>>().join(" | ");
        section.fault("default", "names no policy".to_owned(), known);
    }
    section.finish();
    (policies, default)
}

fn judge(root: &mut Table, folder: &Path, report: &mut Report) -> JudgeSettings {
    let mut section = Section::take(root, "judge", report);
    let words = [("off", false), ("openai", true)];
    let help = "Who is asked whether a result answers the intent: nobody, or a model behind an OpenAI-compatible endpoint.";
    let on = section.word("backend", &words, "off", help).unwrap_or(false);
    let url_range = "an http or https URL";
    let url = section.text("url", url_range, "", "The endpoint's base, up to and without `/chat/completions`.");
    let model = section.text("model", "a name", "", "The model's name.");
    let key_file = section.path("api_key_file", "A file that holds the key; without it no key is sent.");
    let timeout = section.integer("timeout_ms", 10..=120_000, 800, "For one question, all tries together; then the layer is degraded.");
    let max_attempts = section.integer("max_attempts", 1..=10, 3, "Tries for one question, within `timeout_ms`.");
    let max_concurrent = section.integer("max_concurrent", 1..=10_000, 64, "Questions in flight at once; more are degraded as overloaded.");
    let max_tokens = section.integer("max_tokens", 1..=4_096, 8, "Tokens that the model may write; an answer that was cut off is unreadable.");
    let max_response_bytes = section.integer("max_response_bytes", 1_024..=16 << 20, 256 << 10, "Bytes of an answer that are read.");
    let cache_capacity = section.integer("cache_capacity", 0..=100_000_000, 100_000, "Verdicts kept.");
    let cache_ttl = section.integer("cache_ttl_s", 1..=31_536_000, 3_600, "How long a verdict is kept.");
    if !on {
        section.finish();
        return JudgeSettings::Off;
    }
    let parsed = url.as_deref().and_then(|url| reqwest::Url::parse(url).ok());
    let url = parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if url.is_none() {
        section.fault("url", "is needed with the openai backend, and must be a URL".to_owned(), url_range.to_owned());
    }
    if model.is_none() {
        section.fault("model", "is needed with the openai backend".to_owned(), "a name".to_owned());
    }
    let mut api_key = None;
    if let Some(path) = key_file {
        match read_file(&within(folder, &path)) {
            Ok(text) if is_key(text.trim()) => api_key = Some(text.trim().to_owned()),
            Ok(_) => section.fault("api_key_file", "holds no key".to_owned(), "one line of visible ASCII".to_owned()),
            Err(message) => section.fault("api_key_file", format!("{}: {message}", path.display()), String::new()),
        }
    }
    section.finish();
    let (Some(url), Some(model)) = (url, model) else {
        return JudgeSettings::Off;
    };
    JudgeSettings::Openai(Box::new(OpenaiSettings {
        url,
        model,
        api_key,
        timeout: millis(timeout),
        max_attempts,
        max_concurrent,
        max_tokens,
        max_response_bytes,
        cache_capacity,
        cache_ttl: Duration::from_secs(cache_ttl),
    }))
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn sessions(root: &mut Table, report: &mut Report) -> SessionSettings {
    let mut section = Section::take(root, "sessions", report);
    let max = section.integer("max", 1..=100_000_000, 100_000, "Sessions kept in memory; the least used one goes first.");
    let ttl = section.integer("ttl_s", 1..=2_592_000, 3_600, "How long an idle session is kept.");
    section.finish();
    SessionSettings {
        max,
        ttl: Duration::from_secs(ttl),
    }
}

fn toolsets(root: &mut Table, report: &mut Report) -> ToolsetSettings {
    let mut section = Section::take(root, "toolsets", report);
    let help = "Bytes of tool definitions whose compiled form is kept; the least used goes first.";
    let cache_bytes = section.integer("cache_bytes", 1 << 20..=64 << 30, 128 << 20, help);
    section.finish();
    ToolsetSettings { cache_bytes }
}

fn log(root: &mut Table, report: &mut Report) -> LogSettings {
    let mut section = Section::take(root, "log", report);
    let range = "a level or a tracing filter";
    let level = section.text("level", range, "info", "What is logged. Decisions other than pass are `info`, passes are `debug`.");
    let level = level.unwrap_or_else(|| "info".to_owned());
    if tracing_subscriber::EnvFilter::try_new(&level).is_err() {
        section.fault("level", "is no filter".to_owned(), format!("{range}: error, warn, info, debug, trace"));
    }
    let words = [("text", LogFormat::Text), ("json", LogFormat::Json)];
    let format = section.word("format", &words, "text", "How lines are written.").unwrap_or(LogFormat::Text);
    section.finish();
    LogSettings { level, format }
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
