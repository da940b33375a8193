//! The handles of every metric, registered once and found by enum: no name is looked up on the hot path.
//!
//! Each service has a registry of its own, so that several run in one process (tests, the embedded command).

use std::fmt;

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, Recorder};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use toolward_core::{
    check::Degraded,
    code::{Code, Layer},
    decide::Decision,
    policy::OnFault,
    turn::WireFormat,
};

use crate::{
    error::Error,
    telemetry::{
        catalogue::{self, Kind, Metric},
        labels::{CacheResult, FallbackLabel, JudgeOutcome, Lookup, Outcome},
    },
};

const METADATA: Metadata<'static> = Metadata::new("toolward", Level::INFO, None);

/// The handles of one metric, in the order of its series.
struct Family<T>(Box<[T]>);

impl Family<Counter> {
    fn add(&self, index: usize, count: u64) {
        if let Some(counter) = self.0.get(index) {
            counter.increment(count);
        }
    }
}

impl Family<Histogram> {
    fn record(&self, index: usize, value: f64) {
        if let Some(histogram) = self.0.get(index) {
            histogram.record(value);
        }
    }
}

/// All metrics of one service.
pub struct Metrics {
    handle: PrometheusHandle,
    decisions: Family<Counter>,
    calls: Family<Counter>,
    results: Family<Counter>,
    findings: Family<Counter>,
    repairs: Family<Counter>,
    repair_index: Box<[Option<usize>]>,
    retries: Family<Counter>,
    retry_budget_exhausted: Family<Counter>,
    fallbacks: Family<Counter>,
    layer_outcomes: Family<Counter>,
    degraded: Family<Counter>,
    refusals: Family<Counter>,
    panics: Family<Counter>,
    check_duration: Family<Histogram>,
    layer_duration: Family<Histogram>,
    in_flight: Family<Gauge>,
    sessions: Family<Gauge>,
    toolset_cache: Family<Counter>,
    judge_requests: Family<Counter>,
    judge_retries: Family<Counter>,
    judge_cache: Family<Counter>,
    judge_tokens: Family<Counter>,
    judge_duration: Family<Histogram>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Metrics")
    }
}

impl Metrics {
    /// A registry with every series of the catalogue at 0.
    ///
    /// # Errors
    /// Where the catalogue's buckets cannot be used; a defect.
    pub fn new() -> Result<Self, BuildError> {
        let mut builder = PrometheusBuilder::new();
        for metric in catalogue::ALL {
            if let Kind::Histogram(buckets) = metric.kind {
                builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)?;
            }
        }
        let recorder = builder.build_recorder();
        for metric in catalogue::ALL {
            describe(&recorder, &metric);
        }
        let counters = |metric: Metric| family(&metric, |key| recorder.register_counter(key, &METADATA));
        let gauges = |metric: Metric| family(&metric, |key| recorder.register_gauge(key, &METADATA));
        let histograms = |metric: Metric| family(&metric, |key| recorder.register_histogram(key, &METADATA));
        let metrics = Self {
            handle: recorder.handle(),
            decisions: counters(catalogue::DECISIONS),
            calls: counters(catalogue::CALLS),
            results: counters(catalogue::RESULTS),
            findings: counters(catalogue::FINDINGS),
            repairs: counters(catalogue::REPAIRS),
            repair_index: Code::ALL
                .iter()
                .map(|code| catalogue::repairs().position(|repair| repair == *code))
                .collect(),
            retries: counters(catalogue::RETRIES),
            retry_budget_exhausted: counters(catalogue::RETRY_BUDGET_EXHAUSTED),
            fallbacks: counters(catalogue::FALLBACKS),
            layer_outcomes: counters(catalogue::LAYER_OUTCOMES),
            degraded: counters(catalogue::DEGRADED),
            refusals: counters(catalogue::REFUSALS),
            panics: counters(catalogue::PANICS),
            check_duration: histograms(catalogue::CHECK_DURATION),
            layer_duration: histograms(catalogue::LAYER_DURATION),
            in_flight: gauges(catalogue::IN_FLIGHT),
            sessions: gauges(catalogue::SESSIONS),
            toolset_cache: counters(catalogue::TOOLSET_CACHE),
            judge_requests: counters(catalogue::JUDGE_REQUESTS),
            judge_retries: counters(catalogue::JUDGE_RETRIES),
            judge_cache: counters(catalogue::JUDGE_CACHE),
            judge_tokens: counters(catalogue::JUDGE_TOKENS),
            judge_duration: histograms(catalogue::JUDGE_DURATION),
        };
        Ok(metrics)
    }

    /// The text that Prometheus scrapes.
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Folds samples that have piled up; to be called every few seconds.
    pub fn run_upkeep(&self) {
        self.handle.run_upkeep();
    }

    pub(super) fn decision(&self, decision: Decision, shadow: bool) {
        self.decisions.add(decision as usize * 2 + usize::from(shadow), 1);
    }

    pub(super) fn call(&self, decision: Decision, format: WireFormat) {
        self.calls
            .add(decision as usize * WireFormat::ALL.len() + format as usize, 1);
    }

    pub(super) fn result(&self, decision: Decision) {
        self.results.add(decision as usize, 1);
    }

    pub(super) fn finding(&self, code: Code, enforced: bool) {
        self.findings.add(code.index() * 2 + usize::from(enforced), 1);
    }

    pub(super) fn repair(&self, code: Code) {
        if let Some(index) = self.repair_index.get(code.index()).copied().flatten() {
            self.repairs.add(index, 1);
        }
    }

    pub(super) fn retry(&self) {
        self.retries.add(0, 1);
    }

    pub(super) fn retry_budget_exhausted(&self) {
        self.retry_budget_exhausted.add(0, 1);
    }

    pub(super) fn fallback(&self, kind: FallbackLabel) {
        self.fallbacks.add(kind as usize, 1);
    }

    pub(super) fn layer(&self, layer: Layer, outcome: Outcome) {
        self.layer_outcomes
            .add(layer.index() * Outcome::ALL.len() + outcome as usize, 1);
    }

    pub(super) fn degraded(&self, layer: Layer, cause: Degraded, on_fault: OnFault) {
        let open = match on_fault {
            OnFault::Closed => 0,
            OnFault::Open => 1,
        };
        self.degraded
            .add((layer.index() * Degraded::ALL.len() + cause as usize) * 2 + open, 1);
    }

    pub(super) fn refusal(&self, error: &Error) {
        let reason = error.reason();
        if let Some(index) = Error::reasons().position(|other| other == reason) {
            self.refusals.add(index, 1);
        }
    }

    pub(super) fn panic(&self) {
        self.panics.add(0, 1);
    }

    pub(super) fn check_took(&self, seconds: f64) {
        self.check_duration.record(0, seconds);
    }

    pub(super) fn layer_took(&self, layer: Layer, seconds: f64) {
        self.layer_duration.record(layer.index(), seconds);
    }

    pub(super) fn toolset(&self, lookup: Lookup) {
        self.toolset_cache.add(lookup as usize, 1);
    }

    pub(super) fn judged(&self, outcome: JudgeOutcome, seconds: f64) {
        self.judge_requests.add(outcome as usize, 1);
        self.judge_duration.record(0, seconds);
    }

    pub(super) fn judge_retry(&self) {
        self.judge_retries.add(0, 1);
    }

    pub(super) fn judge_cache(&self, result: CacheResult) {
        self.judge_cache.add(result as usize, 1);
    }

    pub(super) fn judge_tokens(&self, input: u64, output: u64) {
        self.judge_tokens.add(0, input);
        self.judge_tokens.add(1, output);
    }

    /// One request more is being worked on.
    pub fn entered(&self) {
        if let Some(gauge) = self.in_flight.0.first() {
            gauge.increment(1.0);
        }
    }

    /// One request less is being worked on.
    pub fn left(&self) {
        if let Some(gauge) = self.in_flight.0.first() {
            gauge.decrement(1.0);
        }
    }

    /// How many sessions are kept.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a gauge is a float, and so many sessions do not fit in memory"
    )]
    pub fn sessions(&self, count: u64) {
        if let Some(gauge) = self.sessions.0.first() {
            gauge.set(count as f64);
        }
    }
}

fn describe(recorder: &PrometheusRecorder, metric: &Metric) {
    let name = KeyName::from_const_str(metric.name);
    match metric.kind {
        Kind::Counter => recorder.describe_counter(name, None, metric.help.into()),
        Kind::Gauge => recorder.describe_gauge(name, None, metric.help.into()),
        Kind::Histogram(_) => recorder.describe_histogram(name, None, metric.help.into()),
    }
}

fn family<T>(metric: &Metric, register: impl Fn(&Key) -> T) -> Family<T> {
    let handles = (metric.series)()
        .into_iter()
        .map(|row| {
            let labels: Vec<Label> = metric
                .labels
                .iter()
                .zip(row)
                .map(|(name, value)| Label::from_static_parts(name, value))
                .collect();
            register(&Key::from_parts(metric.name, labels))
        })
        .collect();
    Family(handles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Touches one series through its typed door and says which one moved.
    fn moved(touch: impl Fn(&Metrics)) -> Vec<String> {
        let metrics = Metrics::new().unwrap();
        touch(&metrics);
        let text = metrics.render();
        text.lines()
            .filter(|line| !line.starts_with('#') && line.ends_with(" 1"))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn every_handle_is_the_series_that_it_is_named_for() {
        let last = *Code::ALL.last().unwrap();
        let cases: Vec<(Vec<String>, String)> = vec![
            (
                moved(|it| it.decision(Decision::Fallback, true)),
                "toolward_decisions_total{decision=\"fallback\",mode=\"shadow\"} 1".into(),
            ),
            (
                moved(|it| it.decision(Decision::Pass, false)),
                "toolward_decisions_total{decision=\"pass\",mode=\"enforce\"} 1".into(),
            ),
            (
                moved(|it| it.call(Decision::Retry, WireFormat::Mcp)),
                "toolward_calls_total{decision=\"retry\",format=\"mcp\"} 1".into(),
            ),
            (
                moved(|it| it.result(Decision::Fallback)),
                "toolward_results_total{decision=\"fallback\"} 1".into(),
            ),
            (
                moved(|it| it.finding(last, true)),
                format!(
                    "toolward_findings_total{{layer=\"{}\",code=\"{}\",enforced=\"true\"}} 1",
                    last.layer().as_str(),
                    last.as_str()
                ),
            ),
            (
                moved(|it| it.repair(Code::RepairedToolName)),
                "toolward_repairs_total{code=\"repaired_tool_name\"} 1".into(),
            ),
            (
                moved(|it| it.fallback(FallbackLabel::Stop)),
                "toolward_fallbacks_total{kind=\"stop\"} 1".into(),
            ),
            (
                moved(|it| it.layer(Layer::Cascade, Outcome::Degraded)),
                "toolward_layer_outcomes_total{layer=\"cascade\",outcome=\"degraded\"} 1".into(),
            ),
            (
                moved(|it| it.degraded(Layer::Semantic, Degraded::Unreadable, OnFault::Open)),
                "toolward_degraded_total{layer=\"semantic\",cause=\"unreadable\",on_fault=\"open\"} 1".into(),
            ),
            (
                moved(|it| it.refusal(&Error::Internal)),
                "toolward_refusals_total{reason=\"INTERNAL\"} 1".into(),
            ),
            (
                moved(|it| it.toolset(Lookup::Unknown)),
                "toolward_toolset_cache_total{result=\"unknown\"} 1".into(),
            ),
            (
                moved(|it| it.judge_cache(CacheResult::Miss)),
                "toolward_judge_cache_total{result=\"miss\"} 1".into(),
            ),
        ];
        for (moved, expected) in cases {
            assert_eq!(moved, [expected]);
        }
    }

    #[test]
    fn a_code_that_is_no_repair_counts_as_none() {
        assert!(moved(|it| it.repair(Code::UnknownTool)).is_empty());
    }

    #[test]
    fn services_of_one_process_do_not_share_counts() {
        let (first, second) = (Metrics::new().unwrap(), Metrics::new().unwrap());
        first.retry();
        assert!(first.render().contains("toolward_retries_total 1"));
        assert!(second.render().contains("toolward_retries_total 0"));
    }
}
