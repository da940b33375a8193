//! The same call again: `loop_no_progress` where every earlier result was the same, `loop_same_call` whatever the
//! results. A call that changed something in between starts the count anew; waiting for something is patient.

use super::{
    intent,
    view::{View, scaled, staged},
};
use crate::{
    code::{Action, Code, Layer},
    finding::Finding,
    policy::Stages,
    trajectory::{Fingerprint, Step, StepOutcome, canonical, names},
};

/// How much longer a tool may be repeated whose equal calls are meant to differ.
const REPEATABLE_PATIENCE: u32 = 2;
/// How much longer calls may be repeated that differ in a counter alone.
const COUNTER_PATIENCE: u32 = 2;

/// `loop_no_progress`.
pub(super) fn no_progress(view: &View<'_>, findings: &mut Vec<Finding>) {
    let exact = run(view, |step| view.is_same_call(step));
    let stages = patience(view, view.stages(Code::LoopNoProgress), &exact);
    if let Some(action) = staged(stages, exact.count)
        && exact.count > intent::wanted(view.said(), view.name)
    {
        return findings.push(told(view, action, exact.count, "with the same arguments"));
    }
    if !counts_up(view) {
        return;
    }
    let loose = run(view, |step| {
        view.is_same_tool(step) && step.arguments.resembles(view.arguments)
    });
    let stages = scaled(view.stages(Code::LoopNoProgress), COUNTER_PATIENCE);
    if let Some(action) = staged(stages, loose.count)
        && loose.count > intent::wanted(view.said(), view.name)
    {
        findings.push(told(
            view,
            action,
            loose.count,
            "with arguments that differ in a counter alone",
        ));
    }
}

/// `loop_same_call`.
pub(super) fn same_call(view: &View<'_>, findings: &mut Vec<Finding>) {
    let mut count = 1u32;
    let mut batch = None;
    let mut oldest = None;
    for step in view.steps.iter().rev() {
        if view.is_same_call(step) {
            if batch != Some(step.batch) && !is_refused_elsewhere(step) {
                count = count.saturating_add(1);
                oldest = Some(step);
            }
            batch = Some(step.batch);
        } else if view.changed_something(step) {
            break;
        }
    }
    let run = Run { count, oldest };
    let stages = patience(view, view.stages(Code::LoopSameCall), &run);
    let Some(action) = staged(stages, count) else { return };
    if count <= intent::wanted(view.said(), view.name)
        || findings.iter().any(|finding| finding.code == Code::LoopNoProgress)
    {
        return;
    }
    findings.push(
        Finding::new(
            Code::LoopSameCall,
            format!(
                "`{}` is called with the same arguments for the {} time since the user last spoke",
                view.name,
                ordinal(count)
            ),
        )
        .leads_to(action)
        .suggestion("Change the arguments, call another tool, or answer with what you have."),
    );
}

struct Run<'a> {
    /// With the call at hand.
    count: u32,
    oldest: Option<&'a Step>,
}

/// The steps that repeat the call at hand, as long as their results are the same.
fn run<'a>(view: &View<'a>, is_repeat: impl Fn(&Step) -> bool) -> Run<'a> {
    let mut run = Run { count: 1, oldest: None };
    let mut given: Option<Fingerprint> = None;
    let mut batch = None;
    let mut elsewhere = Vec::new();
    for step in view.steps.iter().rev() {
        if !is_repeat(step) {
            if view.changed_something(step) || is_news(step, &mut elsewhere) {
                break;
            }
            continue;
        }
        match &step.outcome {
            StepOutcome::Open => continue,
            StepOutcome::Rejected { by: Layer::Cascade } => {}
            StepOutcome::Rejected {
                by: Layer::Schema | Layer::Selection | Layer::Value | Layer::Semantic,
            } => continue,
            StepOutcome::Done(_) | StepOutcome::Pending(_) | StepOutcome::Empty(_) | StepOutcome::Failed { .. } => {
                let this = step.outcome.given();
                if given.is_some() && given != this {
                    break;
                }
                given = this;
            }
        }
        if batch != Some(step.batch) {
            run.count = run.count.saturating_add(1);
            run.oldest = Some(step);
        }
        batch = Some(step.batch);
    }
    // What was only ever refused says nothing about progress.
    if given.is_none() {
        run.count = 1;
    }
    run
}

/// Whether another call gave something else later on: then the world moves, whatever the call at hand gives.
fn is_news<'a>(step: &'a Step, later: &mut Vec<(&'a str, Fingerprint, Fingerprint)>) -> bool {
    let Some(given) = step.outcome.given() else {
        return false;
    };
    match later
        .iter()
        .find(|(tool, arguments, _)| *tool == &*step.tool && *arguments == step.arguments)
    {
        Some((_, _, known)) => *known != given,
        None => {
            later.push((&step.tool, step.arguments, given));
            false
        }
    }
}

fn patience(view: &View<'_>, stages: Stages, run: &Run<'_>) -> Stages {
    let failed = run
        .oldest
        .is_some_and(|step| matches!(step.outcome, StepOutcome::Failed { .. }));
    if !failed && view.polls() {
        view.patient(stages, run.oldest)
    } else if !failed && names::is_repeatable(view.name) {
        scaled(stages, REPEATABLE_PATIENCE)
    } else {
        stages
    }
}

/// Whether the call holds a counter that the tool does not need.
fn counts_up(view: &View<'_>) -> bool {
    let Some(tool) = view.inspection.tool else { return false };
    let Some(arguments) = view.inspection.arguments.and_then(serde_json::Value::as_object) else {
        return false;
    };
    let mut counters = arguments.keys().filter(|key| canonical::is_cosmetic(key)).peekable();
    counters.peek().is_some() && counters.all(|key| !tool.requires(key))
}

fn is_refused_elsewhere(step: &Step) -> bool {
    match step.outcome {
        StepOutcome::Rejected { by } => by != Layer::Cascade,
        StepOutcome::Open
        | StepOutcome::Done(_)
        | StepOutcome::Pending(_)
        | StepOutcome::Empty(_)
        | StepOutcome::Failed { .. } => false,
    }
}

fn told(view: &View<'_>, action: Action, count: u32, how: &str) -> Finding {
    Finding::new(
        Code::LoopNoProgress,
        format!("`{}` is called {how} for the {} time, and every result so far was the same", view.name, ordinal(count)),
    )
    .leads_to(action)
    .suggestion("The result will not change: use the one you have, change the arguments, call another tool, or answer the user.")
}

/// `4th`.
pub(super) fn ordinal(count: u32) -> String {
    let ending = match (count % 10, count % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{count}{ending}")
}
