//! Why a document cannot be read, with the reasons that gRPC's ErrorInfo and the answer's `error` use too.

/// A document that is refused before anything is judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DocumentError {
    /// UPPER_SNAKE, from the constants of this type.
    pub reason: &'static str,
    /// One sentence for the caller: names fields and shapes, never quotes values.
    pub message: String,
}

impl DocumentError {
    /// The text is not JSON.
    pub const NOT_JSON: &'static str = "DOCUMENT_NOT_JSON";
    /// JSON, but not a document: a field has the wrong type or stands twice.
    pub const INVALID: &'static str = "DOCUMENT_INVALID";
    /// A field that documents do not have.
    pub const FIELD_UNKNOWN: &'static str = "FIELD_UNKNOWN";
    /// A `format` that is not known.
    pub const FORMAT_UNKNOWN: &'static str = "FORMAT_UNKNOWN";
    /// `tools` is neither an array nor a name.
    pub const TOOLS_INVALID: &'static str = "TOOLS_INVALID";
    /// `messages` is not an array.
    pub const MESSAGES_INVALID: &'static str = "MESSAGES_INVALID";
    /// `tool_choice` is not JSON.
    pub const TOOL_CHOICE_INVALID: &'static str = "TOOL_CHOICE_INVALID";
    /// A step of `history` cannot be read.
    pub const HISTORY_INVALID: &'static str = "HISTORY_INVALID";
    /// `candidate` is of no readable kind.
    pub const CANDIDATE_INVALID: &'static str = "CANDIDATE_INVALID";
    /// An entry of `results` cannot be read.
    pub const RESULTS_INVALID: &'static str = "RESULTS_INVALID";
    /// `options` cannot be read.
    pub const OPTIONS_INVALID: &'static str = "OPTIONS_INVALID";

    pub(crate) fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }
}
