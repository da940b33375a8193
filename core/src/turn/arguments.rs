//! The one reading of a call's arguments, whatever wire they came over.
//!
//! Strict first. What strict reading refuses is rescued where one lossless reading exists; otherwise the fault is a
//! finding and the arguments stay unread.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Arguments, ReadOptions, Reading,
    raw::{Kind, Node},
};
use crate::{code::Code, finding::Finding, json};

/// Arguments as they stood on the wire.
#[derive(Debug, Clone)]
pub(super) enum Written<'a> {
    /// No key at all.
    Nothing,
    /// JSON text that is to be read.
    Text(Cow<'a, str>),
    /// Read already: from a notation that is not JSON, or out of a rescued text.
    Read(String, Value, Vec<Finding>),
    /// Free text, for a tool that takes no JSON; the JSON string that holds it.
    Free(Cow<'a, str>),
    /// Cannot be read, and why.
    Broken(Cow<'a, str>, Finding),
}

impl<'a> Written<'a> {
    /// From a value that is JSON text in a string, as OpenAI writes it. Any other value is taken as it is.
    pub(super) fn from_string(node: Option<Node<'a>>) -> Self {
        match node {
            None => Written::Nothing,
            Some(node) if node.kind() == Kind::String => match node.string() {
                Some(text) => Written::Text(text),
                None => Written::Broken(Cow::Borrowed(node.text()), surrogate()),
            },
            Some(node) => Written::Text(Cow::Borrowed(node.text())),
        }
    }

    /// From a value that is itself the arguments.
    pub(super) fn from_value(node: Option<Node<'a>>) -> Self {
        node.map_or(Written::Nothing, |node| Written::Text(Cow::Borrowed(node.text())))
    }

    /// From a value that holds free text.
    pub(super) fn from_free(node: Option<Node<'a>>) -> Self {
        node.map_or(Written::Nothing, |node| Written::Free(Cow::Borrowed(node.text())))
    }

    /// The same, on its own.
    pub(super) fn into_owned(self) -> Written<'static> {
        match self {
            Written::Nothing => Written::Nothing,
            Written::Text(text) => Written::Text(Cow::Owned(text.into_owned())),
            Written::Read(text, value, findings) => Written::Read(text, value, findings),
            Written::Free(text) => Written::Free(Cow::Owned(text.into_owned())),
            Written::Broken(text, finding) => Written::Broken(Cow::Owned(text.into_owned()), finding),
        }
    }
}

/// Reads the arguments; what is found goes to the call.
pub(super) fn read<'a>(written: Written<'a>, options: ReadOptions<'_>, findings: &mut Vec<Finding>) -> Arguments<'a> {
    match written {
        Written::Nothing => Arguments {
            received: Cow::Borrowed(""),
            reading: Reading::Absent,
        },
        Written::Text(received) => {
            let reading = read_text(&received, options, findings);
            Arguments { received, reading }
        }
        Written::Read(received, value, mut found) => {
            let rescued = !found.is_empty();
            findings.append(&mut found);
            let reading = if rescued {
                Reading::Rescued(value)
            } else {
                Reading::Strict(value)
            };
            Arguments {
                received: Cow::Owned(received),
                reading,
            }
        }
        Written::Free(received) => {
            let reading = serde_json::from_str(&received).map_or(Reading::Failed, Reading::Strict);
            if reading == Reading::Failed {
                findings.push(surrogate());
            }
            Arguments { received, reading }
        }
        Written::Broken(received, finding) => {
            findings.push(finding);
            Arguments {
                received,
                reading: Reading::Failed,
            }
        }
    }
}

fn read_text(text: &str, options: ReadOptions<'_>, findings: &mut Vec<Finding>) -> Reading {
    if matches!(text.trim(), "" | "null" | "\"\"" | "\"null\"") {
        return Reading::Absent;
    }
    match json::read(text, options.limits) {
        Ok(Value::String(inner)) if options.repair => match decode(&inner, options) {
            Some((value, mut found)) => {
                findings.append(&mut found);
                Reading::Rescued(value)
            }
            None => Reading::Strict(Value::String(inner)),
        },
        Ok(value) => Reading::Strict(value),
        Err(fault) if !options.repair => {
            findings.push(fault.finding());
            Reading::Failed
        }
        Err(_) => match json::rescue(text, options.limits) {
            Ok(rescued) => {
                findings.extend(rescued.repairs.iter().map(json::Repair::finding));
                Reading::Rescued(rescued.value)
            }
            Err(fault) => {
                findings.push(fault.finding());
                Reading::Failed
            }
        },
    }
}

/// The object that a string holds as JSON text. A string that holds anything else stays a string.
fn decode(inner: &str, options: ReadOptions<'_>) -> Option<(Value, Vec<Finding>)> {
    let rescued = json::rescue(inner, options.limits)
        .ok()
        .filter(|rescued| rescued.value.is_object())?;
    let mut found: Vec<Finding> = rescued.repairs.iter().map(json::Repair::finding).collect();
    if !rescued
        .repairs
        .iter()
        .any(|repair| repair.code == Code::RepairedDoubleEncoding)
    {
        let message = "JSON text inside a JSON string was read as the object that it holds";
        found.push(Finding::new(Code::RepairedDoubleEncoding, message));
    }
    Some((rescued.value, found))
}

fn surrogate() -> Finding {
    Finding::new(
        Code::InvalidEncoding,
        "the arguments hold half of a surrogate pair: no character",
    )
    .suggestion("write the character itself, or a whole pair of escapes")
}
