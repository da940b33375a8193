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
/// How deep they are looked for.
const MAX_DEPTH: usize = 100;
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

/// A walk down the arguments; the way is only written out where a fault is found.
struct Walk<'w> {
    view: &'w View<'w>,
    excerpts: &'w [&'w str],
    seen: usize,
}

/// A step on the way down.
#[derive(Clone, Copy)]
enum Token<'a> {
    Key(&'a str),
    Index(usize),
}

fn find<'a>(view: &View<'_>, arguments: &'a Value, excerpts: &[&str]) -> Option<Fault<'a>> {
    let mut walk = Walk {
        view,
        excerpts,
        seen: 0,
    };
    walk.down(arguments, "", false, &mut Vec::new())
}

impl Walk<'_> {
    fn down<'a>(&mut self, value: &'a Value, key: &str, required: bool, way: &mut Vec<Token<'a>>) -> Option<Fault<'a>> {
        self.seen += 1;
        if self.seen > MAX_VALUES || way.len() > MAX_DEPTH {
            return None;
        }
        match value {
            Value::Object(map) => map.iter().find_map(|(key, value)| {
                let required = if way.is_empty() {
                    is_required(self.view, key)
                } else {
                    false
                };
                self.step(value, key, required, Token::Key(key), way)
            }),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .find_map(|(index, item)| self.step(item, key, required, Token::Index(index), way)),
            Value::String(text) => {
                let message = judge(self.view, key, required, text.trim(), self.excerpts)?;
                Some(Fault {
                    pointer: pointer(way),
                    value: text,
                    message,
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn step<'a>(
        &mut self,
        value: &'a Value,
        key: &str,
        required: bool,
        token: Token<'a>,
        way: &mut Vec<Token<'a>>,
    ) -> Option<Fault<'a>> {
        way.push(token);
        let found = self.down(value, key, required, way);
        way.pop();
        found
    }
}

fn pointer(way: &[Token<'_>]) -> String {
    way.iter().fold(String::new(), |pointer, token| match token {
        Token::Key(key) => pointer + "/" + &key.replace('~', "~0").replace('/', "~1"),
        Token::Index(index) => pointer + "/" + &index.to_string(),
    })
}

fn judge(view: &View<'_>, key: &str, required: bool, text: &str, excerpts: &[&str]) -> Option<&'static str> {
    if text.is_empty() || text.len() > MAX_VALUE_BYTES {
        return None;
    }
    let is_nothing = NOTHING.contains(&text);
    let is_whole = excerpts
        .iter()
        .any(|excerpt| *excerpt == text || excerpt.split_once(": ").is_some_and(|(_, rest)| rest == text));
    let is_part = text.len() >= MIN_PART_BYTES && excerpts.iter().any(|excerpt| excerpt.contains(text));
    let is_announced = failure::announces_error(text) || failure::begins_as_error(text);
    // Nearly every value ends here, before its key is taken apart.
    if !(is_nothing || is_whole || is_part || is_announced || text.starts_with('{')) {
        return None;
    }
    if view.said().any(|said| says(said, text)) {
        return None;
    }
    if is_nothing {
        let is_sure = matches!(text, "undefined" | "[object Object]") || required || is_id(key);
        let is_data = is_worked_on(key) || is_offered(view, key, text);
        return (is_sure && !is_data).then_some("A missing value is passed on as if it were one");
    }
    let is_error = if is_worked_on(key) {
        // An error may well be searched for, but not that a service was away.
        is_whole
            && matches!(failure::kind(text), FailureKind::Wait | FailureKind::Denied)
            && !tells_of_errors(view.name)
    } else if is_told(key) {
        is_whole && !tells_of_errors(view.name)
    } else {
        is_whole || ((is_part || is_announced) && reads_like_error(text))
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
