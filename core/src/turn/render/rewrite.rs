//! What every shape's renderer asks: what becomes of call n, what the assistant says, and objects with some entries
//! changed and the rest as received.

use std::borrow::Cow;

use serde_json::Value;

use super::Fate;
use crate::turn::{
    Turn,
    raw::{Node, Object},
};

/// The decisions on a turn.
#[derive(Clone, Copy)]
pub(super) struct Rewrite<'r> {
    pub turn: &'r Turn<'r>,
    pub fates: &'r [Fate<'r>],
    pub text: Option<&'r str>,
}

/// A call that is left.
pub(super) struct Left<'r> {
    pub id: &'r str,
    /// Whether the id is not the one that stands in the candidate.
    pub new_id: bool,
    pub name: &'r str,
    /// JSON text.
    pub arguments: &'r str,
    /// Whether name or arguments are not what stands in the candidate.
    pub replaced: bool,
}

impl<'r> Rewrite<'r> {
    /// Call n, unless it is dropped.
    pub(super) fn call(&self, position: usize) -> Option<Left<'r>> {
        let call = self.turn.calls.get(position)?;
        let (id, new_id) = (&*call.id, !call.id_given);
        match self.fates.get(position).unwrap_or(&Fate::Keep) {
            Fate::Keep => Some(Left {
                id,
                new_id,
                name: &call.name,
                arguments: &call.arguments.received,
                replaced: false,
            }),
            Fate::Replace { name, arguments } => Some(Left {
                id,
                new_id,
                name,
                arguments,
                replaced: true,
            }),
            Fate::Drop => None,
        }
    }

    /// The calls that are left.
    pub(super) fn left(&self) -> impl Iterator<Item = Left<'r>> + '_ {
        (0..self.turn.calls.len()).filter_map(|position| self.call(position))
    }

    /// Whether any call is left.
    pub(super) fn any_left(&self) -> bool {
        self.left().next().is_some()
    }

    /// Whether the calls were found in the text: then they move to the place for calls, and leave the text.
    pub(super) fn is_from_text(&self) -> bool {
        !self.turn.origin.blocks.is_empty()
    }

    /// What the assistant is to say, where that is not what stands in the candidate.
    pub(super) fn new_text(&self) -> Option<&'r str> {
        self.text.or_else(|| self.is_from_text().then_some(&*self.turn.text))
    }
}

impl<'r> Left<'r> {
    /// The arguments where a value must stand. What is no JSON stands there as the text that it is.
    pub(super) fn object(&self) -> Cow<'r, str> {
        if matches!(self.arguments.trim(), "" | "null") {
            Cow::Borrowed("{}")
        } else if Node::parse(self.arguments).is_some() {
            Cow::Borrowed(self.arguments)
        } else {
            Cow::Owned(quote(self.arguments))
        }
    }

    /// The arguments where JSON text stands in a string.
    pub(super) fn string(&self) -> String {
        quote(if self.replaced && self.arguments.is_empty() {
            "{}"
        } else {
            self.arguments
        })
    }
}

/// A JSON string.
pub(super) fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// A JSON array.
pub(super) fn array(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// An object with some entries changed, added or (`None`) taken out.
pub(super) fn object(entries: &Object<'_>, changes: &[(&str, Option<String>)]) -> String {
    let mut out = String::from("{");
    let mut put = |key: &str, value: &str| {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&quote(key));
        out.push(':');
        out.push_str(value);
    };
    for (key, node) in &entries.0 {
        match changes.iter().find(|(changed, _)| changed == key) {
            None => put(key, node.text()),
            Some((_, Some(value))) => put(key, value),
            Some((_, None)) => {}
        }
    }
    for (key, value) in changes {
        if let (Some(value), false) = (value, entries.has(key)) {
            put(key, value);
        }
    }
    out.push('}');
    out
}
