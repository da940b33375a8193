//! What happened before: the steps since the last user message, from messages, history or session.
//!
//! A step is small and holds no payload but a short excerpt of a failed result, so that a session of many steps costs
//! little. Messages, history and session give the same steps for the same facts.

mod conversation;

pub use conversation::Conversation;

use std::sync::Arc;

use crate::code::Layer;

/// The steps since the last user message, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trajectory {
    /// Bounded by the limits: the oldest are left out.
    pub steps: Vec<Step>,
}

/// One earlier call and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The call's id; empty where none is known.
    pub call_id: Box<str>,
    /// The tool's name as it was called.
    pub tool: Arc<str>,
    /// The canonical arguments: key order, spacing and 1 = 1.0 make no difference.
    pub arguments: Fingerprint,
    /// What came of it.
    pub outcome: StepOutcome,
    /// Calls of one response share a batch: they are one step of progress.
    pub batch: u32,
    /// When, in milliseconds on any one clock.
    pub t_ms: Option<i64>,
}

/// A 64-bit xxh3 of canonical content: the same on every replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint(pub u64);

/// What came of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum StepOutcome {
    /// No result is known.
    Open,
    /// It worked; the fingerprint of the result without its volatile fields.
    Done(Fingerprint),
    /// It worked and gave nothing.
    Empty(Fingerprint),
    /// It failed.
    Failed {
        /// The error without numbers, ids, paths and quotations.
        signature: Fingerprint,
        /// The beginning of the error.
        excerpt: Box<str>,
    },
    /// This service refused it: its own verdict, never a tool's result.
    Rejected {
        /// The layer whose finding decided.
        by: Layer,
    },
}
