//! What is wrong with a configuration, one line each.

use std::fmt;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// Where: `limits.max_tools`, the environment's variable, or `line 3`. Empty: the file as a whole.
    pub place: String,
    /// What, and what would be right.
    pub message: String,
}

impl ConfigFault {
    pub(super) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.place, self.message)
        }
    }
}

/// Everything that is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigFaults {
    /// The file, or `environment` where there is none.
    pub origin: String,
    /// Each fault, in the order of the sections.
    pub faults: Vec<ConfigFault>,
}

impl fmt::Display for ConfigFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration cannot be used ({}):", self.origin)?;
        for fault in &self.faults {
            write!(f, "\n  {fault}")?;
        }
        Ok(())
    }
}
