//! What happened before: the steps since the last user message, from messages, history or session.
//!
//! A step is small and holds no payload but a short excerpt of a failed result, so that a session of many steps costs
//! little. Messages, history and session give the same steps for the same facts: all three go through [`Trajectory`].

pub mod canonical;
mod conversation;
pub mod failure;
pub mod names;
pub mod result;
mod session;
pub(crate) mod text;
mod volatile;
mod wire;

pub use conversation::Conversation;
pub use failure::{Failure, FailureKind};
pub use result::ReadResult;
pub use session::Session;

use std::sync::Arc;

use crate::{check::ToolResult, code::Layer, limits::Limits, turn::ProposedCall};

/// What every correction of this service begins with, so that it is known again when it comes back in the messages.
/// The layer and the code follow it.
pub const CORRECTION_MARK: &str = "[toolward]";

/// The steps since the last user message, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trajectory {
    /// Bounded by the limits: the oldest are left out.
    pub steps: Vec<Step>,
    /// Corrections that came back as plain text and belong to no step.
    pub corrections: u32,
    /// Results that answered no call.
    pub unmatched: u32,
}

/// One earlier call and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The call's id; empty where none is known.
    pub call_id: Arc<str>,
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
    /// It worked, and the result says that the work goes on.
    Pending(Fingerprint),
    /// It worked and gave nothing.
    Empty(Fingerprint),
    /// It failed.
    Failed {
        /// The error without numbers, ids, paths and quotations.
        signature: Fingerprint,
        /// The beginning of the error.
        excerpt: Arc<str>,
    },
    /// This service refused it: its own verdict, never a tool's result.
    Rejected {
        /// The layer whose finding decided.
        by: Layer,
    },
}

impl StepOutcome {
    /// Whether the tool ran and did not fail.
    pub fn succeeded(&self) -> bool {
        match self {
            StepOutcome::Done(_) | StepOutcome::Pending(_) | StepOutcome::Empty(_) => true,
            StepOutcome::Open | StepOutcome::Failed { .. } | StepOutcome::Rejected { .. } => false,
        }
    }

    /// What the tool gave, for comparison. `None`: nothing is known of it.
    pub fn given(&self) -> Option<Fingerprint> {
        match self {
            StepOutcome::Done(given) | StepOutcome::Pending(given) | StepOutcome::Empty(given) => Some(*given),
            StepOutcome::Failed { signature, .. } => Some(*signature),
            StepOutcome::Open | StepOutcome::Rejected { .. } => None,
        }
    }
}

/// An earlier step as the caller keeps it.
#[derive(Debug, Clone, Copy)]
pub struct HistoryStep<'a> {
    /// The call.
    pub call: ProposedCall<'a>,
    /// Its result; its call id is not looked at.
    pub result: Option<ToolResult<'a>>,
    /// When, in milliseconds on any one clock.
    pub t_ms: Option<i64>,
}

/// What a result answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A call that waited for it.
    Call {
        /// The tool that was called.
        tool: Arc<str>,
    },
    /// A call that had its answer already.
    Again {
        /// The tool that was called.
        tool: Arc<str>,
    },
    /// No call that is known; perhaps one of the candidate's.
    Unknown,
}

/// Which open call a result without an id answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// The first that waits: results stand in the order of the calls.
    First,
    /// The one that waits, if there is only one.
    Only,
}

impl Trajectory {
    /// The steps of a history. Each is a batch of its own: a history does not say which calls came together.
    pub fn from_history(history: &[HistoryStep<'_>], limits: &Limits) -> Self {
        let mut trajectory = Self::default();
        let skipped = history.len().saturating_sub(limits.max_steps);
        for step in history.iter().skip(skipped) {
            let outcome = step.result.map_or(StepOutcome::Open, |result| {
                ReadResult::read(&result).outcome(step.call.name)
            });
            let step = Step {
                call_id: Arc::from(step.call.id.unwrap_or_default()),
                tool: trajectory.intern(step.call.name),
                arguments: canonical::arguments_text(step.call.arguments),
                outcome,
                batch: trajectory.next_batch(),
                t_ms: step.t_ms,
            };
            trajectory.steps.push(step);
        }
        trajectory
    }

    /// What is known without a session: messages that carry steps win over the history.
    pub fn stateless(conversation: &Conversation<'_>, history: &[HistoryStep<'_>], limits: &Limits) -> Self {
        if conversation.steps.is_empty() && !history.is_empty() {
            let mut trajectory = Self::from_history(history, limits);
            trajectory.corrections = conversation.corrections;
            trajectory.unmatched = conversation.unmatched;
            return trajectory;
        }
        conversation.trajectory()
    }

    /// Gives results to the calls that wait for them: by id, and without an id where only one waits. One answer for
    /// each result, in order.
    pub fn answer(&mut self, results: &[ToolResult<'_>]) -> Vec<Answer> {
        results
            .iter()
            .map(|result| self.take(result.call_id, None, &ReadResult::read(result), Position::Only))
            .collect()
    }

    /// Which try at this turn comes next, from 1: one more than the batches that were refused in a row.
    pub fn attempt(&self) -> u32 {
        let mut refused = 0;
        let mut batch = None;
        for step in self.steps.iter().rev() {
            match step.outcome {
                StepOutcome::Rejected { .. } if batch == Some(step.batch) => {}
                StepOutcome::Rejected { .. } => refused += 1,
                StepOutcome::Open
                | StepOutcome::Done(_)
                | StepOutcome::Pending(_)
                | StepOutcome::Empty(_)
                | StepOutcome::Failed { .. } => {
                    if batch != Some(step.batch) {
                        break;
                    }
                }
            }
            batch = Some(step.batch);
        }
        refused + self.corrections + 1
    }

    /// How often a layer has refused calls of a tool since the user last spoke: the error class's share of the budget.
    pub fn rejections(&self, tool: &str, layer: Layer) -> u32 {
        let refused = self
            .steps
            .iter()
            .filter(|step| &*step.tool == tool && step.outcome == StepOutcome::Rejected { by: layer })
            .count();
        u32::try_from(refused).unwrap_or(u32::MAX)
    }

    fn next_batch(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.batch.wrapping_add(1))
    }

    /// Gives one result to the call that it answers.
    fn take(
        &mut self,
        call_id: Option<&str>,
        tool: Option<&str>,
        result: &ReadResult<'_>,
        position: Position,
    ) -> Answer {
        let found = match call_id.filter(|id| !id.is_empty()) {
            Some(id) => self.steps.iter().rposition(|step| &*step.call_id == id),
            None => self.waiting(tool, position),
        };
        let Some(step) = found.and_then(|index| self.steps.get_mut(index)) else {
            return Answer::Unknown;
        };
        let tool = Arc::clone(&step.tool);
        match step.outcome {
            StepOutcome::Open => {
                step.outcome = result.outcome(&tool);
                Answer::Call { tool }
            }
            StepOutcome::Rejected { .. } => Answer::Call { tool },
            StepOutcome::Done(_) | StepOutcome::Pending(_) | StepOutcome::Empty(_) | StepOutcome::Failed { .. } => {
                Answer::Again { tool }
            }
        }
    }

    fn waiting(&self, tool: Option<&str>, position: Position) -> Option<usize> {
        let mut open = self
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| step.outcome == StepOutcome::Open && tool.is_none_or(|tool| &*step.tool == tool))
            .map(|(index, _)| index);
        let first = open.next()?;
        match position {
            Position::First => Some(first),
            Position::Only => open.next().is_none().then_some(first),
        }
    }

    fn intern(&self, name: &str) -> Arc<str> {
        self.steps
            .iter()
            .rev()
            .find(|step| &*step.tool == name)
            .map_or_else(|| Arc::from(name), |step| Arc::clone(&step.tool))
    }

    fn trim(&mut self, max_steps: usize) {
        let excess = self.steps.len().saturating_sub(max_steps);
        self.steps.drain(..excess);
    }
}
