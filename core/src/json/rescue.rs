//! The second reading: deviations with exactly one lossless meaning.
//!
//! Not taken, because each would be a guess: a missing end, unescaped quotes, numbers of other notations, two different
//! objects, a key with two values.

use serde_json::Value;

use super::{Fault, FaultKind, parser::Parser};
use crate::{
    code::{Action, Code},
    finding::Finding,
    limits::Limits,
};

/// Objects that may be glued together before it is refused to look further.
const MAX_GLUED: usize = 64;

/// Layers of strings that are taken off.
const MAX_ENCODINGS: usize = 3;

/// A value that was rescued, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Rescued {
    /// What the text says.
    pub value: Value,
    /// Every kind of deviation that was met; empty where there was none.
    pub repairs: Vec<Repair>,
}

/// One kind of deviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// A `repaired_…` code.
    pub code: Code,
    /// What was done.
    pub message: &'static str,
}

impl Repair {
    /// The finding that tells of it.
    pub fn finding(&self) -> Finding {
        Finding::new(self.code, self.message).leads_to(Action::Repair)
    }
}

/// The kinds of deviations met so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Repairs(u16);

const KINDS: [Repair; 10] = [
    Repair {
        code: Code::RepairedBom,
        message: "a byte order mark was taken off",
    },
    Repair {
        code: Code::RepairedFence,
        message: "a code fence was taken off",
    },
    Repair {
        code: Code::RepairedTrailingComma,
        message: "a comma before a closing bracket was taken off",
    },
    Repair {
        code: Code::RepairedComment,
        message: "a comment was taken out",
    },
    Repair {
        code: Code::RepairedPythonLiteral,
        message: "True, False or None was read as JSON",
    },
    Repair {
        code: Code::RepairedQuotes,
        message: "single quotes were read as double quotes",
    },
    Repair {
        code: Code::RepairedBareKey,
        message: "a bare key was put in quotes",
    },
    Repair {
        code: Code::RepairedControlChar,
        message: "a raw control character in a string was escaped",
    },
    Repair {
        code: Code::RepairedDuplicateKey,
        message: "a key was repeated with the same value",
    },
    Repair {
        code: Code::RepairedConcatenation,
        message: "an empty object or a copy beside the arguments was dropped",
    },
];

impl Repairs {
    pub(super) fn add(&mut self, code: Code) {
        if let Some(position) = KINDS.iter().position(|kind| kind.code == code) {
            self.0 |= 1 << position;
        }
    }

    fn list(self) -> Vec<Repair> {
        KINDS
            .iter()
            .enumerate()
            .filter(|(position, _)| self.0 & (1 << position) != 0)
            .map(|(_, kind)| *kind)
            .collect()
    }
}

/// Reads text that strict reading refuses. Linear in the text.
///
/// # Errors
/// The [`Fault`] at which no single lossless reading is left.
pub fn rescue(text: &str, limits: &Limits) -> Result<Rescued, Fault> {
    if text.len() > limits.max_arguments_bytes {
        return Err(Fault::new(FaultKind::TooLarge, text, 0));
    }
    let mut repairs = Repairs::default();
    let bare = match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            repairs.add(Code::RepairedBom);
            rest
        }
        None => text,
    };
    let bare = match without_fence(bare) {
        Some(inner) => {
            repairs.add(Code::RepairedFence);
            inner
        }
        None => bare,
    };
    let (value, repairs) = glued(bare, limits, repairs)?;
    let mut rescued = Rescued {
        value,
        repairs: repairs.list(),
    };
    decode(&mut rescued, limits);
    Ok(rescued)
}

/// The inside of a code fence that holds the whole text.
fn without_fence(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let language = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    inner.get(language..)
}

/// One value, or one object among empty ones and copies of itself.
fn glued(text: &str, limits: &Limits, repairs: Repairs) -> Result<(Value, Repairs), Fault> {
    let mut parser = Parser::lenient(text, limits.max_arguments_depth, repairs);
    let mut value = parser.value()?;
    for _ in 0..MAX_GLUED {
        if parser.at_end()? {
            return Ok((value, parser.repairs()));
        }
        if !value.is_object() {
            return Err(parser.fault(FaultKind::Trailing));
        }
        let fault = parser.fault(FaultKind::TwoObjects);
        let trailing = parser.fault(FaultKind::Trailing);
        let next = parser.value().map_err(|inner| match inner.kind {
            FaultKind::EndsBefore(_) => inner,
            _ => trailing,
        })?;
        value = match (is_empty_object(&value), is_empty_object(&next)) {
            (true, _) if next.is_object() => next,
            (_, true) => value,
            _ if next == value => value,
            _ => return Err(fault),
        };
        parser.glue();
    }
    Err(parser.fault(FaultKind::Trailing))
}

fn is_empty_object(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Takes off layers of string around an object. A string that holds anything else stays a string.
fn decode(rescued: &mut Rescued, limits: &Limits) {
    let mut text = match &rescued.value {
        Value::String(text) => text.clone(),
        _ => return,
    };
    for _ in 0..MAX_ENCODINGS {
        match super::read(&text, limits) {
            Ok(Value::String(inner)) => text = inner,
            Ok(value @ Value::Object(_)) => {
                rescued.value = value;
                let message = "JSON text inside a JSON string was read as the object that it holds";
                rescued.repairs.push(Repair {
                    code: Code::RepairedDoubleEncoding,
                    message,
                });
                return;
            }
            _ => return,
        }
    }
}
