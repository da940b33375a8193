//! A text that is nothing but a call as JSON, bare or in a code fence: `{"name": …, "arguments": …}`, or a list of such.

use super::{Notation, Search, json_object};
use crate::{
    code::Code,
    finding::Finding,
    turn::{
        draft::Proposed,
        raw::{Kind, Node, Object},
    },
};

const KEYS: [&str; 6] = ["type", "id", "name", "arguments", "parameters", "function"];

pub(super) fn find(search: &mut Search<'_, '_>) {
    let trimmed = search.text.trim();
    let start = search.skip_space(0);
    let fenced = inside_fence(trimmed);
    let inner = fenced.unwrap_or(trimmed).trim();
    let Some(node) = Node::parse(inner) else { return };
    if fenced.is_some() && !search.options.repair {
        return;
    }
    let nodes = node.items().unwrap_or_else(|| vec![node]);
    let calls: Option<Vec<Proposed<'_>>> = nodes.iter().map(|node| call(search, *node)).collect();
    let Some(mut calls) = calls.filter(|calls| !calls.is_empty()) else {
        return;
    };
    if fenced.is_some() {
        for call in &mut calls {
            call.findings
                .push(Finding::new(Code::RepairedFence, "a code fence was taken off"));
        }
    }
    let span = start..start + trimmed.len();
    let calls = calls.into_iter().map(|call| (span.clone(), call)).collect();
    search.keep(Notation::Json, span, calls);
}

fn call<'t>(search: &Search<'t, '_>, node: Node<'t>) -> Option<Proposed<'t>> {
    let object = node.object()?;
    let inner = object.object("function").unwrap_or_else(|| object.clone());
    let shaped =
        object.0.iter().all(|(key, _)| KEYS.contains(&&**key)) && (inner.has("arguments") || inner.has("parameters"));
    let call = json_object(&object).filter(|_| shaped)?;
    let arguments = inner.get("arguments").or_else(|| inner.get("parameters"));
    let whole = match arguments {
        Some(node) if node.kind() == Kind::String => search.is_offered(&call.name),
        Some(node) => {
            let arguments = node.object().unwrap_or(Object(Vec::new()));
            search.is_whole(&call.name, |key| arguments.has(key))
        }
        None => search.is_whole(&call.name, |_| false),
    };
    whole.then_some(call)
}

fn inside_fence(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("```")?.strip_suffix("```")?;
    let language = inner
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    inner.get(language..)
}
