//! From all that was found to one [`Outcome`]: verdicts per call and result, then the turn, then what the caller gets.

use serde_json::Value;

use crate::{
    check::{
        CheckedStep, Inspected, LayerOutcome, Outcome,
        calls::{self, CallState},
        results::ResultState,
    },
    code::{Action, Layer},
    decide::{
        CallOutcome, Cleared, Decision, Duplicate, Fallback, ResultOutcome, Retry,
        fallback::choose as choose_fallback,
        feedback::{CallCorrection, call_text, general_text},
        fold::{Budget, deciding_layer, decision_of, rule, strictest},
    },
    finding::Finding,
    layers::schema,
    trajectory::StepOutcome,
    turn::{
        Call,
        render::{self, Correction, Fate},
    },
};

/// Decides. Shadow mode is applied last: everything is worked out as if enforced, then loses its effect.
pub(crate) fn decide(mut check: Inspected<'_>) -> Outcome {
    let budget = Budget::new(check.request.attempt, check.policy, check.request.trajectory);
    spend(&mut check, &budget);
    let calls = call_decisions(&check);
    let results = result_decisions(&check);
    let turn = decision_of(&check.findings);
    let would_decide = strictest(
        calls
            .iter()
            .copied()
            .chain(
                results
                    .iter()
                    .filter(|(_, counts)| *counts)
                    .map(|(decision, _)| *decision),
            )
            .chain([turn]),
    );
    close_reports(&mut check);
    let steps = steps(&check, &calls);
    if check.request.options.shadow {
        return shadowed(check, would_decide, steps);
    }
    let fallback = (would_decide == Decision::Fallback).then(|| fallback(&check, &calls));
    let retry = (would_decide == Decision::Retry).then(|| retry(&check, &calls, &budget));
    let response = response(&check, &calls, turn, fallback.as_ref());
    Outcome {
        format: check.turn.as_ref().map(|turn| turn.format),
        decision: would_decide,
        enforced: true,
        would_decide,
        text: check
            .turn
            .as_ref()
            .map(|turn| turn.text.to_string())
            .unwrap_or_default(),
        duplicates: duplicates(&check),
        calls: call_outcomes(&mut check, &calls),
        findings: check.findings,
        results: result_outcomes(check.results, &results),
        retry,
        fallback,
        response,
        layers: check.reports,
        steps,
    }
}

/// Turns retries whose budget is used up into fallbacks.
fn spend(check: &mut Inspected<'_>, budget: &Budget<'_>) {
    let Some(turn) = &check.turn else { return };
    for (call, state) in turn.calls.iter().zip(&mut check.calls) {
        let name = state.name(&check.request, call);
        if decision_of(&state.findings) == Decision::Retry
            && let Some(layer) = deciding_layer(&state.findings)
            && let Some(finding) = budget.exhausted(Some((name, layer)))
        {
            let start = state.findings.len();
            state.findings.push(finding);
            rule(&mut state.findings, start, &check.policy.for_tool(name));
        }
    }
    if decision_of(&check.findings) == Decision::Retry
        && let Some(finding) = budget.exhausted(None)
    {
        let start = check.findings.len();
        check.findings.push(finding);
        rule(&mut check.findings, start, &check.policy.for_tool(""));
    }
}

fn call_decisions(check: &Inspected<'_>) -> Vec<Decision> {
    check.calls.iter().map(|state| decision_of(&state.findings)).collect()
}

/// Each result's decision, and whether it counts in the turn's: beside a candidate only results of its own calls do.
fn result_decisions(check: &Inspected<'_>) -> Vec<(Decision, bool)> {
    let alone = check.turn.is_none();
    check
        .results
        .iter()
        .map(|result| (decision_of(&result.findings), alone || result.call.is_some()))
        .collect()
}

/// A layer failed where something that it found blocks.
fn close_reports(check: &mut Inspected<'_>) {
    let mut failed = [false; Layer::ALL.len()];
    let found = check
        .findings
        .iter()
        .chain(check.calls.iter().flat_map(|state| &state.findings))
        .chain(check.results.iter().flat_map(|result| &result.findings));
    for finding in found.filter(|finding| finding.enforced && finding.action >= Action::Retry) {
        if let Some(flag) = failed.get_mut(finding.layer().index()) {
            *flag = true;
        }
    }
    for report in &mut check.reports {
        let ran = matches!(report.outcome, LayerOutcome::Pass);
        if ran && failed.get(report.layer.index()).copied().unwrap_or(false) {
            report.outcome = LayerOutcome::Fail;
        }
    }
    check.reports.sort_by_key(|report| report.layer);
}

fn shadowed(mut check: Inspected<'_>, would_decide: Decision, steps: Vec<CheckedStep>) -> Outcome {
    let all = check
        .findings
        .iter_mut()
        .chain(check.calls.iter_mut().flat_map(|state| &mut state.findings))
        .chain(check.results.iter_mut().flat_map(|result| &mut result.findings));
    for finding in all {
        finding.enforced = false;
    }
    let calls = match &check.turn {
        None => Vec::new(),
        Some(turn) => turn
            .calls
            .iter()
            .zip(&mut check.calls)
            .map(|(call, state)| CallOutcome {
                id: call.id.to_string(),
                name: call.name.to_string(),
                decision: Decision::Pass,
                findings: std::mem::take(&mut state.findings),
                cleared: Some(Cleared::new(
                    call.name.to_string(),
                    call.arguments.received.to_string(),
                    false,
                )),
                patch: None,
            })
            .collect(),
    };
    let results = result_decisions(&check)
        .into_iter()
        .map(|(_, counts)| (Decision::Pass, counts))
        .collect::<Vec<_>>();
    Outcome {
        format: check.turn.as_ref().map(|turn| turn.format),
        decision: Decision::Pass,
        enforced: false,
        would_decide,
        calls,
        duplicates: Vec::new(),
        findings: check.findings,
        text: check
            .turn
            .as_ref()
            .map(|turn| turn.text.to_string())
            .unwrap_or_default(),
        results: result_outcomes(check.results, &results),
        retry: None,
        fallback: None,
        response: None,
        layers: check.reports,
        steps,
    }
}

fn call_outcomes(check: &mut Inspected<'_>, decisions: &[Decision]) -> Vec<CallOutcome> {
    let Some(turn) = &check.turn else { return Vec::new() };
    turn.calls
        .iter()
        .zip(&mut check.calls)
        .zip(decisions)
        .filter(|((_, state), _)| state.duplicate_of.is_none())
        .map(|((call, state), decision)| {
            let name = state.name(&check.request, call).to_owned();
            let cleared = decision.allows().then(|| cleared(call, state, &name));
            let patch = cleared
                .as_ref()
                .filter(|it| it.changed())
                .and_then(|_| patch(call, state));
            CallOutcome {
                id: call.id.to_string(),
                name,
                decision: *decision,
                findings: std::mem::take(&mut state.findings),
                cleared,
                patch,
            }
        })
        .collect()
}

fn cleared(call: &Call<'_>, state: &CallState, name: &str) -> Cleared {
    match state.rewritten(call) {
        Some(value) => Cleared::new(name.to_owned(), value.to_string(), true),
        None => Cleared::new(name.to_owned(), call.arguments.received.to_string(), name != call.name),
    }
}

fn patch(call: &Call<'_>, state: &CallState) -> Option<Value> {
    let after = state.rewritten(call)?;
    Some(schema::patch(
        call.arguments.reading.strict().unwrap_or(&Value::Null),
        after,
    ))
}

fn duplicates(check: &Inspected<'_>) -> Vec<Duplicate> {
    let Some(turn) = &check.turn else { return Vec::new() };
    turn.calls
        .iter()
        .zip(&check.calls)
        .filter_map(|(call, state)| {
            let original = turn.calls.get(state.duplicate_of?)?;
            Some(Duplicate {
                id: call.id.to_string(),
                name: state.name(&check.request, call).to_owned(),
                duplicate_of: original.id.to_string(),
            })
        })
        .collect()
}

fn result_outcomes(results: Vec<ResultState<'_>>, decisions: &[(Decision, bool)]) -> Vec<ResultOutcome> {
    results
        .into_iter()
        .zip(decisions)
        .map(|(result, (decision, counts))| ResultOutcome {
            call_id: result.call_id,
            decision: *decision,
            findings: result.findings,
            counts: *counts,
        })
        .collect()
}

/// The fallback of the first call that falls back, or of the turn.
fn fallback(check: &Inspected<'_>, decisions: &[Decision]) -> Fallback {
    let context = &check.request.context;
    let calls = check
        .turn
        .iter()
        .flat_map(|turn| &turn.calls)
        .zip(&check.calls)
        .zip(decisions);
    for ((call, state), decision) in calls {
        if *decision == Decision::Fallback {
            let name = state.name(&check.request, call);
            let arguments = state.arguments(call);
            let toolset = check.request.toolset;
            return choose_fallback(
                check.policy,
                Some(name),
                arguments,
                context.said(),
                toolset,
                &state.findings,
            );
        }
    }
    let result = check
        .results
        .iter()
        .find(|result| decision_of(&result.findings) == Decision::Fallback);
    let (tool, findings) = result.map_or((None, &check.findings), |result| {
        (result.tool.as_deref(), &result.findings)
    });
    choose_fallback(
        check.policy,
        tool,
        None,
        context.said(),
        check.request.toolset,
        findings,
    )
}

fn retry(check: &Inspected<'_>, decisions: &[Decision], budget: &Budget<'_>) -> Retry {
    let mut texts: Vec<(usize, String)> = Vec::new();
    let mut attempt = check.request.attempt.unwrap_or(1);
    if let Some(turn) = &check.turn {
        for (index, ((call, state), decision)) in turn.calls.iter().zip(&check.calls).zip(decisions).enumerate() {
            if *decision != Decision::Retry {
                continue;
            }
            let layer = deciding_layer(&state.findings).unwrap_or(Layer::Schema);
            attempt = attempt.max(budget.attempt(Some((state.name(&check.request, call), layer))));
            texts.push((index, correction(call, false, &state.findings, attempt, budget)));
        }
        for result in check
            .results
            .iter()
            .filter(|result| decision_of(&result.findings) == Decision::Retry)
        {
            if let Some((index, call)) = result.call.and_then(|index| Some((index, turn.calls.get(index)?))) {
                texts.push((index, correction(call, true, &result.findings, attempt, budget)));
            }
        }
    }
    let general = general(check, &mut attempt, budget);
    let corrections: Vec<Correction<'_>> = texts
        .iter()
        .map(|(call, text)| Correction { call: *call, text })
        .collect();
    let feedback = match &check.turn {
        Some(turn) => render::feedback(turn, &corrections, general.as_deref()),
        None => Value::Array(
            general
                .iter()
                .map(|text| serde_json::json!({"role": "user", "content": text}))
                .collect(),
        ),
    };
    let words: Vec<&str> = texts
        .iter()
        .map(|(_, text)| text.as_str())
        .chain(general.as_deref())
        .collect();
    Retry {
        attempt,
        max_attempts: budget.max(),
        feedback,
        feedback_text: words.join("\n\n"),
    }
}

fn correction(call: &Call<'_>, ran: bool, findings: &[Finding], attempt: u32, budget: &Budget<'_>) -> String {
    call_text(&CallCorrection {
        tool: &call.name,
        ran,
        findings,
        attempt,
        max_attempts: budget.max(),
    })
}

/// What is to be said of the turn, and of results that belong to none of its calls.
fn general(check: &Inspected<'_>, attempt: &mut u32, budget: &Budget<'_>) -> Option<String> {
    let mut findings: Vec<&Finding> = check
        .findings
        .iter()
        .filter(|it| it.enforced && it.action >= Action::Retry)
        .collect();
    if !findings.is_empty() {
        *attempt = (*attempt).max(budget.attempt(None));
    }
    if check.turn.is_none() {
        findings.extend(check.results.iter().flat_map(|result| &result.findings));
    }
    (!findings.is_empty()).then(|| general_text(findings))
}

/// The candidate rewritten. Nothing is written where it may go on as it came, or where nothing may.
fn response(
    check: &Inspected<'_>,
    decisions: &[Decision],
    turn_decision: Decision,
    fallback: Option<&Fallback>,
) -> Option<Vec<u8>> {
    let (turn, candidate) = (check.turn.as_ref()?, check.request.candidate.as_ref()?);
    let strict = strictest(decisions.iter().copied().chain([turn_decision]));
    if strict == Decision::Pass || turn_decision == Decision::Retry {
        return None;
    }
    let parts: Vec<Rewritten> = turn
        .calls
        .iter()
        .zip(&check.calls)
        .zip(decisions)
        .map(|((call, state), decision)| rewritten(check, call, state, *decision))
        .collect();
    let fallback_tool = match fallback {
        Some(Fallback::Tool { name, arguments }) => Some((name.as_str(), arguments.to_string())),
        Some(Fallback::Text(_) | Fallback::AskUser(_) | Fallback::Stop(_)) | None => None,
    };
    let first = decisions.iter().position(|decision| *decision == Decision::Fallback);
    let fates: Vec<Fate<'_>> = parts
        .iter()
        .enumerate()
        .map(|(index, part)| match (part, &fallback_tool) {
            (Rewritten::Keep, _) => Fate::Keep,
            (Rewritten::Changed { name, arguments }, _) => Fate::Replace { name, arguments },
            (Rewritten::Gone, Some((name, arguments))) if first == Some(index) => Fate::Replace { name, arguments },
            (Rewritten::Gone, _) => Fate::Drop,
        })
        .collect();
    let text = match fallback {
        Some(Fallback::Text(text) | Fallback::AskUser(text) | Fallback::Stop(text)) => Some(text.as_str()),
        Some(Fallback::Tool { .. }) | None => None,
    };
    let left = fates.iter().any(|fate| !matches!(fate, Fate::Drop));
    (left || text.is_some())
        .then(|| render::response(candidate, turn, &fates, text))
        .flatten()
}

/// What becomes of a call in the rewritten candidate.
enum Rewritten {
    Keep,
    Changed { name: String, arguments: String },
    Gone,
}

fn rewritten(check: &Inspected<'_>, call: &Call<'_>, state: &CallState, decision: Decision) -> Rewritten {
    if state.duplicate_of.is_some() || !decision.allows() {
        return Rewritten::Gone;
    }
    let cleared = cleared(call, state, state.name(&check.request, call));
    if cleared.changed() {
        Rewritten::Changed {
            name: cleared.name().to_owned(),
            arguments: cleared.arguments().to_owned(),
        }
    } else {
        Rewritten::Keep
    }
}

/// The calls of this check as steps. Own verdicts are steps of their own kind; duplicates never ran. In shadow mode
/// nothing is refused, so every call is a step that ran.
fn steps(check: &Inspected<'_>, decisions: &[Decision]) -> Vec<CheckedStep> {
    let Some(turn) = &check.turn else { return Vec::new() };
    let shadow = check.request.options.shadow;
    turn.calls
        .iter()
        .zip(&check.calls)
        .zip(decisions)
        .enumerate()
        .filter(|(_, ((_, state), _))| shadow || state.duplicate_of.is_none())
        .map(|(index, ((call, state), decision))| {
            let refused = !shadow && !decision.allows();
            let result = check.results.iter().find(|result| result.call == Some(index));
            let outcome = match (refused, result) {
                (true, _) => StepOutcome::Rejected {
                    by: deciding_layer(&state.findings).unwrap_or(Layer::Schema),
                },
                (false, Some(result)) => result.read.outcome(state.name(&check.request, call)),
                (false, None) => StepOutcome::Open,
            };
            CheckedStep {
                call_id: call.id.to_string(),
                tool: state.name(&check.request, call).to_owned(),
                arguments: calls::fingerprint(call, state),
                outcome,
            }
        })
        .collect()
}
