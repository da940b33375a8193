//! When cascade rules note, correct and stop.

use crate::code::Code;

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

/// The count that is never reached.
const NEVER: u32 = u32::MAX;

impl Stages {
    /// Stages that never come.
    pub const NEVER: Stages = Stages::new(NEVER, NEVER, NEVER);

    const fn new(note: u32, correct: u32, stop: u32) -> Self {
        Self { note, correct, stop }
    }
}

/// The codes that have stages, and the defaults. Cycles count rounds, error streaks count the errors that came before.
pub(super) const DEFAULTS: [(Code, Stages); 8] = [
    (Code::LoopNoProgress, Stages::new(3, 4, 5)),
    (Code::LoopSameCall, Stages::new(8, 10, 15)),
    (Code::LoopCycle, Stages::new(2, 3, 4)),
    (Code::ErrorStreak, Stages::new(2, 3, 5)),
    (Code::UnknownToolStreak, Stages::new(NEVER, 1, 3)),
    (Code::RetryStorm, Stages::new(NEVER, 1, 4)),
    (Code::ErrorPropagation, Stages::new(NEVER, 1, 2)),
    (Code::DuplicateSideEffect, Stages::new(NEVER, 1, 2)),
];

/// What one place of the policy says of a rule's stages; `None`: nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SaidStages {
    pub note: Option<u32>,
    pub correct: Option<u32>,
    pub stop: Option<u32>,
}

impl SaidStages {
    /// The stages with what is said here, and the rest from `less`.
    pub(super) fn over(self, less: Stages) -> Stages {
        Stages::new(
            self.note.unwrap_or(less.note),
            self.correct.unwrap_or(less.correct),
            self.stop.unwrap_or(less.stop),
        )
    }
}
