//! The state of each result: which call it answers, what was found, and what the judge is asked of it.

use crate::{
    check::{Request, calls::CallState},
    code::Code,
    decide::rule,
    finding::Finding,
    layers::semantic::{self, CallView, Question},
    policy::Policy,
    trajectory::{Answer, ReadResult},
    turn::{Call, Turn, WireFormat},
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

/// Reads every result and finds its call: one of the candidate's by its id, or an earlier one that waited, or, without
/// an id, the candidate's only call.
pub(crate) fn read<'a>(request: &Request<'a>, turn: Option<&Turn<'a>>, states: &[CallState]) -> Vec<ResultState<'a>> {
    let calls = turn.map_or(&[][..], |turn| &turn.calls);
    let mut answered = vec![false; calls.len()];
    let mut results = Vec::with_capacity(request.results.len());
    for (position, result) in request.results.iter().enumerate() {
        let earlier = request.earlier.get(position).unwrap_or(&Answer::Unknown);
        let id = result.call_id.filter(|id| !id.is_empty());
        let mut findings = Vec::new();
        let (call, tool) = match (id, earlier) {
            (_, Answer::Call { tool }) => (None, Some(tool.to_string())),
            (Some(id), _) => (by_id(calls, id).or_else(|| only_unnamed(turn?, request)), None),
            (None, _) => ((calls.len() == 1).then_some(0), None),
        };
        let tool = tool.or_else(|| Some(states.get(call?)?.name(request, calls.get(call?)?).to_owned()));
        if let Some(seen) = call.and_then(|index| answered.get_mut(index)) {
            if *seen {
                findings.push(Finding::new(Code::ResultUnmatched, "this call has its result already"));
            }
            *seen = true;
        } else if tool.is_none() {
            findings.push(match earlier {
                Answer::Again { .. } => Finding::new(Code::ResultUnmatched, "this call has its result already"),
                Answer::Call { .. } | Answer::Unknown => {
                    Finding::new(Code::ResultUnmatched, "no call is known that this result answers")
                }
            });
        }
        let call_id = call
            .and_then(|index| calls.get(index))
            .map(|call| call.id.as_ref())
            .or(id);
        results.push(ResultState {
            read: ReadResult::read(result),
            call,
            call_id: call_id.map(str::to_owned),
            tool,
            findings,
        });
    }
    results
}

fn by_id(calls: &[Call<'_>], id: &str) -> Option<usize> {
    calls.iter().position(|call| call.id == id)
}

/// On wires without call ids (a JSON-RPC id names the request) the caller names the call as it likes; where there is
/// only one call and one result, that can mean nothing else.
fn only_unnamed(turn: &Turn<'_>, request: &Request<'_>) -> Option<usize> {
    match turn.calls.as_slice() {
        [call] if request.results.len() == 1 && (!call.id_given || turn.format == WireFormat::Mcp) => Some(0),
        _ => None,
    }
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
        let call = result
            .call
            .and_then(|index| Some((turn?.calls.get(index)?, states.get(index)?)));
        let view = result.tool.as_deref().map(|name| CallView {
            tool: request.toolset.tool(name),
            name,
            arguments: call.and_then(|(call, state)| state.arguments(call)),
        });
        semantic::inspect(&result.read, view, &mut result.findings);
        rule(
            &mut result.findings,
            0,
            &policy.for_tool(result.tool.as_deref().unwrap_or_default()),
        );
        if policy.judges()
            && let Some(question) = semantic::question(request.context.said(), view, &result.read)
        {
            questions.push((position, question));
        }
    }
    questions
}
