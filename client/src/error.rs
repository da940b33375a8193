//! Why a call has no answer.

use std::{error::Error, time::Duration};

use tonic::{Code, Status};
use tonic_types::StatusExt;

/// A call that could not be made, or was refused.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The endpoint is not one.
    #[error("`{endpoint}` is not an endpoint like http://127.0.0.1:50051: {message}")]
    Endpoint {
        /// As given.
        endpoint: String,
        /// What is wrong with it.
        message: String,
    },
    /// Nobody answers there.
    #[error("no connection to {endpoint}: {message}")]
    Connect {
        /// As given.
        endpoint: String,
        /// The innermost cause.
        message: String,
    },
    /// The deadline passed.
    #[error("no answer within {} ms", .0.as_millis())]
    Deadline(Duration),
    /// The service could not judge.
    #[error("{message}")]
    Refused {
        /// gRPC's code.
        code: Code,
        /// UPPER_SNAKE: the ErrorInfo's reason, else the name of the code.
        reason: String,
        /// The service's sentence.
        message: String,
    },
}

impl ClientError {
    /// UPPER_SNAKE: why, for programs.
    pub fn reason(&self) -> &str {
        match self {
            ClientError::Endpoint { .. } => "ENDPOINT_INVALID",
            ClientError::Connect { .. } => "UNAVAILABLE",
            ClientError::Deadline(_) => "DEADLINE_EXCEEDED",
            ClientError::Refused { reason, .. } => reason,
        }
    }

    pub(crate) fn refused(status: &Status) -> Self {
        let reason = status.get_details_error_info().map(|info| info.reason);
        let message = match status.source() {
            Some(source) if status.message().is_empty() => innermost(source),
            Some(_) | None => status.message().to_owned(),
        };
        ClientError::Refused {
            code: status.code(),
            reason: reason.unwrap_or_else(|| name(status.code()).to_owned()),
            message,
        }
    }

    pub(crate) fn connect(endpoint: &str, cause: &dyn Error) -> Self {
        ClientError::Connect {
            endpoint: endpoint.to_owned(),
            message: innermost(cause),
        }
    }
}

/// Transport errors say "transport error"; what happened stands in their source.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
