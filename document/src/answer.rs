//! The answer to a document: what was decided, why, and what to do now.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    error::DocumentError,
    json::Json,
    words::{Decision, FallbackKind, Layer, LayerOutcome, Severity},
};

/// One decision. Lists that are empty and texts that are absent are left out of the JSON, but for `id`, `calls` and
/// `findings`, which always stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The document's, or made by the service. Null: the line was not readable.
    // Named, so that serde does not take a missing `id` for null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub id: Option<String>,
    /// Names the decision in the service's log.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision_id: String,
    /// Which policy decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub policy_revision: String,
    /// The toolset judged against, for the next document's `tools`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub toolset_ref: String,
    /// The strictest of the calls and of the results that count.
    pub decision: Decision,
    /// False in shadow mode.
    pub enforced: bool,
    /// Only in shadow mode: what would have held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_decide: Option<Decision>,
    /// Only with `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AnswerError>,
    /// Every call found but the duplicates, in order.
    pub calls: Vec<CallAnswer>,
    /// Calls that repeat another one of the turn and do not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<DuplicateAnswer>,
    /// What belongs to the turn and to no one call.
    pub findings: Vec<Finding>,
    /// The text beside the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Every result judged, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ResultAnswer>,
    /// With `retry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryAnswer>,
    /// With `fallback`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackAnswer>,
    /// What to forward, in the caller's wire shape.
    #[serde(default, skip_serializing_if = "ResponseAnswer::is_as_received")]
    pub response: ResponseAnswer,
    /// Stands in the place of `response` where the caller's shape is not JSON: a rewritten event stream or text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_text: Option<String>,
    /// In the order run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerAnswer>,
}

/// Why a document was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerError {
    /// UPPER_SNAKE, the same as gRPC's ErrorInfo.
    pub reason: String,
    /// One sentence.
    pub message: String,
}

/// What is decided of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallAnswer {
    /// As received, or made.
    pub id: String,
    /// As it may be forwarded.
    pub name: String,
    /// As they may be forwarded. Absent: nothing may be, or (where `changed` was asked) as received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// The call's own decision.
    pub decision: Decision,
    /// All that was found of it.
    pub findings: Vec<Finding>,
    /// RFC 6902, from what was received to `arguments`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Json>,
}

/// A call that repeats another one of the same turn and does not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuplicateAnswer {
    /// As received, or made.
    pub id: String,
    /// The tool's real name.
    pub name: String,
    /// The call that runs; its result answers both.
    pub duplicate_of: String,
}

/// What is decided of one result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultAnswer {
    /// The call that it answers, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The result's own decision.
    pub decision: Decision,
    /// All that was found of it.
    pub findings: Vec<Finding>,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Who found it. Absent: a layer that this version does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// From the closed catalogue.
    pub code: String,
    /// How grave.
    pub severity: Severity,
    /// Whether it counts in the decision.
    pub enforced: bool,
    /// JSON Pointer into the arguments or the result. Empty: the whole.
    pub pointer: String,
    /// One sentence.
    pub message: String,
    /// What should have come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What came, shortened and redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// The correction for the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryAnswer {
    /// The attempt that was judged, from 1.
    pub attempt: u32,
    /// Attempts that the policy allows.
    pub max_attempts: u32,
    /// Messages ready to append, in the caller's wire shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Json>,
    /// The same in words.
    pub feedback_text: String,
}

/// What takes the call's place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FallbackAnswer {
    /// Of which kind.
    pub kind: FallbackKind,
    /// With `tool`: its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// With `tool`: its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// With the other kinds: what to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What one layer did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerAnswer {
    /// Which. Absent: one that this version does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// How it ended.
    pub outcome: LayerOutcome,
    /// Why it was skipped or degraded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Microseconds; only with `explain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

/// What may be forwarded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ResponseAnswer {
    /// `response` is absent: what was received.
    #[default]
    AsReceived,
    /// `response` is null: nothing.
    Nothing,
    /// The candidate rewritten.
    Json(Json),
}

impl Answer {
    /// The answer to a document that could not be judged.
    pub fn error(id: Option<String>, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            id,
            decision_id: String::new(),
            policy_revision: String::new(),
            toolset_ref: String::new(),
            decision: Decision::Unspecified,
            enforced: true,
            would_decide: None,
            error: Some(AnswerError {
                reason: reason.into(),
                message: message.into(),
            }),
            calls: Vec::new(),
            duplicates: Vec::new(),
            findings: Vec::new(),
            text: None,
            results: Vec::new(),
            retry: None,
            fallback: None,
            response: ResponseAnswer::AsReceived,
            response_text: None,
            layers: Vec::new(),
        }
    }

    /// The answer to a document that could not be read.
    pub fn refused(id: Option<String>, error: DocumentError) -> Self {
        Self::error(id, error.reason, error.message)
    }

    /// One line of JSON Lines, with its end. JSON that was passed through may have been written over several lines.
    ///
    /// # Errors
    /// None in practice: an answer always serialises.
    pub fn to_line(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = Vec::with_capacity(512);
        serde_json::to_writer(&mut line, self)?;
        // A raw line end in JSON can only be white space between values.
        for byte in &mut line {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        line.push(b'\n');
        Ok(line)
    }
}

impl ResponseAnswer {
    fn is_as_received(&self) -> bool {
        matches!(self, ResponseAnswer::AsReceived)
    }
}

impl Serialize for ResponseAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ResponseAnswer::AsReceived | ResponseAnswer::Nothing => serializer.serialize_none(),
            ResponseAnswer::Json(json) => json.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResponseAnswer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Option::<Json>::deserialize(deserializer)?;
        Ok(json.map_or(ResponseAnswer::Nothing, ResponseAnswer::Json))
    }
}
