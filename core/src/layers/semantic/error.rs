//! `result_error`: the tool failed, and what can be done about it: fix the arguments, wait, or give up.

use super::CallView;
use crate::{
    code::{Action, Code},
    finding::Finding,
    trajectory::{
        FailureKind, ReadResult, failure,
        names::{Purpose, purpose},
    },
};

/// Whether an error was found.
pub(super) fn inspect(result: &ReadResult<'_>, call: Option<CallView<'_>>, findings: &mut Vec<Finding>) -> bool {
    let name = call.map_or("", |call| call.name);
    if let Some(failure) = result.failure(name) {
        findings.push(told(failure.kind, &failure.text));
        return true;
    }
    let expects_data = call
        .and_then(|call| call.tool)
        .is_some_and(|tool| tool.output.is_some())
        || !matches!(purpose(name), Purpose::Document | Purpose::Log);
    if call.is_some() && expects_data && result.value.is_none() && is_page(&result.text) {
        let kind = failure::kind(&words_of(&result.text));
        let mut finding = told(
            if kind == FailureKind::Unclear {
                FailureKind::Wait
            } else {
                kind
            },
            &result.text,
        );
        finding.message =
            "A web page came back where data was expected: an error page, a login page or a proxy's".into();
        findings.push(finding);
        return true;
    }
    false
}

fn told(kind: FailureKind, text: &str) -> Finding {
    let (action, message, suggestion) = match kind {
        FailureKind::Arguments => (
            Action::Retry,
            "The tool did not accept the arguments",
            "Fix the arguments as the error says, then call the tool again.",
        ),
        FailureKind::NotFound => (
            Action::Retry,
            "What was asked for is not there",
            "Check the name or id, look up what exists, or tell the user that it is not there.",
        ),
        FailureKind::Wait => (
            Action::Retry,
            "The service did not answer properly; the arguments are not to blame",
            "Wait before one more try; if it fails again, go on without it or tell the user.",
        ),
        FailureKind::Denied => (
            Action::Fallback,
            "The tool may not be used like this, and another try will not change that",
            "Give up on this call: tell the user which access is missing.",
        ),
        FailureKind::Unclear => (
            Action::Retry,
            "The tool failed",
            "Do not use the result as data: try another way, or tell the user what failed.",
        ),
    };
    Finding::new(Code::ResultError, message)
        .leads_to(action)
        .received(text.trim())
        .suggestion(suggestion)
}

/// Whether a text is an HTML page.
fn is_page(text: &str) -> bool {
    let head = text.trim_start().get(..15).unwrap_or_else(|| text.trim_start());
    ["<!doctype html", "<html"].iter().any(|start| {
        head.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    })
}

/// The beginning of a page's own words, without its tags.
fn words_of(page: &str) -> String {
    let mut words = String::new();
    let mut in_tag = false;
    for c in page.chars().take(4_000) {
        match c {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                words.push(' ');
            }
            _ if !in_tag => words.push(c),
            _ => {}
        }
        if words.len() > 300 {
            break;
        }
    }
    words
}
