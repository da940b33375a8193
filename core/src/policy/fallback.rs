//! What takes a call's place, and how the file says it.

use crate::policy::{fault::Report, raw::Section};

/// What takes a call's place when it falls back.
#[derive(Debug, Clone, PartialEq)]
pub enum FallbackRule {
    /// A simpler tool.
    Tool {
        /// Its name.
        name: String,
        /// Its arguments and where each comes from.
        arguments: Vec<(String, ArgumentSource)>,
    },
    /// An answer in words.
    Text(String),
    /// A question to the user.
    AskUser(String),
    /// The end of the run, with the reason.
    Stop(String),
}

/// Where an argument of a fallback tool comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgumentSource {
    /// Written in the policy.
    Constant(serde_json::Value),
    /// A JSON Pointer into the arguments of the call that fell back; without the value there is no fallback tool.
    FromCall(String),
    /// The user's intent.
    Intent,
}

/// Longest answer, question or reason, in characters.
const MAX_TEXT_CHARS: usize = 4_000;

/// Most arguments of a fallback tool.
const MAX_ARGUMENTS: usize = 64;

/// The keys of which a fallback has exactly one.
const KINDS: [&str; 4] = ["tool", "text", "ask_user", "stop"];

/// What is said where nothing else is.
pub(super) fn default() -> FallbackRule {
    FallbackRule::Text("A tool call did not pass its checks and was not run.".to_owned())
}

/// Reads `[fallback]` or `[tools.fallback]`: one of `tool` (with `arguments`), `text`, `ask_user`, `stop`.
pub(super) fn read(mut section: Section, report: &mut Report) -> Option<FallbackRule> {
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| section.has(kind)).collect();
    let path = section.path().to_owned();
    let tool = section.text("tool", 256, report);
    let text = section.text("text", MAX_TEXT_CHARS, report);
    let ask_user = section.text("ask_user", MAX_TEXT_CHARS, report);
    let stop = section.text("stop", MAX_TEXT_CHARS, report);
    let arguments = section.section("arguments", report);
    if let Some(arguments) = &arguments
        && !kinds.contains(&"tool")
    {
        report.fault(arguments.path(), "arguments without a tool", "tool beside it");
    }
    let arguments = arguments
        .map(|arguments| read_arguments(arguments, report))
        .unwrap_or_default();
    section.finish(report);
    if kinds.len() != 1 {
        let message = if kinds.is_empty() {
            "says nothing"
        } else {
            "says more than one thing"
        };
        report.fault(path, message, format!("exactly one of {}", KINDS.join(", ")));
        return None;
    }
    tool.map(|name| FallbackRule::Tool { name, arguments })
        .or(text.map(FallbackRule::Text))
        .or(ask_user.map(FallbackRule::AskUser))
        .or(stop.map(FallbackRule::Stop))
}

fn read_arguments(mut section: Section, report: &mut Report) -> Vec<(String, ArgumentSource)> {
    let path = section.path().to_owned();
    let entries = section.free(report);
    if entries.len() > MAX_ARGUMENTS {
        report.fault(
            path,
            format!("{} arguments", entries.len()),
            format!("at most {MAX_ARGUMENTS}"),
        );
        return Vec::new();
    }
    entries
        .into_iter()
        .filter_map(|(name, entry)| Some((name, read_source(entry, report)?)))
        .collect()
}

fn read_source(mut section: Section, report: &mut Report) -> Option<ArgumentSource> {
    const SOURCES: [&str; 3] = ["from", "value", "intent"];
    let path = section.path().to_owned();
    let said = SOURCES.into_iter().filter(|key| section.has(key)).count();
    let from_path = section.path_of("from");
    let from = section.take("from");
    let value = section.take("value");
    let intent = section.take("intent");
    section.finish(report);
    if said != 1 {
        report.fault(
            path,
            "where the argument comes from is not said",
            "exactly one of from, value, intent",
        );
        return None;
    }
    if let Some(from) = from {
        let pointer = from.as_str().filter(|text| text.is_empty() || text.starts_with('/'));
        if pointer.is_none() {
            report.fault(from_path, "not a JSON Pointer", "a text such as \"/query\"");
        }
        return pointer.map(|pointer| ArgumentSource::FromCall(pointer.to_owned()));
    }
    if let Some(value) = value {
        return Some(ArgumentSource::Constant(to_json(value)));
    }
    if intent.as_ref().and_then(toml::Value::as_bool) != Some(true) {
        report.fault(format!("{path}.intent"), "not allowed here", "true");
        return None;
    }
    Some(ArgumentSource::Intent)
}

/// A TOML value as JSON; dates become texts.
pub(super) fn to_json(value: toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(integer) => integer.into(),
        toml::Value::Float(float) => float.into(),
        toml::Value::Boolean(boolean) => boolean.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(to_json).collect::<Vec<_>>().into(),
        toml::Value::Table(table) => {
            serde_json::Value::Object(table.into_iter().map(|(key, value)| (key, to_json(value))).collect())
        }
    }
}
