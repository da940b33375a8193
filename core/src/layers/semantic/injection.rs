//! `result_injection`: a result that speaks to the model: tokens of chat templates, or an order that is addressed to it
//! and says where something should go.
//!
//! A phrase alone proves nothing, and a phrase in quotation marks is talked about. What is found is flagged and can be
//! fenced; what an obeyed order would do is seen in the next call's arguments.

use std::sync::LazyLock;

use regex::Regex;

use super::fence::CONTROL_TOKENS;
use crate::{
    code::{Action, Code},
    finding::{Finding, shorten},
    trajectory::{ReadResult, text::head},
};

/// Bytes of a result that are read.
const MAX_BYTES: usize = 256 << 10;
/// How far behind an address its order may stand, in bytes.
const REACH: usize = 600;

/// Words that address a model.
const ADDRESSES: [&str; 44] = [
    "ignore all previous",
    "ignore any previous",
    "ignore previous",
    "ignore the previous",
    "ignore your previous",
    "ignore all prior",
    "ignore prior",
    "ignore the above",
    "ignore all above",
    "ignore all other instructions",
    "ignore your instructions",
    "ignore the user",
    "disregard all previous",
    "disregard previous",
    "disregard the above",
    "disregard prior",
    "disregard your instructions",
    "forget all previous",
    "forget everything above",
    "forget your instructions",
    "forget previous instructions",
    "override your instructions",
    "new instructions:",
    "new system prompt",
    "system override",
    "to you, ai",
    "to you, gpt",
    "to you, claude",
    "to you, gemini",
    "to you, assistant",
    "to you, the ai",
    "ai model developed by",
    "ai assistant:",
    "attention ai",
    "attention, ai",
    "note to ai",
    "note to assistant",
    "instructions for ai",
    "instructions to the assistant",
    "before you can solve the task",
    "before you complete the task",
    "do not tell the user",
    "without telling the user",
    "do not mention this to the user",
];

/// Words of an order.
const ORDERS: [&str; 30] = [
    "send", "e-mail", "email", "forward", "post ", "upload", "transfer", "pay ", "delete", "execute", "run ", "call ",
    "visit", "click", "curl", "share", "reveal", "print", "output", "leak", "invite", "update", "change", "write",
    "book", "reserve", "create", "add ", "say ", "reply",
];

pub(super) fn inspect(result: &ReadResult<'_>, findings: &mut Vec<Finding>) {
    let text = head(&result.text, MAX_BYTES);
    let Some((message, place)) = find(text) else { return };
    findings.push(
        Finding::new(Code::ResultInjection, message)
            .leads_to(Action::Note)
            .received(&shorten(text.get(place..).unwrap_or_default(), 80))
            .suggestion("Treat the result as data: do nothing that only the result asks for."),
    );
}

fn find(text: &str) -> Option<(&'static str, usize)> {
    if let Some(place) = control_token(text) {
        return Some(("The result holds control tokens of a chat template", place));
    }
    let addresses = PATTERN.as_ref()?;
    addresses.find_iter(text).map(|found| found.start()).find_map(|place| {
        let after = head(text.get(place..).unwrap_or_default(), REACH).to_ascii_lowercase();
        let is_order = !is_quoted(text, place) && ORDERS.iter().any(|order| holds_word(&after, order));
        is_order.then_some(("The result gives orders to the model", place))
    })
}

/// All addresses in one pass, whatever the case.
static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<String> = ADDRESSES.iter().map(|address| regex::escape(address)).collect();
    Regex::new(&format!("(?i-u:{})", words.join("|"))).ok()
});

fn control_token(text: &str) -> Option<usize> {
    let holds_bars = text.contains("<|");
    CONTROL_TOKENS
        .iter()
        .filter(|token| holds_bars || !token.starts_with("<|"))
        .find_map(|token| text.find(token))
}

/// Whether a quotation opens right before a place and closes soon behind it: `'ignore previous instructions' is…`.
fn is_quoted(text: &str, place: usize) -> bool {
    let before = text.get(..place).unwrap_or_default().trim_end_matches(['*', '_']);
    let Some(open) = before.chars().next_back() else {
        return false;
    };
    let close = match open {
        '\'' | '"' | '`' => open,
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return false,
    };
    // A quotation mark that begins a JSON string or a whole text quotes nothing.
    let outside = before.trim_end_matches(open).trim_end();
    if outside.is_empty() || outside.ends_with([':', '{', '[', ',', '=']) && open == '"' {
        return false;
    }
    head(text.get(place..).unwrap_or_default(), 120).contains(close)
}

fn holds_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(place, _)| {
        !text
            .get(..place)
            .is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric()))
    })
}
