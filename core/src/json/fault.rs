//! Why a text cannot be read, and where.

use crate::{code::Code, finding::Finding};

/// A fault with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// In bytes, from 0.
    pub offset: usize,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Something else stands where this was expected.
    Expected(&'static str),
    /// The text ends before this.
    EndsBefore(&'static str),
    /// Characters after the value.
    Trailing,
    /// Not a JSON number.
    Number,
    /// Not an escape of JSON.
    Escape,
    /// A raw control character in a text.
    ControlCharacter,
    /// A surrogate without its other half.
    LoneSurrogate,
    /// A key that was there already, with the same value.
    RepeatedKey,
    /// A key that was there already, with another value.
    ConflictingKey,
    /// Two different objects one after the other.
    TwoObjects,
    /// Nested deeper than the limit.
    TooDeep,
    /// Longer than the limit.
    TooLarge,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |position| position + 1);
        Self {
            kind,
            offset,
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }

    /// The code that this fault is found under.
    pub const fn code(&self) -> Code {
        match self.kind {
            FaultKind::EndsBefore(_) => Code::Truncated,
            FaultKind::LoneSurrogate => Code::InvalidEncoding,
            FaultKind::RepeatedKey | FaultKind::ConflictingKey => Code::DuplicateKey,
            FaultKind::TooDeep => Code::TooDeep,
            FaultKind::TooLarge => Code::TooLarge,
            FaultKind::Expected(_)
            | FaultKind::Trailing
            | FaultKind::Number
            | FaultKind::Escape
            | FaultKind::ControlCharacter
            | FaultKind::TwoObjects => Code::MalformedJson,
        }
    }

    /// The fault in words, with its place and without any of the text.
    pub fn message(&self) -> String {
        let what = match self.kind {
            FaultKind::Expected(what) => format!("expected {what}"),
            FaultKind::EndsBefore(what) => format!("the JSON ends before {what}; it was cut off or never closed"),
            FaultKind::Trailing => "there is something after the end of the JSON".to_owned(),
            FaultKind::Number => "not a JSON number".to_owned(),
            FaultKind::Escape => "not a JSON escape".to_owned(),
            FaultKind::ControlCharacter => "a control character in a string must be escaped".to_owned(),
            FaultKind::LoneSurrogate => "half of a surrogate pair: no character".to_owned(),
            FaultKind::RepeatedKey => "this key was given before".to_owned(),
            FaultKind::ConflictingKey => "this key was given before with another value".to_owned(),
            FaultKind::TwoObjects => "two different JSON objects in one call; make two calls".to_owned(),
            FaultKind::TooDeep => "nested too deeply".to_owned(),
            FaultKind::TooLarge => "larger than the limit".to_owned(),
        };
        format!("{what} (line {}, column {})", self.line, self.column)
    }

    /// The finding of this fault.
    pub fn finding(&self) -> Finding {
        let finding = Finding::new(self.code(), self.message());
        match self.code() {
            Code::Truncated => {
                finding.suggestion("send the whole JSON object again, shorter if it was cut by the output limit")
            }
            Code::TooLarge | Code::TooDeep => finding.suggestion("send less at once"),
            _ => finding.suggestion("send the arguments as one JSON object"),
        }
    }
}
