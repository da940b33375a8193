//! What is wrong with a set of tools, told to the caller when it registers them, and which names are near to one.

use std::collections::HashMap;

use super::{
    Tool,
    names::{Names, Resolution},
};

/// Names that are compared letter by letter.
const MAX_COMPARED: usize = 64;
const MAX_COMPARED_CHARS: usize = 64;
/// Below this two names are not near.
const MIN_LIKENESS: f64 = 0.5;

/// Something wrong with a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Position of the definition in the list.
    pub index: usize,
    /// The tool's name; empty where it has none.
    pub tool: String,
    /// What.
    pub code: DiagnosticCode,
    /// One sentence.
    pub message: String,
}

/// What may be wrong with a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiagnosticCode {
    /// The definition cannot be read; the tool is left out.
    DefinitionUnreadable,
    /// An earlier tool has the same name; calls go to the first.
    DuplicateName,
    /// Another tool's name differs only by case or separators.
    AmbiguousName,
    /// The schema, or a part of it, cannot be used; calls are checked without it.
    SchemaInvalid,
}

impl DiagnosticCode {
    /// The string used on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            DiagnosticCode::DefinitionUnreadable => "definition_unreadable",
            DiagnosticCode::DuplicateName => "duplicate_name",
            DiagnosticCode::AmbiguousName => "ambiguous_name",
            DiagnosticCode::SchemaInvalid => "tool_schema_invalid",
        }
    }
}

pub(super) fn diagnose(tools: &[Tool], names: &Names, into: &mut Vec<Diagnostic>) {
    let mut spellings: HashMap<String, usize> = HashMap::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        let mut tell = |code, message: String| {
            into.push(Diagnostic {
                index,
                tool: tool.name.clone(),
                code,
                message,
            });
        };
        if names.resolve(&tool.name, tools) != Resolution::Exact(index) {
            tell(
                DiagnosticCode::DuplicateName,
                "an earlier tool has the same name".to_owned(),
            );
        } else if let Some(earlier) = spellings.insert(folded(&tool.name), index).and_then(|at| tools.get(at)) {
            tell(
                DiagnosticCode::AmbiguousName,
                format!("the name differs from {} only by case or separators", earlier.name),
            );
        }
        for schema in std::iter::once(&tool.input).chain(&tool.output) {
            if let Some(fault) = schema.fault() {
                tell(DiagnosticCode::SchemaInvalid, fault.to_owned());
            }
        }
    }
}

/// The names most like this one. Letters in common choose whom to compare with, so that ten thousand tools cost little.
pub(super) fn nearest<'a>(tools: &'a [Tool], name: &str, count: usize) -> Vec<&'a str> {
    let wanted = folded(name);
    let mask = letters(&wanted);
    let mut near: Vec<(u32, &Tool)> = tools
        .iter()
        .map(|tool| ((letters(&tool.name) ^ mask).count_ones(), tool))
        .collect();
    if near.len() > MAX_COMPARED {
        near.select_nth_unstable_by_key(MAX_COMPARED - 1, |(distance, _)| *distance);
        near.truncate(MAX_COMPARED);
    }
    let mut scored: Vec<(f64, &str)> = near
        .into_iter()
        .map(|(_, tool)| (likeness(&wanted, &folded(&tool.name)), tool.name.as_str()))
        .filter(|(score, _)| *score >= MIN_LIKENESS)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by_key(|(_, name)| *name);
    scored.into_iter().take(count).map(|(_, name)| name).collect()
}

/// From 0 to 1. A name within the other is near whatever the lengths.
fn likeness(a: &str, b: &str) -> f64 {
    let within = a.len().min(b.len()) >= 4 && (a.contains(b) || b.contains(a));
    let spelt = strsim::jaro_winkler(a, b).min(0.99) - 0.25;
    let edits = strsim::normalized_damerau_levenshtein(a, b);
    let inside = if within { 0.75 } else { 0.0 };
    edits.max(inside).max(spelt)
}

/// Lower case, without separators, shortened.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(MAX_COMPARED_CHARS)
        .collect()
}

/// The letters and digits of a name, one bit each.
fn letters(name: &str) -> u64 {
    name.bytes().fold(0, |mask, byte| match byte {
        b'a'..=b'z' => mask | 1 << (byte - b'a'),
        b'A'..=b'Z' => mask | 1 << (byte - b'A'),
        b'0'..=b'9' => mask | 1 << (26 + byte - b'0'),
        _ => mask,
    })
}
