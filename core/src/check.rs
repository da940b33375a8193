//! The chain, once, top to bottom.
//!
//! A check has two halves with a wait between them: [`inspect`] runs every layer that needs no one else and poses the
//! semantic layer's questions; the shell has them answered; [`Inspected::conclude`] reads the answers and decides.

use crate::{
    code::Layer,
    decide::{CallOutcome, Decision, Fallback, ResultOutcome, Retry},
    finding::Finding,
    tools::ToolSet,
    trajectory::{Conversation, Trajectory},
    turn::{Candidate, WireFormat},
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

/// A monotonic clock that the shell hands in, so that layers can be timed without reading one here.
pub trait Clock {
    /// Nanoseconds since any fixed moment.
    fn now_ns(&self) -> u64;
}

/// What a layer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerReport {
    /// Which.
    pub layer: Layer,
    /// How it ended.
    pub outcome: LayerOutcome,
    /// How long it took, in nanoseconds; 0 where it did not run.
    pub duration_ns: u64,
}

/// How a layer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LayerOutcome {
    /// Nothing that blocks.
    Pass,
    /// Something that blocks.
    Fail,
    /// Did not run, and why.
    Skipped(Skipped),
    /// Could not answer, and why.
    Degraded(Degraded),
}

/// Why a layer did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skipped {
    /// The request left it out.
    NotAsked,
    /// The policy switched it off.
    Off,
    /// There was nothing for it to look at.
    NothingToJudge,
}

impl Skipped {
    /// The reason as it stands in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Skipped::NotAsked => "not_asked",
            Skipped::Off => "off",
            Skipped::NothingToJudge => "nothing_to_judge",
        }
    }
}

/// Why a layer could not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Degraded {
    /// The judge did not answer in time.
    Timeout,
    /// The judge could not be reached or refused.
    Unavailable,
    /// The judge's answer was neither YES nor NO.
    Unreadable,
    /// Too many questions are waiting.
    Overloaded,
}

impl Degraded {
    /// Every cause.
    pub const ALL: [Degraded; 4] = [
        Degraded::Timeout,
        Degraded::Unavailable,
        Degraded::Unreadable,
        Degraded::Overloaded,
    ];

    /// The reason as it stands in reports and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Degraded::Timeout => "timeout",
            Degraded::Unavailable => "unavailable",
            Degraded::Unreadable => "unreadable",
            Degraded::Overloaded => "overloaded",
        }
    }
}

/// What is decided, with all that led to it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The format that was read. `None`: there was no candidate.
    pub format: Option<WireFormat>,
    /// What holds: `Pass` in shadow mode.
    pub decision: Decision,
    /// False in shadow mode.
    pub enforced: bool,
    /// What would hold if enforced.
    pub would_decide: Decision,
    /// Every call, in order.
    pub calls: Vec<CallOutcome>,
    /// Findings of the turn that belong to no one call.
    pub findings: Vec<Finding>,
    /// The text beside the calls.
    pub text: String,
    /// Every result, in order.
    pub results: Vec<ResultOutcome>,
    /// With a retry.
    pub retry: Option<Retry>,
    /// With a fallback.
    pub fallback: Option<Fallback>,
    /// The candidate rewritten. `None` with `Pass`: as received; with `Retry`: nothing may be forwarded.
    pub response: Option<Vec<u8>>,
    /// In the order run.
    pub layers: Vec<LayerReport>,
}
