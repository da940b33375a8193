//! `error_streak`: the same error from the same tool, whatever the arguments. Counts the errors that came before the
//! call. A success of the tool or a change made in between starts the count anew.

use super::view::{View, staged};
use crate::{
    code::Code,
    finding::Finding,
    trajectory::{FailureKind, Fingerprint, StepOutcome, failure},
};

pub(super) fn inspect(view: &View<'_>, findings: &mut Vec<Finding>) {
    let mut errors = 0u32;
    let mut last: Option<(Fingerprint, &str)> = None;
    let mut batch = None;
    for step in view.steps.iter().rev() {
        if !view.is_same_tool(step) {
            if view.changed_something(step) {
                break;
            }
            continue;
        }
        match &step.outcome {
            StepOutcome::Failed { signature, excerpt } => {
                match last {
                    Some((known, _)) if known != *signature => break,
                    Some(_) => {}
                    None => last = Some((*signature, excerpt)),
                }
                if batch != Some(step.batch) {
                    errors = errors.saturating_add(1);
                }
                batch = Some(step.batch);
            }
            StepOutcome::Done(_) | StepOutcome::Pending(_) | StepOutcome::Empty(_) => break,
            StepOutcome::Rejected { .. } => {
                // Insisting after a correction counts like one more error.
                if view.is_refused_here(step) && batch != Some(step.batch) {
                    errors = errors.saturating_add(1);
                    batch = Some(step.batch);
                }
            }
            StepOutcome::Open => {}
        }
    }
    // Errors without a word may each be another.
    let Some((_, excerpt)) = last.filter(|(_, excerpt)| !excerpt.is_empty()) else {
        return;
    };
    let Some(action) = staged(view.stages(Code::ErrorStreak), errors) else {
        return;
    };
    findings.push(
        Finding::new(
            Code::ErrorStreak,
            format!("`{}` failed {errors} times in a row with the same error", view.name),
        )
        .leads_to(action)
        .received(excerpt)
        .suggestion(remedy(failure::kind(excerpt))),
    );
}

fn remedy(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Arguments => {
            "Read what the error asks for and change the arguments accordingly, or use another tool."
        }
        FailureKind::NotFound => {
            "Find out what exists before you ask for it again, or tell the user that it is not there."
        }
        FailureKind::Wait => {
            "The service is not answering: do not call it again now; go on with something else, or tell the user."
        }
        FailureKind::Denied => "It is not allowed, and another try will not change that: tell the user what is needed.",
        FailureKind::Unclear => "Do not try once more in the same way: use another tool, or tell the user what fails.",
    }
}
