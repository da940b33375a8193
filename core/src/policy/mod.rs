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

/// When a cascade rule notes, corrects and stops: counts that include the call at hand. `u32::MAX`: never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stages {
    /// From this count on the finding is told.
    pub note: u32,
    /// From this count on the model is corrected.
    pub correct: u32,
    /// From this count on the call is stopped.
    pub stop: u32,
}

/// What running a tool again does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    ReadOnly,
    /// The same as running it once.
    Idempotent,
    /// It happens again.
    Once,
}

/// What takes a call's place when it falls back.
#[derive(Debug, Clone, PartialEq)]
pub enum FallbackRule {
    /// A simpler tool.
    Tool {
        /// Its name.
        name: String,
        /// Its arguments and where each comes from.
        arguments: Vec<(String, ArgumentSource)>,
    },
    /// An answer in words.
    Text(String),
    /// A question to the user.
    AskUser(String),
    /// The end of the run, with the reason.
    Stop(String),
}

/// Where an argument of a fallback tool comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgumentSource {
    /// Written in the policy.
    Constant(serde_json::Value),
    /// A JSON Pointer into the arguments of the call that fell back; without the value there is no fallback tool.
    FromCall(String),
    /// The user's intent.
    Intent,
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

    /// Attempts at one turn, tool and error class before a retry becomes a fallback.
    pub fn max_attempts(&self) -> u32 {
        3
    }

    /// What an unanswered question of a layer means.
    pub fn on_fault(&self, layer: Layer) -> OnFault {
        match layer {
            Layer::Semantic => OnFault::Open,
            Layer::Schema | Layer::Selection | Layer::Value | Layer::Cascade => OnFault::Closed,
        }
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
