//! Rules for some tools, and the view of a policy for one of them.

use crate::{
    code::Code,
    policy::{
        Access, ArgumentRule, Effect, FallbackRule, Mode, Policy, Ruling, Stages,
        rulings::{Rulings, Said},
        stages::SaidStages,
    },
};

/// Most `[[tools]]` entries of a policy.
pub(super) const MAX_ENTRIES: usize = 512;

/// One `[[tools]]` entry.
#[derive(Debug, Clone)]
pub(super) struct ToolRules {
    pub glob: String,
    pub access: Option<Access>,
    pub poll: Option<bool>,
    pub effect: Option<Effect>,
    pub codes: Rulings,
    pub stages: Vec<(Code, SaidStages)>,
    pub fallback: Option<FallbackRule>,
    pub arguments: Vec<ArgumentRule>,
}

/// Which entries match a tool's name: one bit each.
type Matched = [u64; MAX_ENTRIES / 64];

/// The rules that hold for one tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolPolicy<'a> {
    policy: &'a Policy,
    matched: Matched,
}

impl<'a> ToolPolicy<'a> {
    /// The view for a name; without `[[tools]]` entries no name is looked at.
    pub(super) fn new(policy: &'a Policy, tool: &str) -> Self {
        let mut matched = Matched::default();
        if !policy.tools.is_empty() && !tool.is_empty() {
            for index in policy.globs.matches(tool) {
                if let Some(word) = matched.get_mut(index / 64) {
                    *word |= 1 << (index % 64);
                }
            }
        }
        Self { policy, matched }
    }

    /// The entries that match, the last of the file first.
    fn entries(&self) -> impl Iterator<Item = &'a ToolRules> + use<'a> {
        let matched = self.matched;
        let policy = self.policy;
        let any = matched.iter().any(|word| *word != 0);
        let count = if any { policy.tools.len() } else { 0 };
        (0..count).rev().filter_map(move |index| {
            let word = matched.get(index / 64)?;
            (word >> (index % 64) & 1 == 1)
                .then(|| policy.tools.get(index))
                .flatten()
        })
    }

    /// What holds for a finding: the argument's rule before the tool's, the tool's before the code's, the code's
    /// before the layer's. A layer that is off or in shadow is not overruled upwards.
    pub fn ruling(&self, code: Code, pointer: &str) -> Ruling {
        let mut said = Said::default();
        if !pointer.is_empty() {
            let reaching = self.entries().flat_map(|entry| entry.arguments.iter().rev());
            for rule in reaching.filter(|rule| rule.reaches(pointer)) {
                said = said.or(rule.codes.of(code));
            }
        }
        for entry in self.entries() {
            said = said.or(entry.codes.of(code));
        }
        let said = said.or(self.policy.codes.of(code));
        let layer = self.policy.layer_mode(code.layer());
        let of_judge = matches!(code, Code::ResultOffIntent | Code::ResultUnjudged);
        let judge = if of_judge {
            self.policy.semantic.judge
        } else {
            Mode::Enforce
        };
        Ruling {
            mode: said.mode.unwrap_or(Mode::Enforce).at_most(layer).at_most(judge),
            action: said.action,
        }
    }

    /// Whether the tool may be called at all.
    pub fn allowed(&self) -> bool {
        self.entries().find_map(|entry| entry.access) != Some(Access::Deny)
    }

    /// When a cascade rule notes, corrects and stops. Codes without stages: never.
    pub fn stages(&self, code: Code) -> Stages {
        let mut said = SaidStages::default();
        for (_, more) in self
            .entries()
            .flat_map(|entry| &entry.stages)
            .filter(|(it, _)| *it == code)
        {
            said.note = said.note.or(more.note);
            said.correct = said.correct.or(more.correct);
            said.stop = said.stop.or(more.stop);
        }
        said.over(self.policy.stages(code))
    }

    /// Whether calling the tool again is waiting for something. `None`: the policy does not say.
    pub fn polls(&self) -> Option<bool> {
        self.entries().find_map(|entry| entry.poll)
    }

    /// How long a poll may go on, in milliseconds.
    pub fn max_poll_ms(&self) -> u32 {
        self.policy.max_poll_ms
    }

    /// What running the tool again does. `None`: the policy does not say.
    pub fn effect(&self) -> Option<Effect> {
        self.entries().find_map(|entry| entry.effect)
    }

    /// What takes the place of a call of this tool. `None`: the policy's default.
    pub fn fallback(&self) -> Option<&'a FallbackRule> {
        self.entries().find_map(|entry| entry.fallback.as_ref())
    }

    /// The rules for the tool's arguments; all that cover a value hold for it. The last of the file comes first.
    pub fn argument_rules(&self) -> impl Iterator<Item = &'a ArgumentRule> + use<'a> {
        self.entries().flat_map(|entry| entry.arguments.iter().rev())
    }

    /// The policy that this is a view of.
    pub fn policy(&self) -> &'a Policy {
        self.policy
    }
}
