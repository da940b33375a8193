//! Streams: the same container, with as few chunks as say it. The first chunk received lends its fields to the new
//! ones; chunks without choices (usage) stay.

use std::fmt::Write;

use super::{
    chat::openai_call,
    rewrite::{Rewrite, array, object, quote},
    said,
};
use crate::turn::{
    openai_sse::{self, DONE},
    raw::{Node, Object},
};

/// Server-sent events.
pub(super) fn events(stream: &str, rewrite: &Rewrite<'_>) -> Option<String> {
    let received = openai_sse::events(stream);
    let received: Vec<Node<'_>> = received.iter().filter_map(|event| Node::parse(event)).collect();
    let mut out = String::new();
    for chunk in written(&received, rewrite)? {
        let _ = write!(out, "data: {chunk}\n\n");
    }
    let _ = write!(out, "data: {DONE}\n\n");
    Some(out)
}

/// A list of chunks.
pub(super) fn chunks(root: Node<'_>, rewrite: &Rewrite<'_>) -> Option<String> {
    let received = root.items().unwrap_or_else(|| vec![root]);
    Some(array(&written(&received, rewrite)?))
}

fn written(received: &[Node<'_>], rewrite: &Rewrite<'_>) -> Option<Vec<String>> {
    let mut template = received.first()?.object()?;
    template.0.retain(|(key, _)| key != "usage");
    let chunk = |delta: String, finish: &str| {
        let choice = format!(r#"{{"index":0,"delta":{delta},"finish_reason":{finish}}}"#);
        object(&template, &[("choices", Some(array(&[choice])))])
    };
    let text = rewrite.new_text().unwrap_or(&rewrite.turn.text);
    let content = said(text).map_or_else(|| "null".to_owned(), |text| quote(&text));
    let mut chunks = vec![chunk(format!(r#"{{"role":"assistant","content":{content}}}"#), "null")];
    let mut any = false;
    for (index, left) in rewrite.left().enumerate() {
        any = true;
        let whole = openai_call(None, &left);
        let whole = Node::parse(&whole)?.object()?;
        let mut call = Object(Vec::new());
        let number = index.to_string();
        call.0.push(("index".into(), Node::parse(&number)?));
        call.0.extend(whole.0);
        chunks.push(chunk(
            format!(r#"{{"tool_calls":{}}}"#, array(&[object(&call, &[])])),
            "null",
        ));
    }
    chunks.push(chunk("{}".to_owned(), if any { "\"tool_calls\"" } else { "\"stop\"" }));
    let bare = |node: &&Node<'_>| {
        node.object()
            .is_some_and(|chunk| chunk.items("choices").is_some_and(|choices| choices.is_empty()))
    };
    chunks.extend(received.iter().skip(1).filter(bare).map(|node| node.text().to_owned()));
    Some(chunks)
}
