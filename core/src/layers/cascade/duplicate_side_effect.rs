//! `duplicate_side_effect`: something done once more that was done already, as far as the tool is known to do it anew
//! each time. Passes where the user asked for more than one, and after it was undone.

use super::{
    intent,
    view::{View, staged},
};
use crate::{
    code::{Action, Code},
    finding::Finding,
    policy::Effect,
    trajectory::{StepOutcome, names},
};

pub(super) fn inspect(view: &View<'_>, findings: &mut Vec<Finding>) {
    let effect = view.effect();
    if matches!(effect, Some(Effect::ReadOnly | Effect::Idempotent)) || view.polls() || names::is_repeatable(view.name)
    {
        return;
    }
    let mut done = 0u32;
    for step in view.steps.iter().rev() {
        if view.is_same_call(step) {
            done = done.saturating_add(u32::from(step.outcome.succeeded()));
        } else if step.outcome.succeeded() && names::is_undo(&step.tool) {
            break;
        }
    }
    if done == 0 || intent::wanted(view.said(), view.name) > done {
        return;
    }
    let action = match effect {
        Some(Effect::Once) => staged(view.stages(Code::DuplicateSideEffect), view.insistence()),
        Some(Effect::ReadOnly | Effect::Idempotent) => None,
        // Nobody knows whether it matters.
        None => is_last_step(view).then_some(Action::Note),
    };
    let Some(action) = action else { return };
    findings.push(
        Finding::new(
            Code::DuplicateSideEffect,
            format!(
                "`{}` was run with these very arguments already, and succeeded; running it again would do it twice",
                view.name
            ),
        )
        .leads_to(action)
        .suggestion("Take it as done and go on; call it again only if the user asks for another."),
    );
}

fn is_last_step(view: &View<'_>) -> bool {
    view.steps
        .iter()
        .rev()
        .find(|step| !matches!(step.outcome, StepOutcome::Rejected { .. }))
        .is_some_and(|step| view.is_same_call(step) && step.outcome.succeeded())
}
