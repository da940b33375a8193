//! What the rules look at: the call at hand, named and fingerprinted once, and the steps before it.

use crate::{
    check::request::MAX_SAID_BYTES,
    code::{Action, Code, Layer},
    finding::beginning,
    layers::Inspection,
    policy::{Effect, Stages},
    tools::{Resolution, Tool},
    trajectory::{Fingerprint, Step, StepOutcome, names},
};

/// How much longer waiting for something may take than other repetition, in counts, where no clock is known.
const POLL_PATIENCE: u32 = 4;

pub(super) struct View<'a> {
    pub inspection: &'a Inspection<'a>,
    /// The tool's real name; as written where there is no such tool.
    pub name: &'a str,
    written: &'a str,
    pub arguments: Fingerprint,
    pub steps: &'a [Step],
}

impl<'a> View<'a> {
    /// `None`: there is no such call.
    pub fn of(inspection: &'a Inspection<'a>) -> Option<Self> {
        let call = inspection.turn.calls.get(inspection.index)?;
        let written: &str = &call.name;
        Some(Self {
            inspection,
            name: inspection.tool.map_or(written, |tool| &tool.name),
            written,
            arguments: inspection.fingerprint,
            steps: &inspection.trajectory.steps,
        })
    }

    pub fn is_same_tool(&self, step: &Step) -> bool {
        *step.tool == *self.name || *step.tool == *self.written
    }

    pub fn is_same_call(&self, step: &Step) -> bool {
        step.arguments == self.arguments && self.is_same_tool(step)
    }

    pub fn stages(&self, code: Code) -> Stages {
        self.inspection.policy.stages(code)
    }

    /// What running the tool at hand again does. `None`: nobody says.
    pub fn effect(&self) -> Option<Effect> {
        self.inspection
            .policy
            .effect()
            .or_else(|| self.inspection.tool.and_then(hinted))
            .or_else(|| names::effect(self.name))
    }

    /// Whether a step may have changed the world: it succeeded and is not known to only read.
    pub fn changed_something(&self, step: &Step) -> bool {
        step.outcome.succeeded() && self.effect_of(&step.tool) != Some(Effect::ReadOnly)
    }

    fn effect_of(&self, name: &str) -> Option<Effect> {
        self.inspection
            .policy
            .policy()
            .for_tool(name)
            .effect()
            .or_else(|| self.tool_named(name).and_then(hinted))
            .or_else(|| names::effect(name))
    }

    fn tool_named(&self, name: &str) -> Option<&'a Tool> {
        let index = match self.inspection.toolset.resolve(name) {
            Resolution::Exact(index) | Resolution::Respelt(index) => index,
            Resolution::Ambiguous(_) | Resolution::Unknown => return None,
        };
        self.inspection.toolset.tools().get(index)
    }

    /// Whether any tool was offered by this name.
    pub fn is_offered(&self, name: &str) -> bool {
        !matches!(self.inspection.toolset.resolve(name), Resolution::Unknown)
    }

    /// Whether repeating the call is waiting for something: the policy says so, its words do, or it tells how far
    /// something is that has not ended.
    pub fn polls(&self) -> bool {
        self.inspection.policy.polls().unwrap_or_else(|| {
            names::is_wait(self.name)
                || self.inspection.tool.is_some_and(|tool| says_poll(&tool.description))
                || self
                    .steps
                    .iter()
                    .rev()
                    .find(|step| self.is_same_call(step))
                    .is_some_and(waits)
        })
    }

    /// How long ago a step was, in milliseconds. `None`: no clock is known, or one that runs backwards.
    pub fn age_ms(&self, step: &Step) -> Option<i64> {
        let latest = self.steps.iter().rev().find_map(|step| step.t_ms)?;
        latest.checked_sub(step.t_ms?).filter(|age| *age >= 0)
    }

    /// The stages for a poll: by the clock where there is one, else by a longer count.
    pub fn patient(&self, stages: Stages, oldest: Option<&Step>) -> Stages {
        match oldest.and_then(|step| self.age_ms(step)).filter(|age| *age > 0) {
            Some(age) if age <= i64::from(self.inspection.policy.max_poll_ms()) => Stages {
                note: stages.note,
                correct: u32::MAX,
                stop: u32::MAX,
            },
            Some(_) => stages,
            None => scaled(stages, POLL_PATIENCE),
        }
    }

    /// Whether a step was refused by this layer.
    pub fn is_refused_here(&self, step: &Step) -> bool {
        step.outcome == StepOutcome::Rejected { by: Layer::Cascade }
    }

    /// How often the same call was refused by this layer since it was last let through, the call at hand included.
    pub fn insistence(&self) -> u32 {
        let refused = self
            .steps
            .iter()
            .rev()
            .filter(|step| self.is_same_tool(step))
            .take_while(|step| self.is_refused_here(step))
            .count();
        u32::try_from(refused).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// What the user said, as far as it was handed in; of a very long text the beginning.
    pub fn said(&self) -> impl Iterator<Item = &'a str> {
        let context = self.inspection.context;
        context
            .intent
            .into_iter()
            .chain(context.conversation.last_user_text.as_deref())
            .map(|text| beginning(text, MAX_SAID_BYTES))
    }
}

/// Whether a step was waiting for something.
pub(super) fn waits(step: &Step) -> bool {
    names::is_wait(&step.tool) || (matches!(step.outcome, StepOutcome::Pending(_)) && names::is_status(&step.tool))
}

fn says_poll(description: &str) -> bool {
    names::words(description).take(60).any(|word| {
        ["poll", "polls", "polling"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    })
}

/// What a tool says of itself; believed only where it is explicit.
fn hinted(tool: &Tool) -> Option<Effect> {
    match (tool.hints.read_only, tool.hints.idempotent) {
        (Some(true), _) => Some(Effect::ReadOnly),
        (_, Some(true)) => Some(Effect::Idempotent),
        (Some(false), Some(false)) => Some(Effect::Once),
        (Some(false) | None, Some(false) | None) => None,
    }
}

/// What a count leads to. `None`: nothing yet.
pub(super) fn staged(stages: Stages, count: u32) -> Option<Action> {
    if count >= stages.stop {
        Some(Action::Fallback)
    } else if count >= stages.correct {
        Some(Action::Retry)
    } else if count >= stages.note {
        Some(Action::Note)
    } else {
        None
    }
}

pub(super) fn scaled(stages: Stages, factor: u32) -> Stages {
    Stages {
        note: stages.note.saturating_mul(factor),
        correct: stages.correct.saturating_mul(factor),
        stop: stages.stop.saturating_mul(factor),
    }
}
