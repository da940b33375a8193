//! The emulation's JSON, for backends without native tools: `{"action": "tool_call" | "respond", …}`.
//!
//! The model itself wrote this text, so what is wrong with it is a finding and never a refusal.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    ReadOptions, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    raw::{Node, Object},
};
use crate::{code::Code, finding::Finding, json, limits::Limits};

/// Keys of the tool's name, the first that is there counts.
pub(super) const NAMES: [&str; 2] = ["name", "tool"];

/// Keys of the arguments.
pub(super) const ARGUMENTS: [&str; 2] = ["arguments", "parameters"];

/// Keys of the text.
pub(super) const TEXTS: [&str; 3] = ["text", "content", "response"];

/// Reads it.
pub(super) fn read<'a>(text: &'a str, options: ReadOptions<'_>) -> Draft<'a> {
    match json::read(text, options.limits) {
        Ok(value) => match (Node::parse(text).and_then(Node::object), value.is_object()) {
            (Some(root), true) => read_object(&root, options, &[]),
            _ => Draft::broken(WireFormat::JsonMode, shapeless()),
        },
        Err(fault) if !options.repair => Draft::broken(WireFormat::JsonMode, fault.finding()),
        Err(_) => match json::rescue(text, options.limits) {
            Ok(rescued) => {
                let found: Vec<Finding> = rescued.repairs.iter().map(json::Repair::finding).collect();
                let text = rescued.value.to_string();
                match Node::parse(&text).and_then(Node::object) {
                    Some(root) => read_object(&root, options, &found).into_owned(),
                    None => Draft::broken(WireFormat::JsonMode, shapeless()),
                }
            }
            Err(fault) => Draft::broken(WireFormat::JsonMode, fault.finding()),
        },
    }
}

fn shapeless() -> Finding {
    Finding::new(
        Code::MalformedJson,
        "the answer is not one of the two JSON objects that were asked for",
    )
    .expected(r#"{"action": "tool_call", "name": …, "arguments": {…}} or {"action": "respond", "text": …}"#)
}

fn read_object<'a>(root: &Object<'a>, options: ReadOptions<'_>, found: &[Finding]) -> Draft<'a> {
    let mut draft = Draft::new(WireFormat::JsonMode);
    let calls = NAMES.iter().chain(&ARGUMENTS).any(|key| root.has(key));
    match root.string("action").as_deref() {
        Some("tool_call") => draft.calls.push(call(root, options, found)),
        None if calls => draft.calls.push(call(root, options, found)),
        Some("respond") => {
            draft.findings.extend_from_slice(found);
            match TEXTS.iter().find_map(|key| root.string(key)) {
                Some(text) => draft.say(text),
                None => draft.findings.push(shapeless()),
            }
        }
        Some(_) | None => draft.findings.push(shapeless()),
    }
    draft
}

fn call<'a>(root: &Object<'a>, options: ReadOptions<'_>, found: &[Finding]) -> Proposed<'a> {
    let mut findings = Vec::new();
    let mut written = given(root);
    if let (Written::Text(text), false) = (&written, found.is_empty()) {
        match json::read(text, options.limits) {
            Ok(value @ Value::Object(_)) => written = Written::Read(text.to_string(), value, found.to_vec()),
            _ => findings.extend_from_slice(found),
        }
    }
    Proposed {
        id: root.string("id"),
        wants_id: false,
        name: NAMES.iter().find_map(|key| root.string(key)).unwrap_or_default(),
        written,
        findings,
    }
}

/// What stands under `arguments` or `parameters`; under both only where they say the same, because tools read the one or
/// the other.
pub(super) fn given<'a>(call: &Object<'a>) -> Written<'a> {
    let mut given = ARGUMENTS.iter().filter_map(|key| call.get(key));
    match (given.next(), given.next()) {
        (Some(first), Some(second)) if value(first) != value(second) => {
            let message = "the call has both arguments and parameters, and they differ";
            let finding = Finding::new(Code::MalformedJson, message).suggestion("send arguments only");
            Written::Broken(Cow::Borrowed(first.text()), finding)
        }
        (first, _) => Written::from_value(first),
    }
}

fn value(node: Node<'_>) -> Option<Value> {
    json::read(node.text(), &Limits::default()).ok()
}
