//! The selection layer: does the tool exist, and may it be called here?
//!
//! Names are resolved by the toolset and never by similarity: similar names only help the model to correct itself. What
//! may be called is the caller's tool choice and the operator's policy; a call that breaks either is the call's finding,
//! a call that is missing is the turn's. Where only one call at a time is allowed the first one stands and the surplus
//! ones are to be made later, so that one call too many does not cost the one that was right.

mod choice;

use crate::{
    check::{Context, ToolChoice},
    code::Code,
    finding::{Finding, MAX_QUOTE_CHARS, shorten},
    layers::Inspection,
    tools::{Resolution, ToolSet},
    turn::{Call, Turn},
};

/// Most names of tools that a finding lists.
const MAX_NAMES: usize = 5;

/// Which tool a call means. An unknown or ambiguous name is a finding; so is a name that was written otherwise.
pub fn resolve(call: &Call<'_>, toolset: &ToolSet, findings: &mut Vec<Finding>) -> Option<usize> {
    if toolset.tools().is_empty() {
        findings.push(unknown(call, toolset));
        return None;
    }
    match toolset.resolve(&call.name) {
        Resolution::Exact(index) => Some(index),
        Resolution::Respelt(index) => {
            let real = toolset.tools().get(index)?;
            findings.push(
                Finding::new(
                    Code::RepairedToolName,
                    "the tool's name was written in another spelling",
                )
                .expected(shorten(&real.name, MAX_QUOTE_CHARS))
                .received(&call.name),
            );
            Some(index)
        }
        Resolution::Ambiguous(candidates) => {
            let names = candidates
                .iter()
                .filter_map(|index| toolset.tools().get(*index))
                .map(|tool| &*tool.name);
            findings.push(
                Finding::new(Code::UnknownTool, "several tools could be meant by this name")
                    .expected(list(names))
                    .received(&call.name)
                    .suggestion("use the full name of one of them"),
            );
            None
        }
        Resolution::Unknown => {
            findings.push(unknown(call, toolset));
            None
        }
    }
}

/// The finding for a name that no tool bears, with the real names nearest to it.
pub fn unknown(call: &Call<'_>, toolset: &ToolSet) -> Finding {
    if toolset.tools().is_empty() {
        return Finding::new(Code::NoToolsOffered, "no tool was offered, so none can be called")
            .received(&call.name)
            .suggestion("answer in words");
    }
    let mut finding = if call.name.trim().is_empty() {
        Finding::new(Code::UnknownTool, "the call names no tool").suggestion("name one of the tools that were offered")
    } else {
        Finding::new(Code::UnknownTool, "no tool of this name was offered")
            .received(&call.name)
            .suggestion("use the exact name of a tool that was offered, or answer without one")
    };
    let names = likely(&call.name, toolset);
    if !names.is_empty() {
        finding = finding.expected(list(names));
    }
    finding
}

/// The real names that may have been meant: all of a few, else those most like it.
fn likely<'t>(name: &str, toolset: &'t ToolSet) -> Vec<&'t str> {
    if toolset.tools().len() <= MAX_NAMES {
        toolset.tools().iter().map(|tool| &*tool.name).collect()
    } else {
        toolset.nearest(name, MAX_NAMES)
    }
}

/// Whether one call may be made: by the policy, the tool choice and the calls before it.
pub fn inspect_call(inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    let Inspection {
        index,
        tool,
        policy,
        context,
        toolset,
        ..
    } = *inspection;
    if context.parallel == Some(false) && index > 0 {
        findings.push(
            Finding::new(Code::ParallelNotAllowed, "only one call at a time is allowed")
                .suggestion("make this call after the result of the first"),
        );
    }
    let Some(tool) = tool else { return };
    if !policy.allowed() {
        findings.push(
            Finding::new(Code::ToolNotAllowed, "the policy does not allow this tool")
                .suggestion("use another tool, or answer without one"),
        );
    }
    let refused = |message: &'static str| Finding::new(Code::ToolNotAllowed, message);
    match context.tool_choice {
        ToolChoice::Auto | ToolChoice::Required => {}
        ToolChoice::None => {
            findings.push(refused("the caller allows no tool in this turn").suggestion("answer in words"));
        }
        ToolChoice::Named(name) => {
            if !names_tool(name, &tool.name, toolset) {
                findings.push(refused("the caller wants another tool").expected(shorten(name, MAX_QUOTE_CHARS)));
            }
        }
        ToolChoice::Allowed { names, .. } => {
            if !names.iter().any(|name| names_tool(name, &tool.name, toolset)) {
                let names = names.iter().map(String::as_str);
                findings.push(refused("the caller does not allow this tool in this turn").expected(list(names)));
            }
        }
    }
}

/// Whether a call that had to come came. `resolved`: the tools that the turn's calls mean.
pub fn inspect_turn(
    turn: &Turn<'_>,
    context: &Context<'_>,
    resolved: &[Option<usize>],
    toolset: &ToolSet,
    findings: &mut Vec<Finding>,
) {
    if !turn.calls.is_empty() || !resolved.is_empty() || toolset.tools().is_empty() {
        return;
    }
    let unmet = |message: &'static str| Finding::new(Code::ToolChoiceUnmet, message);
    match context.tool_choice {
        ToolChoice::Auto | ToolChoice::None | ToolChoice::Allowed { required: false, .. } => {}
        ToolChoice::Required => {
            findings.push(unmet("a tool call was required, and none came").suggestion("call one of the tools offered"));
        }
        ToolChoice::Named(name) => {
            let name = shorten(name, MAX_QUOTE_CHARS);
            findings.push(unmet("a call of one tool was required, and none came").expected(name));
        }
        ToolChoice::Allowed { names, required: true } => {
            let names = list(names.iter().map(String::as_str));
            findings.push(unmet("a call of one of these tools was required, and none came").expected(names));
        }
    }
}

/// Whether a name of the tool choice means the tool: the very name, or another spelling of it.
fn names_tool(name: &str, tool: &str, toolset: &ToolSet) -> bool {
    if name == tool {
        return true;
    }
    match toolset.resolve(name) {
        Resolution::Exact(_) | Resolution::Ambiguous(_) | Resolution::Unknown => false,
        Resolution::Respelt(index) => toolset.tools().get(index).is_some_and(|it| it.name == tool),
    }
}

/// A few names, sorted, each shortened.
fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(MAX_NAMES);
    let mut shown: Vec<String> = names
        .into_iter()
        .take(MAX_NAMES)
        .map(|it| shorten(it, MAX_QUOTE_CHARS))
        .collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}
