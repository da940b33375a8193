//! `loop_cycle`: two to five calls in a circle, each with the same result in every round.

use super::{
    intent,
    view::{View, scaled, staged, waits},
};
use crate::{
    code::{Code, Layer},
    finding::Finding,
    trajectory::{Fingerprint, Step, StepOutcome, canonical},
    turn::Call,
};

const PERIODS: std::ops::RangeInclusive<usize> = 2..=5;
/// Steps that are looked at: enough for every stage that a policy may sensibly set.
const MAX_UNITS: usize = 64;
/// How much longer a circle may turn that holds a wait.
const POLL_PATIENCE: u32 = 4;

/// The calls of one response.
#[derive(Clone, Copy)]
struct Unit<'a> {
    calls: u64,
    /// `None`: nothing is known of a result.
    given: Option<u64>,
    /// Refused as a whole by this layer: no result, and no progress.
    refused: bool,
    waits: bool,
    tool: &'a str,
}

pub(super) fn inspect(view: &View<'_>, findings: &mut Vec<Finding>) {
    let units = units(view);
    // A circle takes two steps and the call at hand.
    if units.len() < *PERIODS.start() {
        return;
    }
    let at_hand = key_at_hand(view);
    let Some((period, rounds)) = PERIODS
        .filter_map(|period| rounds(&units, at_hand, period).map(|rounds| (period, rounds)))
        .max_by_key(|(period, rounds)| (*rounds, usize::MAX - period))
    else {
        return;
    };
    let circle = units
        .len()
        .checked_sub(period)
        .and_then(|from| units.get(from..))
        .unwrap_or_default();
    let mut stages = view.stages(Code::LoopCycle);
    if view.polls() || circle.iter().any(|unit| unit.waits) {
        stages = scaled(stages, POLL_PATIENCE);
    }
    let Some(action) = staged(stages, rounds) else { return };
    if rounds <= intent::wanted(view.said(), view.name)
        || findings
            .iter()
            .any(|finding| finding.code == Code::LoopNoProgress && finding.action >= action)
    {
        return;
    }
    let names: Vec<&str> = circle.iter().map(|unit| unit.tool).collect();
    findings.push(
        Finding::new(
            Code::LoopCycle,
            format!(
                "The calls {} go round in a circle, {rounds} times now, with the same results each time",
                names.join(" → ")
            ),
        )
        .leads_to(action)
        .suggestion("Leave the circle: change the arguments, call another tool, or tell the user what is in the way."),
    );
}

/// How many rounds of this period the call at hand completes. `None`: it is in no such circle.
fn rounds(units: &[Unit<'_>], at_hand: u64, period: usize) -> Option<u32> {
    let before = units.len().checked_sub(period)?;
    let first = units.get(before)?;
    let circle = units.get(before..)?;
    if first.calls != at_hand || circle.iter().all(|unit| unit.calls == at_hand) {
        return None;
    }
    let matching = units
        .iter()
        .rev()
        .zip(units.iter().rev().skip(period))
        .take_while(|(later, earlier)| {
            later.calls == earlier.calls
                && (later.refused || earlier.refused || (later.given.is_some() && later.given == earlier.given))
        })
        .count();
    let length = matching + 1 + period;
    u32::try_from(length / period).ok()
}

/// The steps by response, oldest first. What other layers refused was no step.
fn units<'a>(view: &View<'a>) -> Vec<Unit<'a>> {
    let mut units = Vec::new();
    let from = view.steps.len().saturating_sub(MAX_UNITS);
    for batch in view
        .steps
        .get(from..)
        .unwrap_or_default()
        .chunk_by(|left, right| left.batch == right.batch)
    {
        let ran = |step: &&Step| match step.outcome {
            StepOutcome::Rejected { by } => by == Layer::Cascade,
            StepOutcome::Open
            | StepOutcome::Done(_)
            | StepOutcome::Pending(_)
            | StepOutcome::Empty(_)
            | StepOutcome::Failed { .. } => true,
        };
        let Some(first) = batch.iter().find(ran) else { continue };
        let steps = || batch.iter().filter(ran);
        units.push(Unit {
            calls: steps().fold(0, |sum: u64, step| sum.wrapping_add(key(&step.tool, step.arguments))),
            given: steps().try_fold(0u64, |sum, step| {
                Some(sum.wrapping_add(key(&step.tool, step.arguments) ^ step.outcome.given()?.0.rotate_left(13)))
            }),
            refused: steps().all(|step| matches!(step.outcome, StepOutcome::Rejected { .. })),
            waits: steps().any(waits),
            tool: &first.tool,
        });
    }
    units
}

fn key_at_hand(view: &View<'_>) -> u64 {
    let inspection = view.inspection;
    let calls = &inspection.turn.calls;
    calls.iter().enumerate().fold(0, |sum: u64, (index, call)| {
        sum.wrapping_add(if index == inspection.index {
            key(view.name, view.arguments)
        } else {
            let known = inspection.fingerprints.get(index).copied();
            key(&call.name, known.unwrap_or_else(|| arguments_of(call)))
        })
    })
}

fn arguments_of(call: &Call<'_>) -> Fingerprint {
    call.arguments.reading.value().map_or_else(
        || canonical::arguments_text(call.arguments.received.as_bytes()),
        canonical::arguments,
    )
}

fn key(tool: &str, arguments: Fingerprint) -> u64 {
    (xxhash_rust::xxh3::xxh3_64(tool.as_bytes()) ^ arguments.0.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
