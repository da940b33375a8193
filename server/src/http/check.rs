//! `POST /v1/check`: a check document in, its answer out. A request that cannot be judged is answered in the same shape,
//! with the HTTP status of its reason.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use toolward_document::{Answer, Document};

use super::body;
use crate::{chain::Chain, error::Error, grpc::guard, telemetry::events::RefusalEvent};

/// Judges one document.
pub async fn check(State(chain): State<Arc<Chain>>, headers: HeaderMap, sent: Body) -> Response {
    // Admitted before the body is read, so that bodies that are arriving are bounded too.
    let _permit = match chain.admission.enter() {
        Ok(permit) => permit,
        Err(error) => return refused(&chain, None, &error),
    };
    let deadline = chain.deadline(None);
    let bytes = match deadline
        .bound(body::read(&headers, sent, chain.max_message_bytes))
        .await
    {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) | Err(error) => return refused(&chain, None, &error),
    };
    let document = match Document::from_slice(&bytes) {
        Ok(document) => document,
        Err(error) => return refused(&chain, None, &Error::Document(error)),
    };
    let id = document.id.clone();
    let request = match document.into_request() {
        Ok(request) => request,
        Err(error) => return refused(&chain, id, &Error::Document(error)),
    };
    let place = match chain.queue(&request) {
        Ok(place) => place,
        Err(error) => return refused(&chain, id, &error),
    };
    match guard::contain(&chain.metrics, chain.check(&request, place, deadline)).await {
        Ok(answer) => respond(StatusCode::OK, &Answer::from_response(answer)),
        Err(error) => answered(id, &error),
    }
}

/// A refusal that the chain has not counted.
pub(super) fn refused(chain: &Chain, id: Option<String>, error: &Error) -> Response {
    RefusalEvent { error }.emit(&chain.metrics);
    answered(id, error)
}

fn answered(id: Option<String>, error: &Error) -> Response {
    respond(error.http(), &Answer::error(id, error.reason(), error.to_string()))
}

fn respond(status: StatusCode, answer: &Answer) -> Response {
    match answer.to_line() {
        Ok(line) => (status, [(header::CONTENT_TYPE, "application/json")], line).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
