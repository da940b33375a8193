//! Every metric that the service has: name, help, labels, and each series that can ever exist.
//!
//! Series come from closed enums only, so nothing that a caller or a model sends can become one, and all of them stand
//! at 0 from the start. `docs/metrics.md` is written from this table.

use toolward_core::{
    check::Degraded,
    code::{Action, Code, Layer},
    decide::Decision,
    turn::WireFormat,
};

use crate::{
    error::Error,
    telemetry::labels::{
        CacheResult, FallbackLabel, JudgeOutcome, Lookup, ON_FAULTS, Outcome, RUN_MODES, on_fault, run_mode,
    },
};

/// What kind of metric it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Only goes up.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A distribution over these buckets.
    Histogram(&'static [f64]),
}

impl Kind {
    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        }
    }
}

/// One metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// `toolward_<noun>_<unit>[_total]`.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// Counter, gauge or histogram.
    pub kind: Kind,
    /// The labels' names.
    pub labels: &'static [&'static str],
    /// Every combination of label values, in the order in which the handles are kept.
    pub series: fn() -> Vec<Vec<&'static str>>,
}

/// Buckets of a check, in seconds: from a small call to a judge that is waited for.
const CHECK_BUCKETS: &[f64] = &[
    0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
    0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Buckets of one layer, in seconds.
const LAYER_BUCKETS: &[f64] = &[
    0.000_001,
    0.000_002_5,
    0.000_005,
    0.000_01,
    0.000_025,
    0.000_05,
    0.000_1,
    0.000_25,
    0.001,
    0.01,
    0.1,
];

/// Buckets of a judge's answer, in seconds.
const JUDGE_BUCKETS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.8, 1.0, 2.0, 5.0, 10.0, 30.0];

fn single() -> Vec<Vec<&'static str>> {
    vec![Vec::new()]
}

fn one(values: impl IntoIterator<Item = &'static str>) -> Vec<Vec<&'static str>> {
    values.into_iter().map(|value| vec![value]).collect()
}

/// Codes of repairs, in the order of [`Code::ALL`].
pub fn repairs() -> impl Iterator<Item = Code> {
    Code::ALL
        .iter()
        .copied()
        .filter(|code| code.default_action() == Action::Repair)
}

/// Checks by decision and mode.
pub const DECISIONS: Metric = Metric {
    name: "toolward_decisions_total",
    help: "Checks decided. With mode=shadow the decision is the one that would have held. Success rate: pass and repaired over all; fallback rate: fallback over all.",
    kind: Kind::Counter,
    labels: &["decision", "mode"],
    series: || {
        Decision::ALL
            .into_iter()
            .flat_map(|decision| RUN_MODES.map(|shadow| vec![decision.as_str(), run_mode(shadow)]))
            .collect()
    },
};

/// Calls by decision and wire format.
pub const CALLS: Metric = Metric {
    name: "toolward_calls_total",
    help: "Tool calls judged, by their own decision and the format in which they came. Duplicates that were dropped are not counted.",
    kind: Kind::Counter,
    labels: &["decision", "format"],
    series: || {
        Decision::ALL
            .into_iter()
            .flat_map(|decision| WireFormat::ALL.map(|format| vec![decision.as_str(), format.as_str()]))
            .collect()
    },
};

/// Results by decision.
pub const RESULTS: Metric = Metric {
    name: "toolward_results_total",
    help: "Tool results judged, by their own decision.",
    kind: Kind::Counter,
    labels: &["decision"],
    series: || one(Decision::ALL.map(Decision::as_str)),
};

/// Findings by code.
pub const FINDINGS: Metric = Metric {
    name: "toolward_findings_total",
    help: "Findings by layer and code. enforced=false: told, without effect (shadow).",
    kind: Kind::Counter,
    labels: &["layer", "code", "enforced"],
    series: || {
        Code::ALL
            .iter()
            .flat_map(|code| ["false", "true"].map(|enforced| vec![code.layer().as_str(), code.as_str(), enforced]))
            .collect()
    },
};

/// Repairs by code.
pub const REPAIRS: Metric = Metric {
    name: "toolward_repairs_total",
    help: "Lossless repairs that took effect, by kind.",
    kind: Kind::Counter,
    labels: &["code"],
    series: || one(repairs().map(Code::as_str)),
};

/// Retries.
pub const RETRIES: Metric = Metric {
    name: "toolward_retries_total",
    help: "Checks that sent the model back with a correction.",
    kind: Kind::Counter,
    labels: &[],
    series: single,
};

/// Exhausted budgets.
pub const RETRY_BUDGET_EXHAUSTED: Metric = Metric {
    name: "toolward_retry_budget_exhausted_total",
    help: "Checks that fell back because corrections had piled up.",
    kind: Kind::Counter,
    labels: &[],
    series: single,
};

/// Fallbacks by kind.
pub const FALLBACKS: Metric = Metric {
    name: "toolward_fallbacks_total",
    help: "Fallbacks by what took the call's place.",
    kind: Kind::Counter,
    labels: &["kind"],
    series: || one(FallbackLabel::ALL.map(FallbackLabel::as_str)),
};

/// Layers by how they ended.
pub const LAYER_OUTCOMES: Metric = Metric {
    name: "toolward_layer_outcomes_total",
    help: "Runs of each layer, by how they ended.",
    kind: Kind::Counter,
    labels: &["layer", "outcome"],
    series: || {
        Layer::ALL
            .into_iter()
            .flat_map(|layer| Outcome::ALL.map(|outcome| vec![layer.as_str(), outcome.as_str()]))
            .collect()
    },
};

/// Layers that could not answer.
pub const DEGRADED: Metric = Metric {
    name: "toolward_degraded_total",
    help: "Checks in which a layer could not answer, by cause and by what the policy made of it (open: passed unjudged).",
    kind: Kind::Counter,
    labels: &["layer", "cause", "on_fault"],
    series: || {
        Layer::ALL
            .into_iter()
            .flat_map(|layer| Degraded::ALL.map(|cause| (layer, cause)))
            .flat_map(|(layer, cause)| ON_FAULTS.map(|fault| vec![layer.as_str(), cause.as_str(), on_fault(fault)]))
            .collect()
    },
};

/// Refused requests.
pub const REFUSALS: Metric = Metric {
    name: "toolward_refusals_total",
    help: "Requests that could not be judged, by the reason told to the caller.",
    kind: Kind::Counter,
    labels: &["reason"],
    series: || one(Error::reasons()),
};

/// Panics.
pub const PANICS: Metric = Metric {
    name: "toolward_panics_total",
    help: "Panics that were contained; each is a defect.",
    kind: Kind::Counter,
    labels: &[],
    series: single,
};

/// Time of a check.
pub const CHECK_DURATION: Metric = Metric {
    name: "toolward_check_duration_seconds",
    help: "Time from a decoded request to its decision, waits for sessions and the judge included.",
    kind: Kind::Histogram(CHECK_BUCKETS),
    labels: &[],
    series: single,
};

/// Time of a layer.
pub const LAYER_DURATION: Metric = Metric {
    name: "toolward_layer_duration_seconds",
    help: "Time that a layer computed, where it ran; waits for the judge are not in it.",
    kind: Kind::Histogram(LAYER_BUCKETS),
    labels: &["layer"],
    series: || one(Layer::ALL.map(Layer::as_str)),
};

/// Checks in flight.
pub const IN_FLIGHT: Metric = Metric {
    name: "toolward_in_flight_checks",
    help: "Requests that are being worked on.",
    kind: Kind::Gauge,
    labels: &[],
    series: single,
};

/// Sessions kept.
pub const SESSIONS: Metric = Metric {
    name: "toolward_sessions",
    help: "Sessions in memory.",
    kind: Kind::Gauge,
    labels: &[],
    series: single,
};

/// Toolset cache.
pub const TOOLSET_CACHE: Metric = Metric {
    name: "toolward_toolset_cache_total",
    help: "Look-ups of toolsets: hit (compiled before), miss (compiled now), unknown (a reference that was never seen or is forgotten).",
    kind: Kind::Counter,
    labels: &["result"],
    series: || one(Lookup::ALL.map(Lookup::as_str)),
};

/// Judge requests.
pub const JUDGE_REQUESTS: Metric = Metric {
    name: "toolward_judge_requests_total",
    help: "Questions put to the judge's backend, by how they ended. Answers from the cache are not in it.",
    kind: Kind::Counter,
    labels: &["backend", "outcome"],
    series: || {
        JudgeOutcome::ALL
            .iter()
            .map(|outcome| vec!["openai", outcome.as_str()])
            .collect()
    },
};

/// Judge retries.
pub const JUDGE_RETRIES: Metric = Metric {
    name: "toolward_judge_retries_total",
    help: "Second and later tries of one question, within its deadline.",
    kind: Kind::Counter,
    labels: &[],
    series: single,
};

/// Judge cache.
pub const JUDGE_CACHE: Metric = Metric {
    name: "toolward_judge_cache_total",
    help: "Questions by whether a verdict was known (hit, also when an equal question in flight answered it) or had to be asked for (miss).",
    kind: Kind::Counter,
    labels: &["result"],
    series: || one(CacheResult::ALL.map(CacheResult::as_str)),
};

/// Judge tokens.
pub const JUDGE_TOKENS: Metric = Metric {
    name: "toolward_judge_tokens_total",
    help: "Tokens that the judge's backend says it used.",
    kind: Kind::Counter,
    labels: &["direction"],
    series: || one(["input", "output"]),
};

/// Time of a judge's answer.
pub const JUDGE_DURATION: Metric = Metric {
    name: "toolward_judge_duration_seconds",
    help: "Time of one question to the judge's backend, retries included.",
    kind: Kind::Histogram(JUDGE_BUCKETS),
    labels: &[],
    series: single,
};

/// All of them, in the order of the document.
pub const ALL: [Metric; 22] = [
    DECISIONS,
    CALLS,
    RESULTS,
    FINDINGS,
    REPAIRS,
    RETRIES,
    RETRY_BUDGET_EXHAUSTED,
    FALLBACKS,
    LAYER_OUTCOMES,
    DEGRADED,
    REFUSALS,
    PANICS,
    CHECK_DURATION,
    LAYER_DURATION,
    IN_FLIGHT,
    SESSIONS,
    TOOLSET_CACHE,
    JUDGE_REQUESTS,
    JUDGE_RETRIES,
    JUDGE_CACHE,
    JUDGE_TOKENS,
    JUDGE_DURATION,
];

/// The table as Markdown: the whole of `docs/metrics.md`.
pub fn document() -> String {
    let mut text = String::from(
        "# Metrics\n\nServed at `/metrics` of the HTTP port. Written from `server/src/telemetry/catalogue.rs` by `just docs`; do not edit.\nEvery series stands at 0 from the start. Labels take their values from closed lists; nothing that a caller or a model\nsends becomes one.\n\n| metric | kind | labels | series | meaning |\n|---|---|---|---|---|\n",
    );
    for metric in ALL {
        let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
        text.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            metric.name,
            metric.kind.as_str(),
            labels.join(", "),
            (metric.series)().len(),
            metric.help
        ));
    }
    text.push_str("\n## Label values\n\n| metric | label | values |\n|---|---|---|\n");
    for metric in ALL {
        let series = (metric.series)();
        for (position, label) in metric.labels.iter().enumerate() {
            let mut values: Vec<&str> = Vec::new();
            for value in series.iter().filter_map(|row| row.get(position).copied()) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            let said = if *label == "code" {
                "codes of `docs/codes.md`".to_owned()
            } else {
                values
                    .iter()
                    .map(|value| format!("`{value}`"))
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            text.push_str(&format!("| `{}` | `{label}` | {said} |\n", metric.name));
        }
    }
    text
}
