//! Why a request cannot be judged: one enum, mapped to gRPC status, HTTP status and reason in one `match` each.
//!
//! `Internal` never carries a cause to the caller: it is logged where it is handled.

use axum::http::StatusCode;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};
use toolward_core::limits::{Reason, Refusal};
use toolward_document::DocumentError;

/// The domain of every ErrorInfo.
pub const DOMAIN: &str = "toolward";

/// Why a request cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The envelope is broken or larger than a limit of its content.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// The document is broken; the reason is the document's own.
    #[error("{}", .0.message)]
    Document(DocumentError),
    /// No toolset of this reference has been seen here.
    #[error("no toolset of this reference has been seen by this replica: send the tools inline once more")]
    ToolsetUnknown,
    /// No policy of this name is configured.
    #[error("no policy of this name is configured")]
    PolicyUnknown,
    /// An option has a value that does not exist.
    #[error("{0}")]
    OptionsInvalid(&'static str),
    /// The name of a session or tenant is longer than the limit.
    #[error("session_id and tenant may have at most {0} bytes")]
    SessionInvalid(usize),
    /// No such path on the HTTP port, or another method.
    #[error("no such path, or another method")]
    PathUnknown,
    /// The body is larger than the limit.
    #[error("the body is larger than {0} bytes")]
    BodyTooLarge(usize),
    /// More work than can be carried.
    #[error("too many checks are in flight; try again shortly")]
    Overloaded,
    /// The caller's deadline, or the service's own limit, has passed.
    #[error("the deadline has passed")]
    DeadlineExceeded,
    /// The caller went away; nobody reads this.
    #[error("the caller went away")]
    Cancelled,
    /// The service is about to stop.
    #[error("the service is stopping; use another replica")]
    Draining,
    /// A fault of ours.
    #[error("an internal error")]
    Internal,
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Reasons that are neither the core's nor the document's.
const OWN: [&str; 11] = [
    "TOOLSET_UNKNOWN",
    "POLICY_UNKNOWN",
    "OPTIONS_INVALID",
    "SESSION_INVALID",
    "PATH_UNKNOWN",
    "BODY_TOO_LARGE",
    "OVERLOADED",
    "DEADLINE_EXCEEDED",
    "DRAINING",
    "CANCELLED",
    "INTERNAL",
];

impl Error {
    /// Every reason there can be, each once: what metrics are labelled with.
    pub fn reasons() -> impl Iterator<Item = &'static str> {
        let documents = [
            DocumentError::NOT_JSON,
            DocumentError::INVALID,
            DocumentError::FIELD_UNKNOWN,
            DocumentError::FORMAT_UNKNOWN,
        ];
        Reason::ALL.into_iter().map(Reason::as_str).chain(documents).chain(OWN)
    }

    /// UPPER_SNAKE, the same in ErrorInfo and in documents.
    pub fn reason(&self) -> &str {
        match self {
            Error::Refused(refusal) => refusal.reason.as_str(),
            Error::Document(error) => error.reason,
            Error::ToolsetUnknown => "TOOLSET_UNKNOWN",
            Error::PolicyUnknown => "POLICY_UNKNOWN",
            Error::OptionsInvalid(_) => "OPTIONS_INVALID",
            Error::SessionInvalid(_) => "SESSION_INVALID",
            Error::PathUnknown => "PATH_UNKNOWN",
            Error::BodyTooLarge(_) => "BODY_TOO_LARGE",
            Error::Overloaded => "OVERLOADED",
            Error::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Error::Cancelled => "CANCELLED",
            Error::Draining => "DRAINING",
            Error::Internal => "INTERNAL",
        }
    }

    fn code(&self) -> Code {
        match self {
            Error::Refused(refusal) => match refusal.reason {
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
                | Reason::RequestEmpty => Code::InvalidArgument,
            },
            Error::Document(_) | Error::PolicyUnknown | Error::OptionsInvalid(_) | Error::SessionInvalid(_) => {
                Code::InvalidArgument
            }
            Error::ToolsetUnknown | Error::PathUnknown => Code::NotFound,
            Error::Cancelled => Code::Cancelled,
            Error::BodyTooLarge(_) | Error::Overloaded => Code::ResourceExhausted,
            Error::DeadlineExceeded => Code::DeadlineExceeded,
            Error::Draining => Code::Unavailable,
            Error::Internal => Code::Internal,
        }
    }

    /// The HTTP status of the same.
    pub fn http(&self) -> StatusCode {
        match self {
            Error::Refused(_)
            | Error::Document(_)
            | Error::PolicyUnknown
            | Error::OptionsInvalid(_)
            | Error::SessionInvalid(_)
            | Error::Cancelled => StatusCode::BAD_REQUEST,
            Error::ToolsetUnknown | Error::PathUnknown => StatusCode::NOT_FOUND,
            Error::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Error::Overloaded => StatusCode::TOO_MANY_REQUESTS,
            Error::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
            Error::Draining => StatusCode::SERVICE_UNAVAILABLE,
            Error::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        let details = ErrorDetails::with_error_info(error.reason(), DOMAIN, []);
        Status::with_error_details(error.code(), error.to_string(), details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_upper_snake_and_stands_once() {
        let mut reasons: Vec<&str> = Error::reasons().collect();
        let count = reasons.len();
        assert!(
            reasons
                .iter()
                .all(|reason| reason.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
        );
        reasons.sort_unstable();
        reasons.dedup();
        assert_eq!(reasons.len(), count);
    }

    #[test]
    fn every_error_has_a_reason_of_the_list() {
        let document = |reason| {
            Error::Document(DocumentError {
                reason,
                message: String::new(),
            })
        };
        let mut errors: Vec<Error> = Reason::ALL
            .into_iter()
            .map(|reason| Error::Refused(Refusal::new(reason, "")))
            .collect();
        errors.extend(
            [
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
            ]
            .map(document),
        );
        errors.extend([
            Error::ToolsetUnknown,
            Error::PolicyUnknown,
            Error::OptionsInvalid(""),
            Error::SessionInvalid(1),
            Error::PathUnknown,
            Error::BodyTooLarge(1),
            Error::Overloaded,
            Error::DeadlineExceeded,
            Error::Cancelled,
            Error::Draining,
            Error::Internal,
        ]);
        for error in errors {
            assert!(
                Error::reasons().any(|reason| reason == error.reason()),
                "{}",
                error.reason()
            );
        }
    }
}
