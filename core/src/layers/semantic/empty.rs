//! `result_empty`: nothing came back. A search that found nothing has answered, and so has an action that needs no
//! words; where one thing was asked for by its key, or something was to be made, nothing is a fault.

use serde_json::Value;

use super::CallView;
use crate::{
    code::{Action, Code},
    finding::Finding,
    policy::Effect,
    trajectory::{
        ReadResult,
        names::{self, Purpose},
    },
};

/// Whether nothing came back.
pub(super) fn inspect(result: &ReadResult<'_>, call: Option<CallView<'_>>, findings: &mut Vec<Finding>) -> bool {
    if !result.is_empty() {
        return false;
    }
    let is_list = matches!(&result.value, Some(Value::Array(items)) if items.is_empty());
    let finding = match call {
        Some(call) if looks_up_one(call) => Finding::new(Code::ResultEmpty, format!("`{}` should give one record, and gave nothing", call.name))
            .leads_to(Action::Retry)
            .suggestion("Check the key that was asked for; if it is right, tell the user that nothing was found."),
        Some(call) if is_list && makes_something(call) => {
            Finding::new(Code::ResultEmpty, format!("`{}` gave an empty list where a confirmation was due", call.name))
                .leads_to(Action::Retry)
                .suggestion("Look whether it happened before you call it again.")
        }
        Some(_) | None => Finding::new(Code::ResultEmpty, "The result is empty")
            .suggestion("Take it as the answer that there is nothing, or ask in another way; the same call will give nothing again."),
    };
    findings.push(finding);
    true
}

/// A getter in the singular: `get_user`, `get_order_details`, `get_customer_by_phone`, `check_tire_pressure`.
fn looks_up_one(call: CallView<'_>) -> bool {
    match names::purpose(call.name) {
        Purpose::Lookup | Purpose::Question => {}
        Purpose::Log | Purpose::Document | Purpose::Search | Purpose::Other => return false,
    }
    let asks_for_many = call
        .arguments
        .and_then(Value::as_object)
        .is_some_and(|arguments| arguments.values().any(Value::is_array));
    if asks_for_many || names::effect(call.name) != Some(Effect::ReadOnly) || declares_list(call) {
        return false;
    }
    let object = names::words(call.name)
        .take_while(|word| {
            !["by", "for", "from", "in", "of", "with", "at", "on", "to"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        })
        .last()
        .unwrap_or_default();
    is_singular(object)
}

fn is_singular(word: &str) -> bool {
    const SINGULAR: [&str; 9] = [
        "status", "details", "info", "address", "access", "news", "series", "progress", "analysis",
    ];
    const PLURAL: [&str; 12] = [
        "data",
        "people",
        "history",
        "children",
        "list",
        "all",
        "inventory",
        "media",
        "schedule",
        "agenda",
        "feed",
        "queue",
    ];
    let is = |known: &&str| word.eq_ignore_ascii_case(known);
    !word.is_empty() && (SINGULAR.iter().any(is) || (!word.ends_with(['s', 'S']) && !PLURAL.iter().any(is)))
}

/// Whether the tool's own words say that it gives many.
fn declares_list(call: CallView<'_>) -> bool {
    let Some(tool) = call.tool else { return false };
    let output_is_list = tool
        .output
        .as_ref()
        .and_then(|output| output.source().get("type"))
        .is_some_and(|kind| kind.as_str() == Some("array"));
    let description = tool.description.to_ascii_lowercase();
    output_is_list
        || ["list of", "lists ", "all ", "array of", "any "].iter().any(|words| {
            description
                .split(['.', '\n'])
                .next()
                .is_some_and(|first| first.contains(words))
        })
}

fn makes_something(call: CallView<'_>) -> bool {
    let hinted = call
        .tool
        .is_some_and(|tool| tool.hints.read_only == Some(true) || tool.hints.idempotent == Some(true));
    !hinted && names::effect(call.name) == Some(Effect::Once) && !names::is_undo(call.name) && !declares_list(call)
}
