//! Bounds on everything that comes in. Each has a reason code for the caller and a default that real traffic does
//! not meet; the server's configuration may set others.

/// Limits that the core applies while it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tools in one toolset. Reason `TOO_MANY_TOOLS`.
    pub max_tools: usize,
    /// Bytes of one toolset as JSON. Reason `TOOLS_TOO_LARGE`.
    pub max_tools_bytes: usize,
    /// Bytes of one tool's schema as JSON. Finding `tool_schema_invalid`.
    pub max_schema_bytes: usize,
    /// Subschemas that a validation may visit in the worst case: references through combinators multiply. Finding
    /// `tool_schema_invalid`.
    pub max_schema_expansion: u64,
    /// Bytes of one call's arguments as JSON. Finding `too_large`.
    pub max_arguments_bytes: usize,
    /// Nesting of one call's arguments. Finding `too_deep`.
    pub max_arguments_depth: usize,
    /// Calls in one turn. Reason `TOO_MANY_CALLS`.
    pub max_calls: usize,
    /// Results in one request. Reason `TOO_MANY_RESULTS`.
    pub max_results: usize,
    /// Bytes of one candidate. Reason `CANDIDATE_TOO_LARGE`.
    pub max_candidate_bytes: usize,
    /// Bytes of one conversation. Reason `MESSAGES_TOO_LARGE`.
    pub max_messages_bytes: usize,
    /// Earlier steps that the cascade layer looks at; older ones are left out.
    pub max_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_tools: 20_000,
            max_tools_bytes: 16 << 20,
            max_schema_bytes: 512 << 10,
            max_schema_expansion: 100_000,
            max_arguments_bytes: 4 << 20,
            max_arguments_depth: 100,
            max_calls: 256,
            max_results: 256,
            max_candidate_bytes: 16 << 20,
            max_messages_bytes: 16 << 20,
            max_steps: 256,
        }
    }
}

/// A request that is refused as a whole: the envelope is broken or larger than a limit. Never used for a bad call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What is wrong, from a closed list.
    pub reason: Reason,
    /// One sentence for the caller; never holds values.
    pub message: String,
}

impl Refusal {
    /// A refusal for a reason.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The tools are not a JSON array of definitions.
    ToolsInvalid,
    /// More bytes of tools than the limit.
    ToolsTooLarge,
    /// More tools than the limit.
    TooManyTools,
    /// The messages are not a JSON array of messages.
    MessagesInvalid,
    /// More bytes of messages than the limit.
    MessagesTooLarge,
    /// A step of the history cannot be read.
    HistoryInvalid,
    /// The tool choice is of no known shape.
    ToolChoiceInvalid,
    /// The caller's clock is not RFC 3339.
    NowInvalid,
    /// The candidate is not of the format that it is said to have.
    CandidateInvalid,
    /// More bytes of candidate than the limit.
    CandidateTooLarge,
    /// More calls than the limit.
    TooManyCalls,
    /// More results than the limit.
    TooManyResults,
    /// A result cannot be read.
    ResultsInvalid,
    /// Neither a candidate nor results.
    RequestEmpty,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 14] = [
        Reason::ToolsInvalid,
        Reason::ToolsTooLarge,
        Reason::TooManyTools,
        Reason::MessagesInvalid,
        Reason::MessagesTooLarge,
        Reason::HistoryInvalid,
        Reason::ToolChoiceInvalid,
        Reason::NowInvalid,
        Reason::CandidateInvalid,
        Reason::CandidateTooLarge,
        Reason::TooManyCalls,
        Reason::TooManyResults,
        Reason::ResultsInvalid,
        Reason::RequestEmpty,
    ];

    /// The string used in ErrorInfo and in the check document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::ToolsInvalid => "TOOLS_INVALID",
            Reason::ToolsTooLarge => "TOOLS_TOO_LARGE",
            Reason::TooManyTools => "TOO_MANY_TOOLS",
            Reason::MessagesInvalid => "MESSAGES_INVALID",
            Reason::MessagesTooLarge => "MESSAGES_TOO_LARGE",
            Reason::HistoryInvalid => "HISTORY_INVALID",
            Reason::ToolChoiceInvalid => "TOOL_CHOICE_INVALID",
            Reason::NowInvalid => "NOW_INVALID",
            Reason::CandidateInvalid => "CANDIDATE_INVALID",
            Reason::CandidateTooLarge => "CANDIDATE_TOO_LARGE",
            Reason::TooManyCalls => "TOO_MANY_CALLS",
            Reason::TooManyResults => "TOO_MANY_RESULTS",
            Reason::ResultsInvalid => "RESULTS_INVALID",
            Reason::RequestEmpty => "REQUEST_EMPTY",
        }
    }
}
