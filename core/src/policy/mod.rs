//! What the operator wants: modes, actions, limits and rules, for all tools, one tool or one argument.
//!
//! Two types: `raw` is the file (serde, unknown keys refused), [`Policy`] is checked and swapped whole. All faults of a
//! file are reported at once, each with its key path.

use crate::code::{Action, Code, Layer};

/// Whether a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It decides.
    Enforce,
    /// It is told and counted, and decides nothing.
    Shadow,
    /// It is not looked at.
    Off,
}

/// What a fault of a layer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFault {
    /// The call may not run.
    Closed,
    /// The call runs, and it is counted that nobody looked.
    Open,
}

/// A checked policy.
#[derive(Debug, Clone)]
pub struct Policy {
    revision: String,
}

/// The rules that hold for one tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolPolicy<'a> {
    policy: &'a Policy,
    tool: &'a str,
}

/// What the policy says of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruling {
    /// Whether it counts.
    pub mode: Mode,
    /// `None`: the finding's own.
    pub action: Option<Action>,
}

impl Policy {
    /// A hash of the checked content.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// Whether a layer runs at all.
    pub fn layer_mode(&self, layer: Layer) -> Mode {
        let _ = layer;
        Mode::Enforce
    }

    /// The rules for one tool; an unknown name gets the rules for all.
    pub fn for_tool<'a>(&'a self, tool: &'a str) -> ToolPolicy<'a> {
        ToolPolicy { policy: self, tool }
    }
}

impl ToolPolicy<'_> {
    /// What holds for a finding: the argument's rule before the tool's, the tool's before the code's, the code's
    /// before the layer's. A layer that is off or in shadow is not overruled upwards.
    pub fn ruling(&self, code: Code, pointer: &str) -> Ruling {
        let _ = (self.policy, self.tool, code, pointer);
        Ruling {
            mode: Mode::Enforce,
            action: None,
        }
    }
}
