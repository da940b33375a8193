//! Modes and actions per code, as one place of the policy gives them.

use crate::{
    code::{Action, Code},
    policy::Mode,
};

/// What one place says of some codes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rulings(Vec<(Code, Said)>);

/// What is said of one code; `None`: nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub mode: Option<Mode>,
    pub action: Option<Action>,
}

impl Said {
    /// What this says, and where it is silent what `less` says.
    pub(super) fn or(self, less: Self) -> Self {
        Self {
            mode: self.mode.or(less.mode),
            action: self.action.or(less.action),
        }
    }
}

impl Rulings {
    pub(super) fn push(&mut self, code: Code, said: Said) {
        self.0.push((code, said));
    }

    pub(super) fn of(&self, code: Code) -> Said {
        self.0
            .iter()
            .find(|(it, _)| *it == code)
            .map(|(_, said)| *said)
            .unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Code, Said)> {
        self.0.iter().copied()
    }
}
