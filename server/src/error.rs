//! Why a request could not be judged: one closed list, and what each entry is on every wire.
//!
//! A bad tool call is never here: it is a decision. Making a [`Failure`] has no side effect; it is counted where it is
//! handled.

use std::borrow::Cow;

use tonic::Code;
use toolward_core::limits::{Reason, Refusal};
use toolward_document::DocumentError;

/// Why a request could not be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// The core refused the envelope.
    Refused(Reason),
    /// No policy of that name is configured.
    PolicyUnknown,
    /// An option has no known value.
    OptionsInvalid,
    /// The reference of a toolset that this replica has not seen, or has forgotten.
    ToolsetUnknown,
    /// A session or tenant name longer than the limit.
    SessionInvalid,
    /// The body is not JSON.
    DocumentNotJson,
    /// JSON, but no check document.
    DocumentInvalid,
    /// A field that check documents do not have.
    FieldUnknown,
    /// A format that is not known.
    FormatUnknown,
    /// The whole request is larger than the limit.
    RequestTooLarge,
    /// No such path, or another method.
    PathUnknown,
    /// Too much is in flight.
    Overloaded,
    /// The caller's or the service's deadline passed.
    DeadlineExceeded,
    /// The service is going down.
    Draining,
    /// A fault of the service's own.
    Internal,
}

/// What an [`ErrorCode`] is on the wires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// The gRPC status.
    pub grpc: Code,
    /// The HTTP status.
    pub http: u16,
}

impl ErrorCode {
    /// Every code that is not a [`Reason`] of the core.
    const OWN: [ErrorCode; 14] = [
        ErrorCode::PolicyUnknown,
        ErrorCode::OptionsInvalid,
        ErrorCode::ToolsetUnknown,
        ErrorCode::SessionInvalid,
        ErrorCode::DocumentNotJson,
        ErrorCode::DocumentInvalid,
        ErrorCode::FieldUnknown,
        ErrorCode::FormatUnknown,
        ErrorCode::RequestTooLarge,
        ErrorCode::PathUnknown,
        ErrorCode::Overloaded,
        ErrorCode::DeadlineExceeded,
        ErrorCode::Draining,
        ErrorCode::Internal,
    ];

    /// Every code.
    pub fn all() -> impl Iterator<Item = ErrorCode> {
        Reason::ALL.into_iter().map(ErrorCode::Refused).chain(Self::OWN)
    }

    /// The reason in ErrorInfo, in error answers and as a metric label.
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorCode::Refused(reason) => reason.as_str(),
            ErrorCode::PolicyUnknown => "POLICY_UNKNOWN",
            ErrorCode::OptionsInvalid => "OPTIONS_INVALID",
            ErrorCode::ToolsetUnknown => "TOOLSET_UNKNOWN",
            ErrorCode::SessionInvalid => "SESSION_INVALID",
            ErrorCode::DocumentNotJson => DocumentError::NOT_JSON,
            ErrorCode::DocumentInvalid => DocumentError::INVALID,
            ErrorCode::FieldUnknown => DocumentError::FIELD_UNKNOWN,
            ErrorCode::FormatUnknown => DocumentError::FORMAT_UNKNOWN,
            ErrorCode::RequestTooLarge => "REQUEST_TOO_LARGE",
            ErrorCode::PathUnknown => "PATH_UNKNOWN",
            ErrorCode::Overloaded => "OVERLOADED",
            ErrorCode::DeadlineExceeded => "DEADLINE_EXCEEDED",
            ErrorCode::Draining => "DRAINING",
            ErrorCode::Internal => "INTERNAL",
        }
    }

    /// What it is on the wires.
    pub const fn wire(self) -> Wire {
        let (grpc, http) = match self {
            ErrorCode::Refused(
                Reason::ToolsInvalid
                | Reason::ToolsTooLarge
                | Reason::TooManyTools
                | Reason::MessagesInvalid
                | Reason::MessagesTooLarge
                | Reason::HistoryInvalid
                | Reason::ToolChoiceInvalid
                | Reason::NowInvalid
                | Reason::CandidateInvalid
                | Reason::CandidateTooLarge
                | Reason::TooManyCalls
                | Reason::TooManyResults
                | Reason::ResultsInvalid
                | Reason::RequestEmpty,
            )
            | ErrorCode::PolicyUnknown
            | ErrorCode::OptionsInvalid
            | ErrorCode::SessionInvalid
            | ErrorCode::DocumentNotJson
            | ErrorCode::DocumentInvalid
            | ErrorCode::FieldUnknown
            | ErrorCode::FormatUnknown => (Code::InvalidArgument, 400),
            ErrorCode::ToolsetUnknown | ErrorCode::PathUnknown => (Code::NotFound, 404),
            ErrorCode::RequestTooLarge => (Code::ResourceExhausted, 413),
            ErrorCode::Overloaded => (Code::ResourceExhausted, 429),
            ErrorCode::DeadlineExceeded => (Code::DeadlineExceeded, 504),
            ErrorCode::Draining => (Code::Unavailable, 503),
            ErrorCode::Internal => (Code::Internal, 500),
        };
        Wire { grpc, http }
    }
}

/// A request that could not be judged, as it is told to the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Why.
    pub code: ErrorCode,
    /// One sentence; names fields and limits, never quotes what was sent.
    pub message: Cow<'static, str>,
}

impl Failure {
    /// A failure for a reason.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Too much is in flight.
    pub const fn overloaded() -> Self {
        Self {
            code: ErrorCode::Overloaded,
            message: Cow::Borrowed("too many requests are in flight; try again shortly"),
        }
    }

    /// The deadline passed.
    pub const fn deadline() -> Self {
        Self {
            code: ErrorCode::DeadlineExceeded,
            message: Cow::Borrowed("the check could not be finished before the deadline"),
        }
    }

    /// The service is going down.
    pub const fn draining() -> Self {
        Self {
            code: ErrorCode::Draining,
            message: Cow::Borrowed("the service is shutting down; use another replica"),
        }
    }

    /// A fault of the service's own; its cause stays inside.
    pub const fn internal() -> Self {
        Self {
            code: ErrorCode::Internal,
            message: Cow::Borrowed("the service failed; nothing was judged"),
        }
    }

    /// A request larger than the limit.
    pub fn too_large(limit: usize) -> Self {
        Self::new(
            ErrorCode::RequestTooLarge,
            format!("the request is larger than {limit} bytes"),
        )
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::new(ErrorCode::Refused(refusal.reason), refusal.message)
    }
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        let code = ErrorCode::all()
            .find(|code| code.as_str() == error.reason)
            .unwrap_or(ErrorCode::DocumentInvalid);
        Self::new(code, error.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_upper_snake_and_stands_once() {
        let mut seen: Vec<&str> = ErrorCode::all().map(ErrorCode::as_str).collect();
        let count = seen.len();
        assert!(seen.iter().all(|reason| reason.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn every_reason_of_the_document_is_known() {
        for reason in [
            DocumentError::NOT_JSON,
            DocumentError::INVALID,
            DocumentError::FIELD_UNKNOWN,
            DocumentError::FORMAT_UNKNOWN,
            DocumentError::TOOLS_INVALID,
            DocumentError::MESSAGES_INVALID,
            DocumentError::TOOL_CHOICE_INVALID,
            DocumentError::HISTORY_INVALID,
            DocumentError::CANDIDATE_INVALID,
            DocumentError::RESULTS_INVALID,
            DocumentError::OPTIONS_INVALID,
        ] {
            let failure = Failure::from(DocumentError {
                reason,
                message: String::new(),
            });
            assert_eq!(failure.code.as_str(), reason);
        }
    }
}
