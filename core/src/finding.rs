//! A finding: what a layer saw, where, and what it leads to.

use std::borrow::Cow;

use crate::code::{Action, Code, Layer};

/// How grave a finding is; follows from its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something was repaired.
    Info,
    /// Told, the call passes.
    Warn,
    /// The call may not run as it is.
    Block,
}

/// Something that a layer found. Texts are for the model and the operator: they name places and expectations, and
/// quote what was received only through [`Finding::received`], which shortens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub code: Code,
    /// What it leads to when enforced.
    pub action: Action,
    /// False where the policy keeps this rule in shadow: told and counted, without effect.
    pub enforced: bool,
    /// JSON Pointer into the arguments or the result; empty for the whole.
    pub pointer: String,
    /// One sentence.
    pub message: Cow<'static, str>,
    /// What would be right.
    pub expected: Option<String>,
    /// What came, shortened.
    pub received: Option<String>,
    /// What to do.
    pub suggestion: Option<String>,
}

/// Longest quotation of a received value, in characters.
pub const MAX_QUOTE_CHARS: usize = 80;

impl Finding {
    /// A finding with the code's default action, enforced, about the whole.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            action: code.default_action(),
            enforced: true,
            pointer: String::new(),
            message: message.into(),
            expected: None,
            received: None,
            suggestion: None,
        }
    }

    /// With a JSON Pointer to the place.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    /// With another action than the code's default.
    #[must_use]
    pub fn leads_to(mut self, action: Action) -> Self {
        self.action = action;
        self
    }

    /// With what would be right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// With what came, shortened to [`MAX_QUOTE_CHARS`].
    #[must_use]
    pub fn received(mut self, received: &str) -> Self {
        self.received = Some(shorten(received, MAX_QUOTE_CHARS));
        self
    }

    /// With what to do.
    #[must_use]
    pub fn suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// The layer that found it.
    pub const fn layer(&self) -> Layer {
        self.code.layer()
    }

    /// How grave it is.
    pub const fn severity(&self) -> Severity {
        match self.action {
            Action::Repair => Severity::Info,
            Action::Note => Severity::Warn,
            Action::Retry | Action::Fallback => Severity::Block,
        }
    }
}

/// At most so many bytes of a text, whole characters.
pub fn beginning(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default()
}

/// The first `max_chars` characters, with an ellipsis where something was left out.
pub fn shorten(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => {
            let mut short = text.get(..end).unwrap_or_default().to_owned();
            short.push('…');
            short
        }
    }
}
