//! The emulation's JSON: either a call or an answer, never both.

use super::rewrite::{Rewrite, object, quote};
use crate::turn::{
    json_mode::{ARGUMENTS, NAMES, TEXTS},
    raw::{Node, Object},
};

/// The call that is left, or the text.
pub(super) fn response(received: &str, rewrite: &Rewrite<'_>) -> Option<String> {
    let root = Node::parse(received).and_then(Node::object);
    let root = root.unwrap_or(Object(Vec::new()));
    match (rewrite.call(0), rewrite.text) {
        (Some(left), _) if !left.replaced => Some(received.to_owned()),
        (Some(left), _) => {
            let there = |keys: &[&'static str]| keys.iter().find(|key| root.has(key)).copied();
            let name = there(&NAMES).unwrap_or("name");
            let arguments = there(&ARGUMENTS).unwrap_or("arguments");
            let mut changes = vec![("action", Some(quote("tool_call")))];
            changes.extend(
                ARGUMENTS
                    .iter()
                    .filter(|key| **key != arguments)
                    .map(|key| (*key, None)),
            );
            changes.push((name, Some(quote(left.name))));
            changes.push((arguments, Some(left.object().into_owned())));
            Some(object(&root, &changes))
        }
        (None, Some(text)) => {
            let key = TEXTS.iter().find(|key| root.has(key)).copied().unwrap_or("text");
            let changes = [("action", Some(quote("respond"))), (key, Some(quote(text)))];
            let kept = root
                .0
                .into_iter()
                .filter(|(name, _)| !NAMES.contains(&&**name) && !ARGUMENTS.contains(&&**name));
            Some(object(&Object(kept.collect()), &changes))
        }
        (None, None) => rewrite.turn.calls.is_empty().then(|| received.to_owned()),
    }
}
