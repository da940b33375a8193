//! The HTTP port: one check as a document, metrics, health.

mod check;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};

use crate::chain::Chain;

/// What the handlers share.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Judges.
    pub chain: Arc<Chain>,
    /// Whether new work is taken.
    pub ready: Arc<AtomicBool>,
    /// Bytes of a body.
    pub max_body_bytes: usize,
}

/// The routes.
pub fn router(shared: Shared) -> Router {
    Router::new()
        .route("/v1/check", post(check::check))
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(shared)
}

async fn metrics(State(shared): State<Shared>) -> Response {
    shared.chain.toolsets.measure();
    shared.chain.sessions.measure();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], shared.chain.metrics.render()).into_response()
}

async fn ready(State(shared): State<Shared>) -> Response {
    if shared.ready.load(Ordering::Relaxed) {
        "ready\n".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "draining\n").into_response()
    }
}
