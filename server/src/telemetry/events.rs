//! What happens, each as one value whose `emit` counts and logs it together.
//!
//! No event holds arguments, messages, results or names that a caller or a model chose; what cannot be held cannot
//! leak. Log messages are constant, facts are fields of closed lists.

use std::time::Duration;

use toolward_core::{
    check::{LayerOutcome, Outcome},
    code::{Code, Layer},
    decide::Decision,
    finding::Finding,
    policy::Policy,
};
use tracing::{debug, error, info, warn};
use uuid::Uuid;

use crate::{
    error::Error,
    telemetry::{
        labels::{CacheResult, FallbackLabel, JudgeOutcome, Lookup, run_mode},
        metrics::Metrics,
    },
};

/// A check was decided.
#[derive(Debug)]
pub struct CheckEvent<'a> {
    /// What was decided.
    pub outcome: &'a Outcome,
    /// Under which policy.
    pub policy: &'a Policy,
    /// The decision's id.
    pub decision_id: Uuid,
    /// From the decoded request to the decision.
    pub took: Duration,
}

impl CheckEvent<'_> {
    /// Counts and logs it.
    pub fn emit(&self, metrics: &Metrics) {
        let outcome = self.outcome;
        metrics.decision(outcome.would_decide, !outcome.enforced);
        metrics.check_took(self.took.as_secs_f64());
        for call in &outcome.calls {
            if let Some(format) = outcome.format {
                metrics.call(call.decision, format);
            }
        }
        for result in &outcome.results {
            metrics.result(result.decision);
        }
        let mut exhausted = false;
        for finding in findings(outcome) {
            metrics.finding(finding.code, finding.enforced);
            if finding.enforced {
                metrics.repair(finding.code);
                exhausted |= finding.code == Code::RetryStorm;
            }
        }
        match outcome.decision {
            Decision::Pass | Decision::Repaired => {}
            Decision::Retry => metrics.retry(),
            Decision::Fallback => {
                if exhausted {
                    metrics.retry_budget_exhausted();
                }
            }
        }
        if let Some(fallback) = &outcome.fallback {
            metrics.fallback(FallbackLabel::from(fallback));
        }
        self.emit_layers(metrics);
        self.log();
    }

    fn emit_layers(&self, metrics: &Metrics) {
        for report in &self.outcome.layers {
            metrics.layer(report.layer, report.outcome.into());
            match report.outcome {
                LayerOutcome::Pass | LayerOutcome::Fail => {
                    metrics.layer_took(report.layer, Duration::from_nanos(report.duration_ns).as_secs_f64());
                }
                LayerOutcome::Skipped(_) => {}
                LayerOutcome::Degraded(cause) => {
                    let on_fault = self.policy.on_fault(report.layer);
                    metrics.layer_took(report.layer, Duration::from_nanos(report.duration_ns).as_secs_f64());
                    metrics.degraded(report.layer, cause, on_fault);
                    warn!(layer = report.layer.as_str(), cause = cause.as_str(), "layer degraded");
                }
            }
        }
    }

    fn log(&self) {
        let outcome = self.outcome;
        let (decision, would_decide) = (outcome.decision.as_str(), outcome.would_decide.as_str());
        let mode = run_mode(!outcome.enforced);
        let (calls, results) = (outcome.calls.len(), outcome.results.len());
        let took_us = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX);
        let (id, policy) = (self.decision_id.simple(), self.policy.revision());
        match outcome.would_decide {
            Decision::Pass => {
                debug!(decision_id = %id, policy, decision, mode, calls, results, took_us, "check decided");
            }
            Decision::Repaired | Decision::Retry | Decision::Fallback => {
                let codes = Codes(outcome);
                info!(decision_id = %id, policy, decision, would_decide, mode, calls, results, took_us, %codes, "check decided");
            }
        }
    }
}

/// The codes of an outcome's findings, each once, for one log field.
struct Codes<'a>(&'a Outcome);

impl std::fmt::Display for Codes<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut seen = [false; Code::ALL.len()];
        let mut first = true;
        for finding in findings(self.0) {
            let Some(slot) = seen.get_mut(finding.code.index()) else {
                continue;
            };
            if std::mem::replace(slot, true) {
                continue;
            }
            if !std::mem::take(&mut first) {
                out.write_str(",")?;
            }
            out.write_str(finding.code.as_str())?;
        }
        Ok(())
    }
}

fn findings(outcome: &Outcome) -> impl Iterator<Item = &Finding> {
    outcome
        .findings
        .iter()
        .chain(outcome.calls.iter().flat_map(|call| &call.findings))
        .chain(outcome.results.iter().flat_map(|result| &result.findings))
}

/// A request could not be judged.
#[derive(Debug)]
pub struct RefusalEvent<'a> {
    /// Why.
    pub error: &'a Error,
}

impl RefusalEvent<'_> {
    /// Counts and logs it.
    pub fn emit(&self, metrics: &Metrics) {
        metrics.refusal(self.error);
        let reason = self.error.reason();
        match self.error {
            Error::Internal => error!(reason, "request failed"),
            Error::Overloaded | Error::DeadlineExceeded => warn!(reason, "request refused"),
            Error::Refused(_)
            | Error::Document(_)
            | Error::PolicyUnknown
            | Error::OptionsInvalid(_)
            | Error::ToolsetUnknown
            | Error::SessionInvalid(_)
            | Error::PathUnknown
            | Error::BodyTooLarge(_)
            | Error::Cancelled
            | Error::Draining => debug!(reason, "request refused"),
        }
    }
}

/// A panic was contained.
#[derive(Debug)]
pub struct PanicEvent;

impl PanicEvent {
    /// Counts and logs it. Where it happened is the panic hook's to say.
    pub fn emit(&self, metrics: &Metrics) {
        metrics.panic();
        error!("panic contained");
    }
}

/// A toolset was looked up.
#[derive(Debug)]
pub struct ToolsetEvent {
    /// How it ended.
    pub lookup: Lookup,
}

impl ToolsetEvent {
    /// Counts it.
    pub fn emit(&self, metrics: &Metrics) {
        metrics.toolset(self.lookup);
    }
}

/// A verdict was looked up.
#[derive(Debug)]
pub struct JudgeCacheEvent {
    /// How it ended.
    pub result: CacheResult,
}

impl JudgeCacheEvent {
    /// Counts it.
    pub fn emit(&self, metrics: &Metrics) {
        metrics.judge_cache(self.result);
    }
}

/// The judge's backend answered a question, or did not.
#[derive(Debug)]
pub struct JudgeEvent {
    /// How it ended.
    pub outcome: JudgeOutcome,
    /// All tries together.
    pub took: Duration,
}

impl JudgeEvent {
    /// Counts and logs it.
    pub fn emit(&self, metrics: &Metrics) {
        metrics.judged(self.outcome, self.took.as_secs_f64());
        debug!(
            layer = Layer::Semantic.as_str(),
            outcome = self.outcome.as_str(),
            took_ms = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "judge asked"
        );
    }
}

/// A question is put to the judge's backend once more.
#[derive(Debug)]
pub struct JudgeRetryEvent;

impl JudgeRetryEvent {
    /// Counts it.
    pub fn emit(&self, metrics: &Metrics) {
        metrics.judge_retry();
    }
}

/// The judge's backend said what it used.
#[derive(Debug)]
pub struct JudgeTokensEvent {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

impl JudgeTokensEvent {
    /// Counts it.
    pub fn emit(&self, metrics: &Metrics) {
        metrics.judge_tokens(self.input, self.output);
    }
}
