//! Label values that are not already an enum of the core.

use toolward_core::{check::LayerOutcome, decide::Fallback, policy::OnFault};

/// Whether a check is in shadow mode.
pub const RUN_MODES: [bool; 2] = [false, true];

/// The label of a check's mode.
pub const fn run_mode(shadow: bool) -> &'static str {
    if shadow { "shadow" } else { "enforce" }
}

/// What a fault may mean.
pub const ON_FAULTS: [OnFault; 2] = [OnFault::Closed, OnFault::Open];

/// The label of what a fault means.
pub const fn on_fault(on_fault: OnFault) -> &'static str {
    match on_fault {
        OnFault::Closed => "closed",
        OnFault::Open => "open",
    }
}

/// Declares a label: a closed list of words.
macro_rules! label {
    ($(#[$doc:meta])* $name:ident { $($(#[$case:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$case])* $variant,)+ }

        impl $name {
            /// Every value, in the order of the handles.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant,)+];

            /// The label's value.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }
    };
}

label! {
    /// How a layer ended, without the reason.
    Outcome {
        /// Nothing that blocks.
        Pass = "pass",
        /// Something that blocks.
        Fail = "fail",
        /// Did not run.
        Skipped = "skipped",
        /// Could not answer.
        Degraded = "degraded",
    }
}

label! {
    /// What took a call's place.
    FallbackLabel {
        /// A simpler tool.
        Tool = "tool",
        /// Words.
        Text = "text",
        /// A question to the user.
        AskUser = "ask_user",
        /// The end of the run.
        Stop = "stop",
    }
}

label! {
    /// How a look-up of a toolset ended.
    Lookup {
        /// It was compiled before.
        Hit = "hit",
        /// It was compiled now.
        Miss = "miss",
        /// A reference that nobody knows.
        Unknown = "unknown",
    }
}

label! {
    /// How a look-up of a verdict ended.
    CacheResult {
        /// It was known, or an equal question in flight answered it.
        Hit = "hit",
        /// It had to be asked for.
        Miss = "miss",
    }
}

label! {
    /// How a question to the judge ended.
    JudgeOutcome {
        /// The result answers the intent.
        Yes = "yes",
        /// It does not.
        No = "no",
        /// No answer in time.
        Timeout = "timeout",
        /// Not reached, or refused.
        Unavailable = "unavailable",
        /// Neither YES nor NO.
        Unreadable = "unreadable",
        /// Too many questions at once.
        Overloaded = "overloaded",
    }
}

impl From<LayerOutcome> for Outcome {
    fn from(outcome: LayerOutcome) -> Self {
        match outcome {
            LayerOutcome::Pass => Outcome::Pass,
            LayerOutcome::Fail => Outcome::Fail,
            LayerOutcome::Skipped(_) => Outcome::Skipped,
            LayerOutcome::Degraded(_) => Outcome::Degraded,
        }
    }
}

impl From<&Fallback> for FallbackLabel {
    fn from(fallback: &Fallback) -> Self {
        match fallback {
            Fallback::Tool { .. } => FallbackLabel::Tool,
            Fallback::Text(_) => FallbackLabel::Text,
            Fallback::AskUser(_) => FallbackLabel::AskUser,
            Fallback::Stop(_) => FallbackLabel::Stop,
        }
    }
}
