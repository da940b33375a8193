//! A session: the steps of the turn at hand, kept between requests so that callers need not send them.
//!
//! Pure state, bounded, a hundred bytes or so a step. The shell keeps it, hands it in and puts it back.

use std::sync::Arc;

use super::{Answer, Conversation, Fingerprint, Position, ReadResult, Step, StepOutcome, Trajectory};
use crate::{check::ToolResult, finding::shorten, limits::Limits};

/// Longest intent that a session remembers, in characters.
const MAX_INTENT_CHARS: usize = 4_000;

/// User messages that a session knows again.
const MAX_SAID: usize = 32;

/// What is remembered between the requests of one conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    trajectory: Trajectory,
    /// The most user messages that were ever sent.
    user_turns: u32,
    /// Last user messages that were seen, the latest last.
    said: Vec<Fingerprint>,
    intent: Option<Arc<str>>,
    toolset: Option<Arc<str>>,
}

impl Session {
    /// A session of which nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in what the next request tells before its calls are judged: first results, which answer the steps that
    /// wait, then the messages. A user message that was not there before begins a new turn and clears the steps.
    /// Messages that carry steps take the place of the session's, but what was refused stays.
    ///
    /// One answer for each result, in order. [`Answer::Unknown`] may be a result of one of the request's own calls:
    /// record that call with the result's outcome.
    pub fn begin(&mut self, conversation: Option<&Conversation<'_>>, results: &[ToolResult<'_>]) -> Vec<Answer> {
        let mut answers = self.trajectory.answer(results);
        let Some(conversation) = conversation else {
            return answers;
        };
        if self.is_new_turn(conversation) {
            self.trajectory = Trajectory::default();
        }
        if conversation.user_turns > 0 {
            self.user_turns = self.user_turns.max(conversation.user_turns);
            self.remember(said(conversation));
            self.intent = conversation
                .last_user_text
                .as_deref()
                .filter(|text| !text.is_empty())
                .map(|text| Arc::from(shorten(text, MAX_INTENT_CHARS)));
        }
        if !conversation.steps.is_empty() {
            self.merge(conversation);
            for (answer, result) in answers.iter_mut().zip(results) {
                if *answer == Answer::Unknown {
                    *answer = self
                        .trajectory
                        .take(result.call_id, None, &ReadResult::read(result), Position::Only);
                }
            }
        }
        self.trajectory.corrections = self.trajectory.corrections.max(conversation.corrections);
        self.trajectory.unmatched = conversation.unmatched;
        answers
    }

    /// The steps of the turn at hand.
    pub fn trajectory(&self) -> &Trajectory {
        &self.trajectory
    }

    /// Remembers the calls of one response: id, tool, canonical arguments, and what is known of the outcome
    /// ([`StepOutcome::Open`] for a call that was passed on, `Rejected` for one that was not).
    pub fn record(&mut self, calls: &[(&str, &str, Fingerprint, StepOutcome)], t_ms: Option<i64>, limits: &Limits) {
        let batch = self.trajectory.next_batch();
        for (id, tool, arguments, outcome) in calls {
            let step = Step {
                call_id: Arc::from(*id),
                tool: self.trajectory.intern(tool),
                arguments: *arguments,
                outcome: outcome.clone(),
                batch,
                t_ms,
            };
            self.trajectory.steps.push(step);
        }
        self.trajectory.trim(limits.max_steps);
    }

    /// Remembers that a turn without calls was refused, so that the next attempt is counted.
    pub fn record_refused_text(&mut self) {
        self.trajectory.corrections = self.trajectory.corrections.saturating_add(1);
    }

    /// Which try at this turn comes next, from 1.
    pub fn attempt(&self) -> u32 {
        self.trajectory.attempt()
    }

    /// What the user last asked, where messages or the caller said it.
    pub fn intent(&self) -> Option<&str> {
        self.intent.as_deref()
    }

    /// Remembers an intent that came beside the messages. One that was not there before begins a new turn.
    pub fn set_intent(&mut self, intent: &str) {
        let intent = shorten(intent, MAX_INTENT_CHARS);
        if self.intent.as_deref().is_some_and(|known| known != intent) && self.user_turns == 0 {
            self.trajectory = Trajectory::default();
        }
        self.intent = Some(Arc::from(intent));
    }

    /// The reference of the tools that were offered last.
    pub fn toolset(&self) -> Option<&str> {
        self.toolset.as_deref()
    }

    /// Remembers the tools that were offered.
    pub fn set_toolset(&mut self, reference: &str) {
        self.toolset = Some(Arc::from(reference));
    }

    /// More user messages than ever; or no more, but a last one that was not there before, as after a conversation was
    /// shortened. Going back to an earlier message is no new turn.
    fn is_new_turn(&self, conversation: &Conversation<'_>) -> bool {
        conversation.user_turns > 0
            && (self.user_turns > 0 || !self.trajectory.steps.is_empty())
            && (conversation.user_turns > self.user_turns || !self.said.contains(&said(conversation)))
    }

    fn remember(&mut self, said: Fingerprint) {
        if !self.said.contains(&said) {
            if self.said.len() >= MAX_SAID {
                self.said.remove(0);
            }
            self.said.push(said);
        }
    }

    /// The conversation's steps, and between them the refused ones that only the session knows.
    fn merge(&mut self, conversation: &Conversation<'_>) {
        let known = std::mem::take(&mut self.trajectory.steps);
        let mut merged = conversation.steps.clone();
        let mut at = 0;
        for step in known {
            let found = merged.iter().position(|other| is_same(other, &step));
            match (found, &step.outcome) {
                (Some(index), outcome) => {
                    at = index + 1;
                    if let Some(other) = merged.get_mut(index) {
                        other.t_ms = other.t_ms.or(step.t_ms);
                        if other.outcome == StepOutcome::Open || matches!(outcome, StepOutcome::Rejected { .. }) {
                            other.outcome = step.outcome;
                        }
                    }
                }
                (None, StepOutcome::Rejected { .. }) => {
                    merged.insert(at.min(merged.len()), step);
                    at += 1;
                }
                (
                    None,
                    StepOutcome::Open
                    | StepOutcome::Done(_)
                    | StepOutcome::Pending(_)
                    | StepOutcome::Empty(_)
                    | StepOutcome::Failed { .. },
                ) => {}
            }
        }
        renumber(&mut merged);
        self.trajectory.steps = merged;
    }
}

fn is_same(left: &Step, right: &Step) -> bool {
    if left.call_id.is_empty() || right.call_id.is_empty() {
        left.tool == right.tool && left.arguments == right.arguments
    } else {
        left.call_id == right.call_id && left.tool == right.tool && left.arguments == right.arguments
    }
}

fn said(conversation: &Conversation<'_>) -> Fingerprint {
    Fingerprint(xxhash_rust::xxh3::xxh3_64(
        conversation.last_user_text.as_deref().unwrap_or_default().as_bytes(),
    ))
}

/// Batches count up again after steps of two sources were put together.
fn renumber(steps: &mut [Step]) {
    let mut next = 0u32;
    let mut before: Option<u32> = None;
    for step in steps {
        let own = step.batch;
        if before.is_some_and(|batch| batch != own) {
            next = next.wrapping_add(1);
        }
        before = Some(own);
        step.batch = next;
    }
}
