//! What enters a check. Everything is borrowed from the caller's bytes.

use crate::{
    tools::ToolSet,
    trajectory::{Answer, Conversation, Trajectory},
    turn::Candidate,
};

/// One assistant turn to judge, with all that surrounds it. Borrows everything.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The tools offered; the empty set where none was.
    pub toolset: &'a ToolSet,
    /// What surrounds the turn.
    pub context: Context<'a>,
    /// What happened before.
    pub trajectory: &'a Trajectory,
    /// What the model said. `None`: only results are judged.
    pub candidate: Option<Candidate<'a>>,
    /// Results of the candidate's calls or of earlier ones.
    pub results: &'a [ToolResult<'a>],
    /// What each result answered among the earlier calls, in the order of `results`; shorter where nothing is known.
    pub earlier: &'a [Answer],
    /// Which try at this turn this is, from 1. `None`: counted from the trajectory's rejections.
    pub attempt: Option<u32>,
    /// How to judge.
    pub options: Options,
}

/// What surrounds a turn.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What the user asked, in words. `None`: nobody said.
    pub intent: Option<&'a str>,
    /// The conversation, read; empty where none was sent.
    pub conversation: &'a Conversation<'a>,
    /// Which tools the model had to, could or must not call.
    pub tool_choice: &'a ToolChoice,
    /// Whether several calls at once are allowed. `None`: yes.
    pub parallel: Option<bool>,
    /// The time of the check, in milliseconds since 1970.
    pub now_ms: i64,
}

/// How much of what the user said is searched, in bytes.
pub(crate) const MAX_SAID_BYTES: usize = 64 << 10;

impl Context<'_> {
    /// What the user asked: the intent, or the last user message.
    pub fn said(&self) -> Option<&str> {
        self.intent.or(self.conversation.last_user_text.as_deref())
    }
}

/// The caller's tool choice, of any API.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model's own choice.
    #[default]
    Auto,
    /// No call at all.
    None,
    /// At least one call.
    Required,
    /// This tool.
    Named(String),
    /// Only these.
    Allowed {
        /// The tools' names.
        names: Vec<String>,
        /// Whether at least one call must come.
        required: bool,
    },
}

/// A tool's result as it came.
#[derive(Debug, Clone, Copy)]
pub struct ToolResult<'a> {
    /// The call that it answers. `None`: by position, where only one call waits.
    pub call_id: Option<&'a str>,
    /// What it holds.
    pub body: ResultBody<'a>,
    /// Whether the tool says that it failed. `None`: it does not say.
    pub is_error: Option<bool>,
}

/// Where the result's content is.
#[derive(Debug, Clone, Copy)]
pub enum ResultBody<'a> {
    /// Plain text; may itself be JSON text.
    Text(&'a str),
    /// A JSON value: a string, a list of content blocks, an object.
    Value(&'a [u8]),
    /// JSON text to decode as received.
    Encoded(&'a [u8]),
    /// Nothing.
    Absent,
}

/// How to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether lossless repairs are made.
    pub repair: bool,
    /// The layers to run, by [`Layer::index`].
    pub layers: [bool; 5],
    /// Shadow: everything is judged, nothing is enforced.
    pub shadow: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            repair: true,
            layers: [true; 5],
            shadow: false,
        }
    }
}
