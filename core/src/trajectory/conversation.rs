//! The conversation as the caller sent it, read once.

use super::Step;

/// What the messages tell. Empty where none were sent.
#[derive(Debug, Clone, Default)]
pub struct Conversation<'a> {
    /// The last user message's text; the intent where the caller gives none.
    pub last_user_text: Option<std::borrow::Cow<'a, str>>,
    /// How many user messages there are (messages that only carry tool results do not count).
    pub user_turns: u32,
    /// Whether any message carries a tool call or result.
    pub has_steps: bool,
    /// The steps since the last user message.
    pub steps: Vec<Step>,
}
