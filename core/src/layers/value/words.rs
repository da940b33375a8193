//! What the user said, as far as it is known.

use std::cell::{Cell, OnceCell};

use crate::{
    check::{Context, request::MAX_SAID_BYTES},
    finding::beginning,
};

/// How many values of one call are looked for; what comes after them counts as unsaid, so that time is bounded.
const MAX_LOOKUPS: u32 = 512;

/// The user's words.
#[derive(Debug)]
pub(super) struct Words<'a> {
    texts: [Option<&'a str>; 2],
    /// The same in lower case, made when first needed.
    lower: OnceCell<String>,
    lookups: Cell<u32>,
    earlier: bool,
}

impl<'a> Words<'a> {
    /// The intent and the last message. `steps`: whether tools ran before in this turn.
    pub(super) fn of(context: &'a Context<'a>, steps: bool) -> Self {
        let conversation = context.conversation;
        Self {
            texts: [context.intent, conversation.last_user_text.as_deref()],
            lower: OnceCell::new(),
            lookups: Cell::new(0),
            earlier: steps || conversation.has_steps || conversation.user_turns > 1,
        }
    }

    /// Whether the user said this, in whatever case.
    pub(super) fn say(&self, text: &str) -> bool {
        let before = self.lookups.get();
        self.lookups.set(before.saturating_add(1));
        if before >= MAX_LOOKUPS {
            return false;
        }
        let wanted = text.trim().to_lowercase();
        !wanted.is_empty() && self.lower().contains(&wanted)
    }

    /// Whether these are all the words that a value can have come from: the user spoke once, and no tool ran before.
    pub(super) fn are_all(&self) -> bool {
        !self.earlier && self.texts.iter().flatten().any(|text| !text.trim().is_empty())
    }

    fn lower(&self) -> &str {
        self.lower.get_or_init(|| {
            let texts: Vec<String> = self
                .texts
                .iter()
                .flatten()
                .map(|text| beginning(text, MAX_SAID_BYTES).to_lowercase())
                .collect();
            texts.join("\n")
        })
    }
}
