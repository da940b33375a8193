//! What takes the place of a call that may not run: a simpler tool where the policy names one and its arguments can
//! be had without inventing any, else words.

use serde_json::{Map, Value};

use crate::{
    decide::{Fallback, fold::deciding},
    finding::Finding,
    policy::{ArgumentSource, FallbackRule, Policy},
    tools::ToolSet,
};

/// Chooses the fallback for a call, or for a turn without one.
pub(crate) fn choose(
    policy: &Policy,
    tool: Option<&str>,
    arguments: Option<&Value>,
    intent: Option<&str>,
    toolset: &ToolSet,
    findings: &[Finding],
) -> Fallback {
    let own = tool.and_then(|name| policy.for_tool(name).fallback());
    own.and_then(|rule| apply(rule, arguments, intent, toolset))
        .or_else(|| apply(policy.default_fallback(), arguments, intent, toolset))
        .unwrap_or_else(|| Fallback::Text(plain_text(tool, findings)))
}

fn apply(rule: &FallbackRule, arguments: Option<&Value>, intent: Option<&str>, toolset: &ToolSet) -> Option<Fallback> {
    match rule {
        FallbackRule::Tool {
            name,
            arguments: sources,
        } => {
            let tool = toolset.tool(name)?;
            let value = Value::Object(gather(sources, arguments, intent)?);
            tool.input.is_valid(&value).then(|| Fallback::Tool {
                name: name.clone(),
                arguments: value,
            })
        }
        FallbackRule::Text(text) => Some(Fallback::Text(text.clone())),
        FallbackRule::AskUser(text) => Some(Fallback::AskUser(text.clone())),
        FallbackRule::Stop(text) => Some(Fallback::Stop(text.clone())),
    }
}

/// Every argument of the fallback tool, or nothing: none is invented.
fn gather(
    sources: &[(String, ArgumentSource)],
    arguments: Option<&Value>,
    intent: Option<&str>,
) -> Option<Map<String, Value>> {
    sources
        .iter()
        .map(|(name, source)| {
            let value = match source {
                ArgumentSource::Constant(value) => value.clone(),
                ArgumentSource::FromCall(pointer) => arguments?.pointer(pointer)?.clone(),
                ArgumentSource::Intent => Value::String(intent?.to_owned()),
            };
            Some((name.clone(), value))
        })
        .collect()
}

/// The words where the policy has none of its own.
fn plain_text(tool: Option<&str>, findings: &[Finding]) -> String {
    let what = tool.map_or_else(
        || "This step was stopped".to_owned(),
        |name| format!("The call of {} was stopped", crate::finding::shorten(name, 64)),
    );
    let why = deciding(findings).map_or_else(String::new, |finding| format!(" ({})", finding.code.as_str()));
    format!("{what}{why}. Nothing was run.")
}
