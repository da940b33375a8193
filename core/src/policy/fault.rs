//! What is wrong with a policy file, and what is odd about it.

use std::fmt;

/// A mistake in a policy file. A file with one is not used; all of a file are reported at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFault {
    /// Where: the key's path, `tools[2].arguments[0].pattern`; empty for the file as a whole.
    pub key: String,
    /// The line, from 1, where the file is not even TOML.
    pub line: Option<usize>,
    /// One sentence.
    pub message: String,
    /// The allowed values or range, or the key that was probably meant.
    pub expected: Option<String>,
}

/// Something in a policy file that can never have an effect. The file is used all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyWarning {
    /// Where: the key's path.
    pub key: String,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for PolicyFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(out, "line {line}: ")?;
        }
        if !self.key.is_empty() {
            write!(out, "{}: ", self.key)?;
        }
        out.write_str(&self.message)?;
        match &self.expected {
            Some(expected) => write!(out, " (expected {expected})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PolicyFault {}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.key, self.message)
    }
}

/// What reading a file gave so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub faults: Vec<PolicyFault>,
    pub warnings: Vec<PolicyWarning>,
}

impl Report {
    pub(super) fn fault(&mut self, key: impl Into<String>, message: impl Into<String>, expected: impl Into<String>) {
        let expected = expected.into();
        self.faults.push(PolicyFault {
            key: key.into(),
            line: None,
            message: message.into(),
            expected: (!expected.is_empty()).then_some(expected),
        });
    }

    pub(super) fn warn(&mut self, key: impl Into<String>, message: impl Into<String>) {
        self.warnings.push(PolicyWarning {
            key: key.into(),
            message: message.into(),
        });
    }
}
