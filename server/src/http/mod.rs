//! The HTTP port: one check as a document, metrics, health.

mod body;
mod check;

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};

use crate::{chain::Chain, error::Error};

/// The routes.
pub fn router(chain: Arc<Chain>) -> Router {
    Router::new()
        .route("/v1/check", post(check::check))
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .method_not_allowed_fallback(unknown)
        .fallback(unknown)
        .with_state(chain)
}

async fn metrics(State(chain): State<Arc<Chain>>) -> Response {
    chain.metrics.sessions(chain.sessions.count());
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        chain.metrics.render(),
    )
        .into_response()
}

async fn ready(State(chain): State<Arc<Chain>>) -> Response {
    if chain.admission.is_closed() {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n").into_response()
    } else {
        "ready\n".into_response()
    }
}

async fn unknown(State(chain): State<Arc<Chain>>) -> Response {
    check::refused(&chain, None, &Error::PathUnknown)
}
