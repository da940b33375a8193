//! Findings become decisions: precedence, retry budget, feedback, fallback. Nothing else knows precedence.

mod cleared;
mod fallback;
mod feedback;
mod fold;
mod verdict;

pub use cleared::Cleared;
pub(crate) use fold::rule;
pub(crate) use verdict::decide;

use serde_json::Value;

use crate::finding::Finding;

/// What is decided of a call, a result or a turn, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Decision {
    /// As received.
    Pass,
    /// Repaired without loss.
    Repaired,
    /// Ask the model once more.
    Retry,
    /// Something simpler takes its place.
    Fallback,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Decision; 4] = [Decision::Pass, Decision::Repaired, Decision::Retry, Decision::Fallback];

    /// The name used in check documents and as a metric label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Decision::Pass => "pass",
            Decision::Repaired => "repaired",
            Decision::Retry => "retry",
            Decision::Fallback => "fallback",
        }
    }

    /// Whether what it is about may run.
    pub const fn allows(self) -> bool {
        matches!(self, Decision::Pass | Decision::Repaired)
    }
}

/// What is decided of one call.
#[derive(Debug, Clone)]
pub struct CallOutcome {
    /// As received, or made.
    pub id: String,
    /// The real name where the one written was respelt.
    pub name: String,
    /// The call's own decision.
    pub decision: Decision,
    /// All that was found of it.
    pub findings: Vec<Finding>,
    /// What may be forwarded. `None`: nothing.
    pub cleared: Option<Cleared>,
    /// RFC 6902, from what was received to what may be forwarded. `None`: nothing changed.
    pub patch: Option<Value>,
}

/// A call that repeats another one of the same turn and does not run: the other's result answers both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// As received, or made.
    pub id: String,
    /// The tool's real name.
    pub name: String,
    /// The id of the call that runs.
    pub duplicate_of: String,
}

/// What is decided of one result.
#[derive(Debug, Clone)]
pub struct ResultOutcome {
    /// The call that it answers, where known.
    pub call_id: Option<String>,
    /// The result's own decision.
    pub decision: Decision,
    /// All that was found of it.
    pub findings: Vec<Finding>,
    /// Whether it counts in the turn's decision: results of the candidate's own calls, or results that came alone.
    pub counts: bool,
}

/// The correction for the model.
#[derive(Debug, Clone)]
pub struct Retry {
    /// The attempt that was judged, from 1.
    pub attempt: u32,
    /// Attempts that the policy allows.
    pub max_attempts: u32,
    /// A JSON array of messages ready to append, in the caller's wire shape.
    pub feedback: Value,
    /// The same in words.
    pub feedback_text: String,
}

/// What takes the call's place.
#[derive(Debug, Clone, PartialEq)]
pub enum Fallback {
    /// A simpler tool.
    Tool {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// An answer in words.
    Text(String),
    /// A question to the user.
    AskUser(String),
    /// The end of the run, with the reason.
    Stop(String),
}
