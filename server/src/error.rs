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
    /// The body is larger than the limit.
    #[error("the body is larger than {0} bytes")]
    BodyTooLarge(usize),
    /// More work than can be carried.
    #[error("too many checks are in flight; try again shortly")]
    Overloaded,
    /// The caller's deadline, or the service's own limit, has passed.
    #[error("the deadline has passed")]
    DeadlineExceeded,
    /// The service is about to stop.
    #[error("the service is stopping")]
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

impl Error {
    /// UPPER_SNAKE, the same in ErrorInfo and in documents.
    pub fn reason(&self) -> &str {
        match self {
            Error::Refused(refusal) => refusal.reason.as_str(),
            Error::Document(error) => error.reason,
            Error::ToolsetUnknown => "TOOLSET_UNKNOWN",
            Error::PolicyUnknown => "POLICY_UNKNOWN",
            Error::OptionsInvalid(_) => "OPTIONS_INVALID",
            Error::BodyTooLarge(_) => "BODY_TOO_LARGE",
            Error::Overloaded => "OVERLOADED",
            Error::DeadlineExceeded => "DEADLINE_EXCEEDED",
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
            Error::Document(_) | Error::PolicyUnknown | Error::OptionsInvalid(_) => Code::InvalidArgument,
            Error::ToolsetUnknown => Code::NotFound,
            Error::BodyTooLarge(_) | Error::Overloaded => Code::ResourceExhausted,
            Error::DeadlineExceeded => Code::DeadlineExceeded,
            Error::Draining => Code::Unavailable,
            Error::Internal => Code::Internal,
        }
    }

    /// The HTTP status of the same.
    pub fn http(&self) -> StatusCode {
        match self {
            Error::Refused(_) | Error::Document(_) | Error::PolicyUnknown | Error::OptionsInvalid(_) => {
                StatusCode::BAD_REQUEST
            }
            Error::ToolsetUnknown => StatusCode::NOT_FOUND,
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
