//! The state of each call on its way through the layers.

use serde_json::Value;

use crate::{
    check::Request,
    code::{Action, Code, Layer},
    decide::rule,
    finding::Finding,
    layers::{
        Inspection,
        schema::{self, Fit},
        selection,
    },
    limits::Limits,
    policy::{Mode, Policy},
    tools::Tool,
    trajectory::{Fingerprint, canonical},
    turn::{Call, Reading, Turn},
};

/// What is known of a call so far.
#[derive(Debug)]
pub(crate) struct CallState {
    /// Index of the tool that the name means.
    pub tool: Option<usize>,
    /// The arguments after repair; `None`: as received.
    pub repaired: Option<Value>,
    /// Whether the arguments can be used at all.
    pub usable: bool,
    /// Of the canonical arguments.
    pub fingerprint: Fingerprint,
    /// Index of the call of the same turn that this one repeats.
    pub duplicate_of: Option<usize>,
    /// All that was found.
    pub findings: Vec<Finding>,
}

impl CallState {
    /// The arguments as they would be forwarded.
    pub(crate) fn arguments<'s>(&'s self, call: &'s Call<'_>) -> Option<&'s Value> {
        if !self.usable {
            return None;
        }
        self.repaired.as_ref().or_else(|| call.arguments.reading.value())
    }

    /// The arguments where they differ from what was received: repaired, or rescued from broken JSON.
    pub(crate) fn rewritten<'s>(&'s self, call: &'s Call<'_>) -> Option<&'s Value> {
        self.repaired.as_ref().or(match &call.arguments.reading {
            Reading::Rescued(value) => Some(value),
            Reading::Strict(_) | Reading::Absent | Reading::Failed => None,
        })
    }

    /// The tool's real name, or the one written.
    pub(crate) fn name<'s>(&self, request: &'s Request<'_>, call: &'s Call<'_>) -> &'s str {
        self.tool
            .and_then(|index| request.toolset.tools().get(index))
            .map_or(&call.name, |tool| &tool.name)
    }
}

/// Reads a call's name: which tool is meant. A respelt name counts only where the policy lets it be repaired.
pub(crate) fn resolve(request: &Request<'_>, policy: &Policy, call: &mut Call<'_>) -> CallState {
    let mut state = CallState {
        tool: None,
        repaired: None,
        usable: true,
        fingerprint: Fingerprint::default(),
        duplicate_of: None,
        findings: std::mem::take(&mut call.findings),
    };
    withhold(policy, call, &mut state.findings);
    let view = policy.for_tool(&call.name);
    rule(&mut state.findings, 0, &view);
    let start = state.findings.len();
    state.tool = selection::resolve(call, request.toolset, &mut state.findings);
    let respelt = state
        .findings
        .iter()
        .skip(start)
        .any(|finding| finding.code == Code::RepairedToolName);
    let repairs = request.options.repair && view.ruling(Code::RepairedToolName, "").mode == Mode::Enforce;
    if respelt && !repairs {
        state.findings.truncate(start);
        state.tool = None;
        state.findings.push(selection::unknown(call, request.toolset));
    }
    let asked = request
        .options
        .layers
        .get(Layer::Selection.index())
        .copied()
        .unwrap_or(true);
    if !asked {
        state.findings.truncate(start);
    }
    rule(&mut state.findings, start, &policy.for_tool(&call.name));
    state
}

/// What could be read only by a repair that the policy keeps off or in shadow was not read. An id that was made changes
/// nothing of what the call says.
fn withhold(policy: &Policy, call: &mut Call<'_>, findings: &mut Vec<Finding>) {
    let view = policy.for_tool(&call.name);
    let withheld = |finding: &Finding| {
        finding.action == Action::Repair
            && finding.code != Code::RepairedCallId
            && view.ruling(finding.code, &finding.pointer).mode != Mode::Enforce
    };
    if let Some(repair) = findings
        .iter()
        .find(|finding| withheld(finding))
        .map(|finding| finding.code)
    {
        call.arguments.reading = Reading::Failed;
        findings.retain(|finding| finding.action != Action::Repair);
        let message = format!(
            "not as it must be written, and the policy does not repair it ({})",
            repair.as_str()
        );
        findings.push(Finding::new(Code::MalformedJson, message).suggestion("send the call again, as strict JSON"));
    }
}

/// Layer 1: the arguments against the tool's schema, repaired where nothing is lost.
pub(crate) fn fit(request: &Request<'_>, policy: &Policy, limits: &Limits, call: &Call<'_>, state: &mut CallState) {
    let Some(tool) = state.tool.and_then(|index| request.toolset.tools().get(index)) else {
        state.usable = !matches!(call.arguments.reading, Reading::Failed);
        return;
    };
    let view = policy.for_tool(&tool.name);
    let start = state.findings.len();
    let mut fit = schema::fit(call, tool, request.options.repair, limits, &mut state.findings);
    let withheld = |finding: &Finding| {
        finding.action == Action::Repair && view.ruling(finding.code, &finding.pointer).mode != Mode::Enforce
    };
    if matches!(fit, Fit::Changed(_)) && state.findings.iter().skip(start).any(withheld) {
        state.findings.truncate(start);
        fit = schema::fit(call, tool, false, limits, &mut state.findings);
    }
    match fit {
        Fit::AsReceived => {}
        Fit::Changed(value) => state.repaired = Some(value),
        Fit::Unusable => state.usable = false,
    }
    rule(&mut state.findings, start, &view);
}

/// What a layer that looks at one call is given.
pub(crate) fn look<'s>(
    request: &'s Request<'_>,
    policy: &'s Policy,
    turn: &'s Turn<'_>,
    states: &'s mut [CallState],
    index: usize,
    fingerprints: &'s [Fingerprint],
    layer: fn(&Inspection<'_>, &mut Vec<Finding>),
) {
    let (Some(call), Some(state)) = (turn.calls.get(index), states.get_mut(index)) else {
        return;
    };
    let mut findings = std::mem::take(&mut state.findings);
    let start = findings.len();
    let tool: Option<&Tool> = state.tool.and_then(|index| request.toolset.tools().get(index));
    let view = policy.for_tool(state.name(request, call));
    layer(
        &Inspection {
            index,
            turn,
            toolset: request.toolset,
            tool,
            arguments: state.arguments(call),
            fingerprint: state.fingerprint,
            fingerprints,
            trajectory: request.trajectory,
            policy: &view,
            context: &request.context,
        },
        &mut findings,
    );
    rule(&mut findings, start, &view);
    state.findings = findings;
}

/// The fingerprint of what the call would be forwarded with, or of the text where it cannot be read.
pub(crate) fn fingerprint(call: &Call<'_>, state: &CallState) -> Fingerprint {
    match state.arguments(call) {
        Some(value) => canonical::arguments(value),
        None => canonical::arguments_text(call.arguments.received.as_bytes()),
    }
}
