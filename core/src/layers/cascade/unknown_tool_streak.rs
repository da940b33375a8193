//! `unknown_tool_streak`: names that no tool has, one after another. The first is the selection layer's to correct.

use super::view::{View, staged};
use crate::{code::Code, finding::Finding, trajectory::StepOutcome};

pub(super) fn inspect(view: &View<'_>, findings: &mut Vec<Finding>) {
    if view.inspection.tool.is_some() || view.inspection.toolset.tools().is_empty() || view.is_offered(view.name) {
        return;
    }
    let mut count = 1u32;
    let mut batch = None;
    for step in view.steps.iter().rev() {
        if view.is_offered(&step.tool) {
            if step.outcome.succeeded() {
                break;
            }
            continue;
        }
        // A tool that answers exists, whatever the list says.
        if step.outcome.succeeded() {
            return;
        }
        if batch != Some(step.batch) && step.outcome != StepOutcome::Open {
            count = count.saturating_add(1);
        }
        batch = Some(step.batch);
    }
    let Some(action) = staged(view.stages(Code::UnknownToolStreak), count) else {
        return;
    };
    if count == 1 && findings.iter().any(|finding| finding.code == Code::UnknownTool) {
        return;
    }
    findings.push(
        Finding::new(
            Code::UnknownToolStreak,
            format!(
                "This is the {} call in a row that names a tool that does not exist",
                super::repeats::ordinal(count)
            ),
        )
        .leads_to(action)
        .suggestion("Call only tools of the list that was given, or answer in words."),
    );
}
