//! The state of each result: which call it answers, what was found, and what the judge is asked of it.

use crate::{
    check::{Request, calls::CallState},
    decide::rule,
    finding::Finding,
    layers::semantic::{self, CallView, Question},
    policy::Policy,
    trajectory::ReadResult,
    turn::Turn,
};

/// What is known of a result so far.
#[derive(Debug)]
pub(crate) struct ResultState<'a> {
    /// The result, read.
    pub read: ReadResult<'a>,
    /// Index of the candidate's call that it answers.
    pub call: Option<usize>,
    /// The id of the call that it answers, of the candidate or of an earlier turn.
    pub call_id: Option<String>,
    /// The tool's name, where the call is known.
    pub tool: Option<String>,
    /// All that was found.
    pub findings: Vec<Finding>,
}

/// Reads every result and finds its call.
pub(crate) fn read<'a>(request: &Request<'a>, turn: Option<&Turn<'a>>) -> Vec<ResultState<'a>> {
    let calls = turn.map_or(&[][..], |turn| &turn.calls);
    let single = request.results.len() == 1 && calls.len() == 1;
    request
        .results
        .iter()
        .map(|result| {
            let id = result.call_id.filter(|id| !id.is_empty());
            let call = match id {
                Some(id) => calls.iter().position(|call| call.id == id),
                None => single.then_some(0),
            };
            let step = id.and_then(|id| request.trajectory.steps.iter().rev().find(|step| &*step.call_id == id));
            let alone = id.is_none() && call.is_none();
            let waiting = if alone { request.trajectory.only_open() } else { None };
            let step = step.or(waiting);
            let call_id = call
                .and_then(|index| calls.get(index))
                .map(|call| call.id.to_string())
                .or_else(|| step.map(|step| step.call_id.to_string()))
                .or_else(|| id.map(str::to_owned));
            ResultState {
                read: ReadResult::read(result),
                call,
                call_id,
                tool: step.map(|step| step.tool.to_string()),
                findings: Vec::new(),
            }
        })
        .collect()
}

/// Layer 4, the part that needs no model: every result against its call; and the questions for the judge.
pub(crate) fn inspect(
    request: &Request<'_>,
    policy: &Policy,
    turn: Option<&Turn<'_>>,
    states: &[CallState],
    results: &mut [ResultState<'_>],
) -> Vec<(usize, Question)> {
    let mut questions = Vec::new();
    for (position, result) in results.iter_mut().enumerate() {
        let call = result.call.and_then(|index| Some((turn?.calls.get(index)?, states.get(index)?)));
        let name = call
            .map(|(call, state)| state.name(request, call).to_owned())
            .or_else(|| result.tool.clone())
            .unwrap_or_default();
        let known = !name.is_empty();
        let view = known.then(|| CallView {
            tool: request.toolset.tools().iter().find(|tool| tool.name == name),
            name: &name,
            arguments: call.and_then(|(call, state)| state.arguments(call)),
        });
        semantic::inspect(&result.read, view, request.context.intent, &mut result.findings);
        if !known && result.call_id.is_some() {
            result.findings.push(semantic::unmatched());
        }
        rule(&mut result.findings, 0, &policy.for_tool(&name));
        if policy.judges()
            && let Some(question) = semantic::question(request.context.intent, view, &result.read)
        {
            questions.push((position, question));
        }
        result.tool = known.then_some(name);
    }
    questions
}
