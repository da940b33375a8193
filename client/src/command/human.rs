//! Answers for people: a line for each call with its decision, why, and what to do now.
//!
//! Names and messages come from models and tools, so nothing of them may steer the terminal.

use std::fmt::Write;

use toolward_document::{Answer, Decision, FallbackKind, Finding, Severity};

/// Writes text in colours, or without.
#[derive(Debug, Clone, Copy)]
pub(super) struct Painter {
    pub(super) colored: bool,
}

/// One line: of a call, a result or the whole turn.
struct Row<'a> {
    decision: Decision,
    what: String,
    /// Said of it where no finding says it.
    note: Option<&'a str>,
    findings: &'a [Finding],
    advice: Option<String>,
}

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const MAGENTA: &str = "35";
const CYAN: &str = "36";

impl Painter {
    /// The lines of an answer.
    pub(super) fn answer(self, answer: &Answer) -> String {
        let mut text = String::new();
        let id = answer.id.as_deref().map_or_else(|| "-".to_owned(), clean);
        for row in rows(answer) {
            self.row(&mut text, &id, &row);
        }
        text
    }

    fn row(self, text: &mut String, id: &str, row: &Row<'_>) {
        let decision = self.decision(row.decision, 8);
        let what = self.paint(BOLD, &row.what);
        let mut findings = row.findings.iter();
        let said = findings.next().map(|finding| self.finding(finding));
        let said = said.or_else(|| row.note.map(clean));
        let first = said.map_or_else(String::new, |said| format!("  {said}"));
        let advice = row.advice.as_ref().map_or_else(String::new, |advice| {
            let advice = format!("→ {}", clean(advice));
            format!("  {}", self.paint(CYAN, &advice))
        });
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{decision}  {id}  {what}{first}{advice}");
        for finding in findings {
            let _ = writeln!(text, "{:10}{}", "", self.finding(finding));
        }
    }

    fn finding(self, finding: &Finding) -> String {
        let color = match finding.severity {
            Severity::Block => RED,
            Severity::Warn => YELLOW,
            Severity::Info => DIM,
        };
        let place = if finding.pointer.is_empty() {
            String::new()
        } else {
            format!(" at {}", clean(&finding.pointer))
        };
        let shadow = if finding.enforced { "" } else { " (not enforced)" };
        let layer = finding.layer.map_or("", |layer| layer.as_str());
        let code = self.paint(color, &format!("{layer} {}", clean(&finding.code)));
        format!("{code}{place}: {}{shadow}", clean(&finding.message))
    }

    /// Text in a colour.
    pub(super) fn paint(self, color: &str, text: &str) -> String {
        if self.colored {
            format!("\u{1b}[{color}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// A decision in its colour, with a width.
    pub(super) fn decision(self, decision: Decision, width: usize) -> String {
        self.paint(color_of(decision), &format!("{:<width$}", decision.as_str()))
    }

    /// A heading.
    pub(super) fn heading(self, text: &str) -> String {
        self.paint(BOLD, text)
    }
}

fn color_of(decision: Decision) -> &'static str {
    match decision {
        Decision::Pass => GREEN,
        Decision::Repaired => CYAN,
        Decision::Retry => YELLOW,
        Decision::Fallback => MAGENTA,
        Decision::Unspecified => RED,
    }
}

fn rows(answer: &Answer) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = answer
        .calls
        .iter()
        .map(|call| Row {
            decision: call.decision,
            what: clean(&call.name),
            findings: &call.findings,
            note: None,
            advice: advice(answer, call.decision),
        })
        .collect();
    rows.extend(answer.duplicates.iter().map(|duplicate| Row {
        decision: Decision::Pass,
        what: clean(&duplicate.name),
        note: None,
        findings: &[],
        advice: Some(format!(
            "do not run: the result of {} answers it too",
            clean(&duplicate.duplicate_of)
        )),
    }));
    rows.extend(answer.results.iter().map(|result| Row {
        decision: result.decision,
        what: match &result.call_id {
            Some(id) => format!("(result of {})", clean(id)),
            None => "(result)".to_owned(),
        },
        note: None,
        findings: &result.findings,
        advice: advice(answer, result.decision),
    }));
    if let Some(error) = &answer.error {
        rows.push(Row {
            decision: Decision::Unspecified,
            what: clean(&error.reason),
            note: Some(&error.message),
            findings: &[],
            advice: None,
        });
    } else if rows.is_empty() || !answer.findings.is_empty() {
        rows.push(Row {
            decision: answer.decision,
            what: if rows.is_empty() { "(no call)" } else { "(turn)" }.to_owned(),
            note: None,
            findings: &answer.findings,
            advice: advice(answer, answer.decision),
        });
    }
    rows
}

/// What to do about a call, a result or a turn with this decision.
fn advice(answer: &Answer, decision: Decision) -> Option<String> {
    if !answer.enforced {
        let would = answer.would_decide.filter(|would| *would != Decision::Pass)?;
        return Some(format!("shadow: the turn would be {}", would.as_str()));
    }
    match decision {
        Decision::Pass => None,
        Decision::Repaired => Some("run the repaired call".to_owned()),
        Decision::Retry => Some(match &answer.retry {
            Some(retry) => format!(
                "correct the model (attempt {} of {})",
                retry.attempt, retry.max_attempts
            ),
            None => "do not run".to_owned(),
        }),
        Decision::Fallback => Some(answer.fallback.as_ref().map_or_else(
            || "do not run".to_owned(),
            |fallback| match fallback.kind {
                FallbackKind::Tool => format!("run {} instead", fallback.tool.as_deref().unwrap_or("a simpler tool")),
                FallbackKind::Text => "answer in words instead".to_owned(),
                FallbackKind::AskUser => "ask the user".to_owned(),
                FallbackKind::Stop => "end the run".to_owned(),
            },
        )),
        Decision::Unspecified => Some("forward nothing".to_owned()),
    }
}

/// Text without what a terminal would obey or hide.
fn clean(text: &str) -> String {
    let shown = |character: char| {
        let hidden = character.is_control()
            || matches!(character, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        if hidden { '\u{fffd}' } else { character }
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(answer: serde_json::Value) -> String {
        let answer: Answer = serde_json::from_value(answer).expect("an answer");
        Painter { colored: false }.answer(&answer)
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let text = painted(serde_json::json!({
            "id": "a\u{1b}[2J", "decision": "pass", "enforced": true, "findings": [],
            "calls": [{"id": "c", "name": "x\r\n\u{202e}y\u{e0041}", "decision": "pass", "findings": []}]
        }));
        assert_eq!(text, "pass      a\u{fffd}[2J  x\u{fffd}\u{fffd}\u{fffd}y\u{fffd}\n");
    }

    #[test]
    fn what_to_do() {
        let finding = serde_json::json!({"layer": "schema", "code": "wrong_type", "severity": "block", "enforced": true,
            "pointer": "/n", "message": "is not an integer"});
        let text = painted(serde_json::json!({
            "id": "a", "decision": "fallback", "enforced": true, "findings": [finding],
            "calls": [
                {"id": "1", "name": "t", "decision": "retry", "findings": [finding, finding]},
                {"id": "3", "name": "v", "decision": "repaired", "findings": []},
            ],
            "duplicates": [{"id": "2", "name": "t", "duplicate_of": "1"}],
            "results": [{"call_id": "1", "decision": "fallback", "findings": []}],
            "retry": {"attempt": 1, "max_attempts": 3, "feedback_text": ""},
            "fallback": {"kind": "tool", "tool": "read"}
        }));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn shadow_and_errors() {
        let mut text = painted(serde_json::json!({"id": "a", "decision": "pass", "enforced": false,
            "would_decide": "retry", "findings": [], "calls": [{"id": "1", "name": "t", "decision": "pass", "findings": []}]}));
        text += &painted(
            serde_json::json!({"id": null, "decision": "error", "enforced": true, "findings": [], "calls": [],
            "error": {"reason": "DOCUMENT_NOT_JSON", "message": "line 3: not JSON"}}),
        );
        text +=
            &painted(serde_json::json!({"id": "b", "decision": "pass", "enforced": true, "findings": [], "calls": []}));
        insta::assert_snapshot!(text);
    }
}
