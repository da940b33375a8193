//! What is wrong with a configuration, told all at once.

use std::fmt;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// Where: `limits.max_calls`; empty for the file as a whole.
    pub key: String,
    /// One sentence. Never holds a secret.
    pub message: String,
    /// The allowed values or range, or the key that was probably meant.
    pub expected: Option<String>,
}

impl ConfigFault {
    /// A mistake at a key.
    pub fn new(key: impl Into<String>, message: impl Into<String>, expected: Option<String>) -> Self {
        Self {
            key: key.into(),
            message: message.into(),
            expected,
        }
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// All mistakes of a configuration, in the order of its sections.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// At least one.
    pub faults: Vec<ConfigFault>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.faults.len();
        write!(out, "the configuration has {count} fault{}", if count == 1 { "" } else { "s" })?;
        for fault in &self.faults {
            write!(out, "\n  {fault}")?;
        }
        Ok(())
    }
}
