//! The value layer: are the arguments sane and safe?
//!
//! Every text in the arguments is looked at once. Cheap signs come first: a text without brackets, dots or a scheme is
//! done with after a few bytes. Only where one shows is the text's role inferred, and the role decides which rules
//! apply: shell, SQL, code and prose hold metacharacters by design.

mod decode;
mod house;
mod injection;
mod leaf;
mod placeholder;
mod roles;
mod target;
mod traversal;
mod words;

use std::cell::OnceCell;

use serde_json::Value;

use crate::{
    finding::Finding,
    layers::{
        Inspection,
        value::{
            leaf::{Leaf, Token},
            words::Words,
        },
    },
    policy::Role,
};

/// Deepest nesting that is looked into; the schema layer refuses deeper arguments.
const MAX_DEPTH: usize = 128;

/// Most findings of one call: more of the same help nobody.
const MAX_FINDINGS: usize = 32;

/// Longest text that can be one value; longer ones are documents.
const MAX_VALUE_BYTES: usize = 16 << 10;

/// Judges the values of one call.
pub fn inspect(inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    let Some(arguments) = inspection.arguments else { return };
    house::inspect(inspection, arguments, findings);
    let words = Words::of(inspection.context, !inspection.trajectory.steps.is_empty());
    let most = findings.len() + MAX_FINDINGS;
    walk(arguments, &mut Vec::new(), &mut |leaf| {
        if findings.len() < most {
            judge(&leaf, &words, inspection, findings);
        }
    });
}

/// Every text below a value, with the way to it.
fn walk<'v>(value: &'v Value, path: &mut Vec<Token<'v>>, see: &mut impl FnMut(Leaf<'_>)) {
    if path.len() > MAX_DEPTH {
        return;
    }
    match value {
        Value::String(text) => see(Leaf { text, path }),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Token::Index(index));
                walk(item, path, see);
                path.pop();
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                path.push(Token::Key(key));
                walk(member, path, see);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn judge(leaf: &Leaf<'_>, words: &Words<'_>, inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    if leaf.text.len() > MAX_VALUE_BYTES {
        return;
    }
    let known = OnceCell::new();
    let role = || *known.get_or_init(|| leaf.role(inspection));
    if let Some(shape) = placeholder::shape(leaf.text) {
        placeholder::inspect(leaf, shape, role(), words, inspection, findings);
    } else if memchr::memmem::find(leaf.text.as_bytes(), b"xample.").is_some()
        && let Some(host) = placeholder::example_host(leaf.text)
    {
        placeholder::inspect_example(leaf, &host, role(), words, inspection, findings);
    }
    if traversal::suspects(leaf.text) {
        traversal::inspect(leaf, role(), words, inspection, findings);
    }
    if !inspection.policy.policy().value().path_roots.is_empty() && role() == Role::Path {
        traversal::inspect_roots(leaf, inspection, findings);
    }
    if injection::suspects(leaf.text) {
        injection::inspect(leaf, role(), words, inspection, findings);
    }
    if target::is_url(leaf.text) || target::is_hostlike(leaf.text) && matches!(role(), Role::Host | Role::Url) {
        target::inspect(leaf, role(), words, inspection, findings);
    }
}
