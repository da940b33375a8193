//! What the user said, as far as it is known.

use std::cell::OnceCell;

use crate::check::Context;

/// How much of a text is searched, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// The user's words.
#[derive(Debug)]
pub(super) struct Words<'a> {
    texts: [Option<&'a str>; 2],
    /// The same in lower case, made when first needed.
    lower: OnceCell<String>,
    earlier: bool,
}

impl<'a> Words<'a> {
    /// The intent and the last message. `steps`: whether tools ran before in this turn.
    pub(super) fn of(context: &'a Context<'a>, steps: bool) -> Self {
        let conversation = context.conversation;
        Self {
            texts: [context.intent, conversation.last_user_text.as_deref()],
            lower: OnceCell::new(),
            earlier: steps || conversation.has_steps || conversation.user_turns > 1,
        }
    }

    /// Whether the user said this, in whatever case.
    pub(super) fn say(&self, text: &str) -> bool {
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
                .map(|text| beginning(text, MAX_BYTES).to_lowercase())
                .collect();
            texts.join("\n")
        })
    }
}

/// At most so many bytes of a text, whole characters.
pub(super) fn beginning(text: &str, max_bytes: usize) -> &str {
    let end = (0..=text.len().min(max_bytes))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}
