//! `error_propagation` without a value: something is replaced that could not be read before, so what it held is lost.
//!
//! Seen from the arguments: a step that only reads failed with the one argument that the writing call shares. Where the
//! error says that there is nothing, writing is how it comes to be.

use serde_json::{Map, Value};

use super::view::{View, staged};
use crate::{
    code::Code,
    finding::Finding,
    policy::Effect,
    trajectory::{FailureKind, Fingerprint, Step, StepOutcome, canonical, failure, names},
};

pub(super) fn inspect(view: &View<'_>, findings: &mut Vec<Finding>) {
    let replaces = names::words(view.name).any(|word| {
        ["write", "overwrite", "save", "put", "replace"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    });
    if !replaces || view.steps.is_empty() || findings.iter().any(|finding| finding.code == Code::ErrorPropagation) {
        return;
    }
    let Some(arguments) = view.inspection.arguments.and_then(Value::as_object) else {
        return;
    };
    let Some(key) = arguments
        .iter()
        .filter(|(_, value)| value.is_string() || value.is_number())
        .map(|(key, value)| {
            (
                key,
                canonical::arguments(&Value::Object(Map::from_iter([(key.clone(), value.clone())]))),
            )
        })
        .find(|(_, alone)| is_unread(view, *alone))
        .map(|(key, _)| key)
    else {
        return;
    };
    let Some(action) = staged(view.stages(Code::ErrorPropagation), view.insistence()) else {
        return;
    };
    findings.push(
        Finding::new(
            Code::ErrorPropagation,
            "What is written here could not be read before: what it holds now would be lost unseen",
        )
        .at(format!("/{}", key.replace('~', "~0").replace('/', "~1")))
        .leads_to(action)
        .suggestion("Read it in another way first, add to it instead of replacing it, or ask the user."),
    );
}

/// Whether the last reading of just this argument failed, though it is there.
fn is_unread(view: &View<'_>, alone: Fingerprint) -> bool {
    let is_reading = |step: &&Step| step.arguments == alone && names::effect(&step.tool) == Some(Effect::ReadOnly);
    match view.steps.iter().rev().find(is_reading).map(|step| &step.outcome) {
        Some(StepOutcome::Failed { excerpt, .. }) => failure::kind(excerpt) != FailureKind::NotFound,
        Some(
            StepOutcome::Open
            | StepOutcome::Done(_)
            | StepOutcome::Pending(_)
            | StepOutcome::Empty(_)
            | StepOutcome::Rejected { .. },
        )
        | None => false,
    }
}
