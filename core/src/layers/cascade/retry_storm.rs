//! `retry_storm`: calls of one tool that are refused again and again in one turn, whatever their arguments. Says
//! nothing of a call that nobody refuses.

use super::view::{View, staged};
use crate::{
    code::Code,
    finding::{Finding, Severity},
    trajectory::StepOutcome,
};

pub(super) fn inspect(view: &View<'_>, findings: &mut Vec<Finding>) {
    let is_refused = findings
        .iter()
        .any(|finding| finding.enforced && finding.severity() == Severity::Block);
    if !is_refused {
        return;
    }
    let mut count = 1u32;
    let mut batch = None;
    for step in view.steps.iter().rev().filter(|step| view.is_same_tool(step)) {
        match step.outcome {
            StepOutcome::Rejected { .. } => {
                if batch != Some(step.batch) {
                    count = count.saturating_add(1);
                }
                batch = Some(step.batch);
            }
            StepOutcome::Done(_) | StepOutcome::Pending(_) | StepOutcome::Empty(_) => break,
            StepOutcome::Open | StepOutcome::Failed { .. } => {}
        }
    }
    // The first refusal speaks for itself.
    if count < 2 {
        return;
    }
    let Some(action) = staged(view.stages(Code::RetryStorm), count) else {
        return;
    };
    findings.push(
        Finding::new(
            Code::RetryStorm,
            format!(
                "This is the {} call of `{}` in a row that is refused",
                super::repeats::ordinal(count),
                view.name
            ),
        )
        .leads_to(action)
        .suggestion(
            "Do not send another variant: change what the correction names, use another tool, or ask the user.",
        ),
    );
}
