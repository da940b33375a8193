//! What the user said, as far as it is known.

use crate::check::Context;

/// The user's words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    texts: [Option<&'a str>; 2],
    earlier: bool,
}

impl<'a> Words<'a> {
    /// The intent and the last message. `steps`: whether tools ran before in this turn.
    pub(super) fn of(context: &'a Context<'a>, steps: bool) -> Self {
        let conversation = context.conversation;
        Self {
            texts: [context.intent, conversation.last_user_text.as_deref()],
            earlier: steps || conversation.has_steps || conversation.user_turns > 1,
        }
    }

    /// Whether the user said this, in whatever case.
    pub(super) fn say(&self, text: &str) -> bool {
        let wanted = text.trim().to_lowercase();
        !wanted.is_empty()
            && self
                .texts
                .iter()
                .flatten()
                .any(|text| text.to_lowercase().contains(&wanted))
    }

    /// Whether these are all the words that a value can have come from: the user spoke once, and no tool ran before.
    pub(super) fn are_all(&self) -> bool {
        !self.earlier && self.texts.iter().flatten().any(|text| !text.trim().is_empty())
    }
}
