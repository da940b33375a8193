//! `result_truncated`: the result ends in the middle, or says that it was cut.

use serde_json::Value;

use crate::{
    code::Code,
    finding::Finding,
    trajectory::{ReadResult, text::tail},
};

/// Bytes at the end of a text in which a note of a cut may stand.
const TAIL_BYTES: usize = 160;

pub(super) fn inspect(result: &ReadResult<'_>, findings: &mut Vec<Finding>) {
    let message = if result.is_cut {
        "The result begins as JSON and ends in the middle"
    } else if says_so(result) {
        "The result says that it was cut off"
    } else {
        return;
    };
    findings.push(
        Finding::new(Code::ResultTruncated, message)
            .suggestion("Do not take what is missing as absent: ask for less at once, or for the next part."),
    );
}

fn says_so(result: &ReadResult<'_>) -> bool {
    match &result.value {
        Some(Value::Object(map)) => ["truncated", "is_truncated", "isTruncated", "incomplete_results"]
            .iter()
            .any(|key| map.get(*key).and_then(Value::as_bool) == Some(true)),
        Some(_) => false,
        None => {
            let text = result.text.trim_end();
            let tail = tail(text, TAIL_BYTES).to_ascii_lowercase();
            tail.contains("[truncated")
                || tail.contains("(truncated")
                || tail.contains("<truncated")
                || tail.contains("output truncated")
                || tail.contains("response truncated")
                || tail.ends_with("... truncated")
                || tail.ends_with("…truncated")
                || is_counted_cut(&tail)
        }
    }
}

/// `…[+344 chars]`, `... (12 more lines)`.
fn is_counted_cut(tail: &str) -> bool {
    let Some(open) = tail.rfind(['[', '(']) else {
        return false;
    };
    let (before, note) = tail.split_at_checked(open).unwrap_or_default();
    let note = note.trim_matches(['[', ']', '(', ')', ' ', '.']);
    (before.ends_with("...") || before.trim_end().ends_with('…') || before.trim_end().ends_with("..."))
        && note.bytes().any(|byte| byte.is_ascii_digit())
        && ["chars", "characters", "bytes", "lines", "more", "tokens", "rows"]
            .iter()
            .any(|unit| note.contains(unit))
}
