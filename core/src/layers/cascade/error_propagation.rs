//! `error_propagation`: a fault handed on as if it were data: the text of an error, or what a missing value looks like
//! when it is printed (`undefined`, `null`, `None`), where a name or an id belongs.
//!
//! What the user said himself is his, and an error that only quotes a value does not taint it: a part of an error
//! counts where it reads like an error. Code and searches may hold anything; a message may tell of an error, but seldom
//! is nothing but one.

use serde_json::Value;

use super::view::{View, staged};
use crate::{
    code::Code,
    finding::Finding,
    trajectory::{FailureKind, ReadResult, StepOutcome, failure, names},
};

/// Shortest part of an error that is recognised, in bytes.
const MIN_PART_BYTES: usize = 12;
/// Values of one call that are looked at.
const MAX_VALUES: usize = 2_000;
/// Longest value that can be an error handed on, in bytes.
const MAX_VALUE_BYTES: usize = 400;

/// How programs print a value that is not there.
const NOTHING: [&str; 8] = [
    "undefined",
    "null",
    "None",
    "NaN",
    "nil",
    "[object Object]",
    "NoneType",
    "<nil>",
];

pub(super) fn inspect(view: &View<'_>, findings: &mut Vec<Finding>) {
    let Some(arguments) = view.inspection.arguments else {
        return;
    };
    let excerpts: Vec<&str> = view
        .steps
        .iter()
        .filter_map(|step| match &step.outcome {
            StepOutcome::Failed { excerpt, .. } => Some(excerpt.trim().trim_end_matches('…')),
            StepOutcome::Open
            | StepOutcome::Done(_)
            | StepOutcome::Pending(_)
            | StepOutcome::Empty(_)
            | StepOutcome::Rejected { .. } => None,
        })
        .filter(|excerpt| !excerpt.is_empty())
        .collect();
    let Some(fault) = find(view, arguments, &excerpts) else {
        return;
    };
    let Some(action) = staged(view.stages(Code::ErrorPropagation), view.insistence()) else {
        return;
    };
    findings.push(
        Finding::new(Code::ErrorPropagation, fault.message)
            .at(fault.pointer)
            .received(fault.value)
            .leads_to(action)
            .suggestion(
                "Get the real value first: repeat the step that failed in another way, or ask the user for it.",
            ),
    );
}

struct Fault<'a> {
    pointer: String,
    value: &'a str,
    message: &'static str,
}

fn find<'a>(view: &View<'_>, arguments: &'a Value, excerpts: &[&str]) -> Option<Fault<'a>> {
    let mut open: Vec<(String, &str, bool, &'a Value)> = vec![(String::new(), "", false, arguments)];
    let mut seen = 0;
    while let Some((pointer, key, required, value)) = open.pop() {
        seen += 1;
        if seen > MAX_VALUES {
            return None;
        }
        match value {
            Value::Object(map) => {
                let top = pointer.is_empty();
                for (key, value) in map {
                    let required = top && is_required(view, key);
                    open.push((
                        format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")),
                        key,
                        required,
                        value,
                    ));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    open.push((format!("{pointer}/{index}"), key, required, item));
                }
            }
            Value::String(text) => {
                if let Some(message) = judge(view, key, required, text.trim(), excerpts) {
                    return Some(Fault {
                        pointer,
                        value: text,
                        message,
                    });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    None
}

fn judge(view: &View<'_>, key: &str, required: bool, text: &str, excerpts: &[&str]) -> Option<&'static str> {
    if text.is_empty() || text.len() > MAX_VALUE_BYTES || view.said().any(|said| says(said, text)) {
        return None;
    }
    if NOTHING.contains(&text) {
        let is_sure = matches!(text, "undefined" | "[object Object]") || required || is_id(key);
        let is_data = is_worked_on(key) || is_offered(view, key, text);
        return (is_sure && !is_data).then_some("A missing value is passed on as if it were one");
    }
    let is_whole = excerpts
        .iter()
        .any(|excerpt| *excerpt == text || excerpt.split_once(": ").is_some_and(|(_, rest)| rest == text));
    let is_error = if is_worked_on(key) {
        // An error may well be searched for, but not that a service was away.
        is_whole
            && matches!(failure::kind(text), FailureKind::Wait | FailureKind::Denied)
            && !tells_of_errors(view.name)
    } else if is_told(key) {
        is_whole && !tells_of_errors(view.name)
    } else {
        is_whole
            || (text.len() >= MIN_PART_BYTES
                && reads_like_error(text)
                && excerpts.iter().any(|excerpt| excerpt.contains(text)))
            || ((failure::announces_error(text) || failure::begins_as_error(text)) && reads_like_error(text))
    };
    (is_error || is_error_object(key, text)).then_some("The text of an error is passed on as if it were data")
}

/// `{"error": "not found"}` as a text where no JSON is told or worked on.
fn is_error_object(key: &str, text: &str) -> bool {
    text.starts_with('{')
        && !["json", "payload", "data", "log", "error", "errors", "params", "event"]
            .iter()
            .any(|word| names::words(key).any(|part| part.eq_ignore_ascii_case(word)))
        && ReadResult::from_text(text.into()).failure("").is_some()
}

/// More than one word, and words in which errors are told.
fn reads_like_error(text: &str) -> bool {
    text.split_ascii_whitespace().nth(1).is_some() && failure::kind(text) != FailureKind::Unclear
}

/// Whether a text says a word as a word of its own.
fn says(text: &str, word: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | '.' | '!' | '?' | '(' | ')'))
        .any(|part| part == word)
        || (word.contains(' ') && text.contains(word))
}

/// Whether the schema itself names the value.
fn is_offered(view: &View<'_>, key: &str, text: &str) -> bool {
    let property = view.inspection.tool.and_then(|tool| tool.property(key));
    property.is_some_and(|property| {
        let is_it = |value: &Value| value.as_str() == Some(text);
        property
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| values.iter().any(is_it))
            || ["const", "default"]
                .iter()
                .any(|word| property.get(word).is_some_and(is_it))
    })
}

fn is_required(view: &View<'_>, key: &str) -> bool {
    view.inspection.tool.is_some_and(|tool| tool.requires(key))
}

fn is_id(key: &str) -> bool {
    has_word(key, &["id", "ids", "key", "uuid", "handle", "ref", "token"])
}

fn has_word(name: &str, known: &[&str]) -> bool {
    names::words(name).any(|word| known.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Fields whose content is worked on as it is: code, commands, patterns, searches.
fn is_worked_on(key: &str) -> bool {
    has_word(
        key,
        &[
            "query",
            "question",
            "questions",
            "command",
            "cmd",
            "code",
            "script",
            "sql",
            "search",
            "pattern",
            "keyword",
            "keywords",
            "expression",
            "old",
            "new",
            "replace",
            "replacement",
            "regex",
            "string",
            "stdin",
            "chars",
            "input",
            "q",
            "term",
        ],
    )
}

/// Fields in which something is told to people.
fn is_told(key: &str) -> bool {
    has_word(
        key,
        &[
            "message",
            "text",
            "body",
            "content",
            "contents",
            "description",
            "comment",
            "note",
            "notes",
            "reason",
            "summary",
            "title",
            "subject",
            "log",
            "logs",
            "error",
            "errors",
            "details",
            "detail",
            "prompt",
            "task",
            "thought",
            "caption",
            "html",
            "markdown",
            "answer",
            "response",
            "feedback",
            "msg",
            "explanation",
            "instructions",
            "value",
        ],
    )
}

/// Whether a tool is for telling or looking up errors.
fn tells_of_errors(name: &str) -> bool {
    has_word(
        name,
        &[
            "error",
            "errors",
            "log",
            "report",
            "ticket",
            "issue",
            "bug",
            "incident",
            "alert",
            "escalate",
            "debug",
            "diagnose",
            "user",
            "respond",
            "answer",
            "final",
            "finish",
            "think",
            "web",
            "docs",
            "internet",
            "google",
            "knowledge",
            "stack",
            "note",
            "notes",
        ],
    )
}
