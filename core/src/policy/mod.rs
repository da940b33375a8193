//! What the operator wants: modes, actions, limits and rules, for all tools, one tool or one argument.
//!
//! A file is read by `raw` (TOML, key by key, unknown keys refused) and checked into a [`Policy`], which is swapped whole.
//! All faults of a file are reported at once, each with its key path; what can never have an effect is a warning.
//!
//! Which word holds, where several are said:
//! - The more particular: an argument's rule before its tool's, a tool's before the code's (`[codes]`), the code's
//!   before the default. Among `[[tools]]` entries that match one name the **last of the file** wins, key by key, so
//!   general entries stand above particular ones (`*` deny, then `read_*` allow). Argument checks do not replace one
//!   another: a value must pass all that cover it.
//! - A layer that is off or in shadow stays so: nothing below it can make one of its rules count. The same holds for
//!   the judge and its verdict. A tool may soften a rule that its layer enforces; that is how a false alarm is silenced
//!   in one place.
//! - Modes and actions are apart: an entry that says only one of them leaves the other to the next in line.

mod argument;
mod check;
mod fallback;
mod fault;
mod raw;
mod revision;
mod role;
mod rulings;
mod settings;
mod stages;
mod tool;
mod tools;
mod warnings;

pub use argument::{ArgumentRule, Checks, HostPattern};
pub use fallback::{ArgumentSource, FallbackRule};
pub use fault::{PolicyFault, PolicyWarning};
pub use role::Role;
pub use settings::{Access, SemanticSettings, ValueSettings};
pub use stages::Stages;
pub use tool::ToolPolicy;

use globset::GlobSet;

use crate::{
    code::{Action, Code, Layer},
    policy::{rulings::Rulings, tool::ToolRules},
};

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

impl Mode {
    /// The name used in policy files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Enforce => "enforce",
            Mode::Shadow => "shadow",
            Mode::Off => "off",
        }
    }

    /// The weaker of two.
    const fn at_most(self, other: Self) -> Self {
        match (self, other) {
            (Mode::Off, _) | (_, Mode::Off) => Mode::Off,
            (Mode::Shadow, _) | (_, Mode::Shadow) => Mode::Shadow,
            (Mode::Enforce, Mode::Enforce) => Mode::Enforce,
        }
    }
}

/// What a fault of a layer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFault {
    /// The call may not run.
    Closed,
    /// The call runs, and it is counted that nobody looked.
    Open,
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

/// What the policy says of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruling {
    /// Whether it counts.
    pub mode: Mode,
    /// `None`: the finding's own.
    pub action: Option<Action>,
}

/// A checked policy.
#[derive(Debug, Clone)]
pub struct Policy {
    revision: String,
    layers: [LayerRule; Layer::ALL.len()],
    codes: Rulings,
    stages: [(Code, Stages); stages::DEFAULTS.len()],
    max_poll_ms: u32,
    max_attempts: u32,
    fallback: FallbackRule,
    value: ValueSettings,
    semantic: SemanticSettings,
    tools: Vec<ToolRules>,
    globs: GlobSet,
}

/// What holds for a whole layer.
#[derive(Debug, Clone, Copy)]
struct LayerRule {
    mode: Mode,
    on_fault: OnFault,
}

impl Policy {
    /// Reads and checks a policy file. Where it is silent the defaults hold.
    ///
    /// # Errors
    /// All faults of the file; it is not TOML, a key is unknown, a value is of another type or out of its range.
    pub fn parse(toml: &str) -> Result<(Self, Vec<PolicyWarning>), Vec<PolicyFault>> {
        check::parse(toml)
    }

    /// A hash of the checked content: what is written otherwise but means the same has the same one.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// Attempts at one turn, tool and error class before a retry becomes a fallback.
    pub fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// What an unanswered question of a layer means.
    pub fn on_fault(&self, layer: Layer) -> OnFault {
        self.layers
            .get(layer.index())
            .map_or(OnFault::Closed, |rule| rule.on_fault)
    }

    /// Whether a layer runs at all.
    pub fn layer_mode(&self, layer: Layer) -> Mode {
        self.layers.get(layer.index()).map_or(Mode::Enforce, |rule| rule.mode)
    }

    /// Whether a model is asked about results.
    pub fn judges(&self) -> bool {
        self.semantic.judge != Mode::Off && self.layer_mode(Layer::Semantic) != Mode::Off
    }

    /// When a cascade rule notes, corrects and stops, for all tools. Codes without stages: never.
    pub fn stages(&self, code: Code) -> Stages {
        self.stages
            .iter()
            .find(|(it, _)| *it == code)
            .map_or(Stages::NEVER, |(_, stages)| *stages)
    }

    /// What takes a call's place where its tool has no rule of its own.
    pub fn default_fallback(&self) -> &FallbackRule {
        &self.fallback
    }

    /// Settings of the value layer.
    pub fn value(&self) -> &ValueSettings {
        &self.value
    }

    /// Settings of the semantic layer.
    pub fn semantic(&self) -> SemanticSettings {
        self.semantic
    }

    /// The rules for one tool; an unknown name gets the rules for all.
    pub fn for_tool(&self, tool: &str) -> ToolPolicy<'_> {
        ToolPolicy::new(self, tool)
    }
}

impl Default for Policy {
    /// The defaults as shipped.
    fn default() -> Self {
        let mut policy = Self {
            revision: String::new(),
            layers: Layer::ALL.map(|layer| LayerRule {
                mode: Mode::Enforce,
                on_fault: default_on_fault(layer),
            }),
            codes: Rulings::default(),
            stages: stages::DEFAULTS,
            max_poll_ms: check::DEFAULT_MAX_POLL_MS,
            max_attempts: 3,
            fallback: fallback::default(),
            value: ValueSettings::default(),
            semantic: SemanticSettings::default(),
            tools: Vec::new(),
            globs: GlobSet::empty(),
        };
        policy.revision = revision::of(&policy);
        policy
    }
}

const fn default_on_fault(layer: Layer) -> OnFault {
    match layer {
        Layer::Semantic => OnFault::Open,
        Layer::Schema | Layer::Selection | Layer::Value | Layer::Cascade => OnFault::Closed,
    }
}
