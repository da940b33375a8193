//! Stands before the unary calls of our services: lets only so many in, counted from their first byte, so that bodies
//! that are still arriving are bounded too. Streams pass and are admitted message by message; health and reflection
//! always pass.
//!
//! It also says in our words what tonic says on its own: a message above the limit.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tonic::{
    Code, Status,
    body::Body,
    codegen::http::{Request, Response},
};
use tower::{Layer, Service};

use crate::{
    error::Error,
    limits::Admission,
    telemetry::{Metrics, events::RefusalEvent},
};

/// The calls that the gate counts.
const UNARY: [&str; 2] = [
    "/toolward.v1.DefenseService/Check",
    "/toolward.v1.ToolService/RegisterTools",
];

/// Puts a [`Gate`] before a service.
#[derive(Debug, Clone)]
pub struct GateLayer {
    admission: Admission,
    metrics: Arc<Metrics>,
    max_message_bytes: usize,
}

/// The gate before a service.
#[derive(Debug, Clone)]
pub struct Gate<S> {
    inner: S,
    layer: GateLayer,
}

impl GateLayer {
    /// A gate over an admission.
    pub fn new(admission: Admission, metrics: Arc<Metrics>, max_message_bytes: usize) -> Self {
        Self {
            admission,
            metrics,
            max_message_bytes,
        }
    }

    fn refuse(&self, error: Error) -> Response<Body> {
        RefusalEvent { error: &error }.emit(&self.metrics);
        Status::from(error).into_http()
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        Gate {
            inner,
            layer: self.clone(),
        }
    }
}

impl<S> Service<Request<Body>> for Gate<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Send,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if !UNARY.contains(&request.uri().path()) {
            return Box::pin(self.inner.call(request));
        }
        let permit = match self.layer.admission.enter() {
            Ok(permit) => permit,
            Err(error) => {
                let refused = self.layer.refuse(error);
                return Box::pin(async move { Ok(refused) });
            }
        };
        let answer = self.inner.call(request);
        let layer = self.layer.clone();
        Box::pin(async move {
            let response = answer.await?;
            drop(permit);
            let too_large =
                Status::from_header_map(response.headers()).is_some_and(|status| is_too_large(status.code()));
            Ok(if too_large {
                layer.refuse(Error::BodyTooLarge(layer.max_message_bytes))
            } else {
                response
            })
        })
    }
}

/// Whether tonic's status says that a message was larger than the limit: none of ours has this code.
pub(super) fn is_too_large(code: Code) -> bool {
    code == Code::OutOfRange
}
