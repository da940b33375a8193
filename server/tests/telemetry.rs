//! What the service tells of itself: every series at 0 from the start, the document beside the catalogue, and nothing
//! that a caller or a model sends.

#![expect(clippy::unwrap_used, reason = "what a test needs and does not get ends it")]

mod support;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::json;
use support::{Service, candidate, check};
use toolward_proto::v1::{CheckRequest, Conversation, check_request::Tools};
use toolward_server::{config::Config, telemetry::catalogue};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Names as they stand in `# TYPE` lines.
fn types(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .map(str::to_owned)
        .collect();
    found.sort_unstable();
    found
}

#[tokio::test]
async fn every_metric_is_there_at_the_start_and_at_zero() {
    let service = Service::start(Config::default()).await;
    let text = service.metrics().await;
    let golden = "\
toolward_calls_total counter
toolward_check_duration_seconds histogram
toolward_decisions_total counter
toolward_degraded_total counter
toolward_fallbacks_total counter
toolward_findings_total counter
toolward_in_flight_checks gauge
toolward_judge_cache_total counter
toolward_judge_duration_seconds histogram
toolward_judge_requests_total counter
toolward_judge_retries_total counter
toolward_judge_tokens_total counter
toolward_layer_duration_seconds histogram
toolward_layer_outcomes_total counter
toolward_panics_total counter
toolward_refusals_total counter
toolward_repairs_total counter
toolward_results_total counter
toolward_retries_total counter
toolward_retry_budget_exhausted_total counter
toolward_sessions gauge
toolward_toolset_cache_total counter";
    assert_eq!(types(&text).join("\n"), golden);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        assert!(line.ends_with(" 0"), "{line}");
    }
    for metric in catalogue::ALL {
        assert!(
            text.contains(&format!("# HELP {} {}", metric.name, metric.help)),
            "{}",
            metric.name
        );
        let start = if metric.labels.is_empty() {
            format!("{} ", metric.name)
        } else {
            format!("{}{{", metric.name)
        };
        let suffix = if let catalogue::Kind::Histogram(_) = metric.kind {
            "_count"
        } else {
            ""
        };
        let start = start.replacen(metric.name, &format!("{}{suffix}", metric.name), 1);
        let series = text.lines().filter(|line| line.starts_with(&start)).count();
        assert_eq!(series, (metric.series)().len(), "{}", metric.name);
    }
}

/// `TOOLWARD_WRITE_DOCS=1` writes the document instead of comparing it.
#[test]
fn docs_of_the_metrics_are_those_of_the_catalogue() {
    let path = root().join("docs/metrics.md");
    let document = catalogue::document();
    if std::env::var_os("TOOLWARD_WRITE_DOCS").is_some() {
        fs::write(&path, &document).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == document,
        "docs/metrics.md is behind the catalogue: run `just docs`"
    );
}

#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_that_was_sent_becomes_a_label_or_a_log_line() {
    const MARK: &str = "x9secretx9";
    let captured = Captured::default();
    let writer = captured.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter("warn,toolward_server=trace,toolward_core=trace")
        .with_writer(move || writer.clone())
        .finish();
    // One thread, so that the subscriber of this thread hears all of it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let metrics = tracing::subscriber::with_default(subscriber, || {
        runtime.block_on(async {
            let service = Service::start(Config::default()).await;
            let mut defense = service.defense().await;
            let marked = |field: &str| format!("{MARK}-{field}");
            let tool = json!([{"name": marked("tool"), "description": marked("description"), "parameters": {"type": "object"}}]);
            let request = CheckRequest {
                request_id: Some(marked("request")),
                session_id: Some(marked("session")),
                tenant: Some(marked("tenant")),
                tools: Some(Tools::ToolsJson(tool.to_string().into())),
                conversation: Some(Conversation { intent: Some(marked("intent")), ..Conversation::default() }),
                candidate: Some(candidate(&marked("call"), &json!({marked("key"): marked("value")}).to_string())),
                ..CheckRequest::default()
            };
            defense.check(request.clone()).await.unwrap();
            let refused = |request: CheckRequest| request;
            defense.check(refused(CheckRequest { policy: Some(marked("policy")), ..request.clone() })).await.unwrap_err();
            defense.check(refused(CheckRequest { now: Some(marked("now")), ..request.clone() })).await.unwrap_err();
            defense.check(refused(CheckRequest { tools: Some(Tools::ToolsetRef(marked("ref"))), ..request })).await.unwrap_err();
            support::client().post(service.url("/v1/check")).body(marked("body")).send().await.unwrap();
            support::client().get(service.url(&format!("/{MARK}"))).send().await.unwrap();
            defense.check(check("plain", "{}")).await.unwrap();
            service.metrics().await
        })
    });
    let log = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
    assert!(
        log.contains("check decided") && log.contains("request refused"),
        "{log}"
    );
    assert!(!log.contains(MARK), "{log}");
    assert!(!metrics.contains(MARK));
}
