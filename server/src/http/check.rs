//! `POST /v1/check`: a check document in, its answer out. A request that cannot be judged is answered in the same shape,
//! with the HTTP status of its reason.

use axum::{
    body::{Body, to_bytes},
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use toolward_document::{Answer, Document};

use super::Shared;
use crate::{error::Error, grpc::guard, telemetry::RefusalEvent};

/// Judges one document.
pub async fn check(State(shared): State<Shared>, body: Body) -> Response {
    let Ok(bytes) = to_bytes(body, shared.max_body_bytes).await else {
        return refused(&shared, None, Error::BodyTooLarge(shared.max_body_bytes));
    };
    let document = match Document::from_slice(&bytes) {
        Ok(document) => document,
        Err(error) => return refused(&shared, None, Error::Document(error)),
    };
    let id = document.id.clone();
    let request = match document.into_request() {
        Ok(request) => request,
        Err(error) => return refused(&shared, id, Error::Document(error)),
    };
    match guard::contain(&shared.chain.metrics, shared.chain.check(request)).await {
        Ok(answer) => document_response(StatusCode::OK, &Answer::from_response(answer)),
        Err(error) => answered(id, &error),
    }
}

/// A refusal that the chain has not counted.
fn refused(shared: &Shared, id: Option<String>, error: Error) -> Response {
    RefusalEvent { reason: error.reason() }.emit(&shared.chain.metrics);
    answered(id, &error)
}

fn answered(id: Option<String>, error: &Error) -> Response {
    document_response(error.http(), &Answer::error(id, error.reason(), error.to_string()))
}

fn document_response(status: StatusCode, answer: &Answer) -> Response {
    match answer.to_line() {
        Ok(line) => (status, [(header::CONTENT_TYPE, "application/json")], line).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
