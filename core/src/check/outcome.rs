//! What leaves a check.

use crate::{
    code::Layer,
    decide::{CallOutcome, Decision, Duplicate, Fallback, ResultOutcome, Retry},
    finding::Finding,
    trajectory::{Fingerprint, StepOutcome},
    turn::WireFormat,
};

/// What a layer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerReport {
    /// Which.
    pub layer: Layer,
    /// How it ended.
    pub outcome: LayerOutcome,
    /// How long it took, in nanoseconds; 0 where it did not run.
    pub duration_ns: u64,
}

/// How a layer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LayerOutcome {
    /// Nothing that blocks.
    Pass,
    /// Something that blocks.
    Fail,
    /// Did not run, and why.
    Skipped(Skipped),
    /// Could not answer, and why.
    Degraded(Degraded),
}

/// Why a layer did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skipped {
    /// The request left it out.
    NotAsked,
    /// The policy switched it off.
    Off,
    /// There was nothing for it to look at.
    NothingToJudge,
}

impl Skipped {
    /// The reason as it stands in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Skipped::NotAsked => "not_asked",
            Skipped::Off => "off",
            Skipped::NothingToJudge => "nothing_to_judge",
        }
    }
}

/// Why a layer could not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Degraded {
    /// The judge did not answer in time.
    Timeout,
    /// The judge could not be reached or refused.
    Unavailable,
    /// The judge's answer was neither YES nor NO.
    Unreadable,
    /// Too many questions are waiting.
    Overloaded,
}

impl Degraded {
    /// Every cause.
    pub const ALL: [Degraded; 4] = [
        Degraded::Timeout,
        Degraded::Unavailable,
        Degraded::Unreadable,
        Degraded::Overloaded,
    ];

    /// The reason as it stands in reports and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Degraded::Timeout => "timeout",
            Degraded::Unavailable => "unavailable",
            Degraded::Unreadable => "unreadable",
            Degraded::Overloaded => "overloaded",
        }
    }
}

/// What is decided, with all that led to it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The format that was read. `None`: there was no candidate.
    pub format: Option<WireFormat>,
    /// What holds: `Pass` in shadow mode.
    pub decision: Decision,
    /// False in shadow mode.
    pub enforced: bool,
    /// What would hold if enforced.
    pub would_decide: Decision,
    /// Every call that is not a duplicate, in order.
    pub calls: Vec<CallOutcome>,
    /// The calls that were dropped because they repeat another one of the same turn.
    pub duplicates: Vec<Duplicate>,
    /// Findings of the turn that belong to no one call.
    pub findings: Vec<Finding>,
    /// The text beside the calls.
    pub text: String,
    /// Every result, in order.
    pub results: Vec<ResultOutcome>,
    /// With a retry.
    pub retry: Option<Retry>,
    /// With a fallback.
    pub fallback: Option<Fallback>,
    /// The candidate rewritten. `None` with `Pass`: as received; with `Retry`: nothing may be forwarded.
    pub response: Option<Vec<u8>>,
    /// In the order run.
    pub layers: Vec<LayerReport>,
    /// The calls of this check as steps, for the session to remember.
    pub steps: Vec<CheckedStep>,
}

/// A call of this check as the session remembers it. All of one check are one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedStep {
    /// As received, or made.
    pub call_id: String,
    /// The tool's real name, or the one written.
    pub tool: String,
    /// Of the canonical arguments.
    pub arguments: Fingerprint,
    /// What is known of it: open where it may run.
    pub outcome: StepOutcome,
}

impl CheckedStep {
    /// The step as a session records it: call id, tool, arguments, outcome.
    pub fn record(&self) -> (&str, &str, Fingerprint, StepOutcome) {
        (&self.call_id, &self.tool, self.arguments, self.outcome.clone())
    }
}
