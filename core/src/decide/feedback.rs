//! The correction in words: what was wrong, where, what is expected, what to do, how many attempts are left.
//!
//! It is written for a model: short, concrete, and never with a value that a layer chose not to quote.

use std::fmt::Write;

use crate::{
    code::{Action, Code, Layer},
    decide::fold::deciding,
    finding::Finding,
    trajectory::CORRECTION_MARK,
};

/// Findings quoted in one correction; more would drown the first.
const MAX_FINDINGS: usize = 8;

/// What the correction of one call is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallCorrection<'a> {
    /// The tool as the model named it.
    pub tool: &'a str,
    /// The call's findings.
    pub findings: &'a [Finding],
    /// Whether the call ran: then it is its result that is wrong.
    pub ran: bool,
    /// From 1.
    pub attempt: u32,
    /// Attempts allowed.
    pub max_attempts: u32,
}

/// The correction of one call.
pub(crate) fn call_text(correction: &CallCorrection<'_>) -> String {
    let tool = quoted_name(correction.tool);
    let what = match correction.ran {
        true => format!("The result of {tool} cannot be used as it is."),
        false => format!("The call of {tool} was not run."),
    };
    let mut text = format!("{} {what}", mark(correction.findings));
    bullets(&mut text, correction.findings);
    let left = correction.max_attempts.saturating_sub(correction.attempt);
    let again = match is_correctable(correction) {
        true => "Correct this and call again, or answer without the tool. ",
        false => "",
    };
    let _ = match left {
        0 => write!(
            text,
            "\nThis was the last attempt: if the next call is wrong too, it will not be asked for again."
        ),
        1 => write!(text, "\n{again}1 attempt left."),
        _ => write!(text, "\n{again}{left} attempts left."),
    };
    text
}

/// Whether the same call, written right, is what is wanted. Elsewhere the findings say what to do instead.
fn is_correctable(correction: &CallCorrection<'_>) -> bool {
    let fixable = |code: Code| {
        code.layer() == Layer::Schema || matches!(code, Code::UnknownTool | Code::Placeholder | Code::PolicyViolation)
    };
    !correction.ran && deciding(correction.findings).is_some_and(|finding| fixable(finding.code))
}

/// The correction of a turn, or of results: findings that belong to no one call.
pub(crate) fn general_text<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let blocking: Vec<Finding> = findings.into_iter().cloned().collect();
    let mut text = format!("{} The last answer cannot be used as it is.", mark(&blocking));
    bullets(&mut text, &blocking);
    text
}

/// The mark by which a correction is known again in the messages, with the layer and code that decided: the next
/// attempt is counted by it.
fn mark(findings: &[Finding]) -> String {
    deciding(findings).map_or_else(
        || CORRECTION_MARK.to_owned(),
        |finding| {
            format!(
                "{CORRECTION_MARK} {}/{}:",
                finding.layer().as_str(),
                finding.code.as_str()
            )
        },
    )
}

fn bullets(text: &mut String, findings: &[Finding]) {
    let told = findings
        .iter()
        .filter(|finding| finding.enforced && finding.action >= Action::Retry);
    for finding in told.take(MAX_FINDINGS) {
        let _ = write!(text, "\n- {}", finding.code.as_str());
        if !finding.pointer.is_empty() {
            let _ = write!(text, " at {}", finding.pointer);
        }
        let _ = write!(text, ": {}.", finding.message.trim_end_matches('.'));
        if let Some(expected) = &finding.expected {
            let _ = write!(text, " Expected: {}.", expected.trim_end_matches('.'));
        }
        if let Some(received) = &finding.received {
            let _ = write!(text, " Received: {}.", received.trim_end_matches('.'));
        }
        if let Some(suggestion) = &finding.suggestion {
            let _ = write!(text, " {}.", capitalised(suggestion.trim_end_matches('.')));
        }
    }
}

fn quoted_name(name: &str) -> String {
    if name.is_empty() {
        "a tool without a name".to_owned()
    } else {
        format!("`{}`", crate::finding::shorten(name, 64))
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
