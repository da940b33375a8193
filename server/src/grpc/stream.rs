//! The answers of one `CheckStream`.
//!
//! The stream is driven by whoever reads the answers: requests are read only while fewer than the limit are in flight,
//! so HTTP/2's flow control bounds all of it, and nothing is queued in between. A request that is decided without a
//! wait is answered at once, without a task or an allocation of its own in the set of those that wait.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures::{Stream, stream::FuturesUnordered};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::{Status, Streaming};
use toolward_proto::v1;

use super::{convert::new_id, gate::is_too_large, guard};
use crate::{chain::Chain, error::Error, telemetry::events::RefusalEvent};

type Check = Pin<Box<dyn Future<Output = v1::CheckResponse> + Send>>;

/// What comes in.
enum Incoming {
    Open(Box<Streaming<v1::CheckRequest>>),
    /// Nothing more comes; the stream ends with this once all is answered.
    Closed(Option<Status>),
}

/// The answers of one stream, as they are ready.
pub struct Answers {
    chain: Arc<Chain>,
    incoming: Incoming,
    draining: Pin<Box<WaitForCancellationFutureOwned>>,
    running: FuturesUnordered<Check>,
    limit: usize,
}

impl Answers {
    /// Answers to a stream of requests, so many of which are worked on at once.
    pub fn new(chain: Arc<Chain>, requests: Streaming<v1::CheckRequest>, limit: usize) -> Self {
        let draining = Box::pin(chain.admission.draining().clone().cancelled_owned());
        Self {
            chain,
            incoming: Incoming::Open(Box::new(requests)),
            draining,
            running: FuturesUnordered::new(),
            limit,
        }
    }

    /// The next request, where there is room for it and one is there.
    fn poll_request(&mut self, cx: &mut Context<'_>) -> Poll<Option<v1::CheckRequest>> {
        let Incoming::Open(requests) = &mut self.incoming else {
            return Poll::Ready(None);
        };
        match Pin::new(requests.as_mut()).poll_next(cx) {
            Poll::Pending => {
                if self.draining.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                self.incoming = Incoming::Closed(Some(Error::Draining.into()));
                Poll::Ready(None)
            }
            Poll::Ready(Some(Ok(request))) => Poll::Ready(Some(request)),
            Poll::Ready(Some(Err(status))) => {
                let status = if is_too_large(status.code()) {
                    let error = Error::BodyTooLarge(self.chain.max_message_bytes);
                    RefusalEvent { error: &error }.emit(&self.chain.metrics);
                    error.into()
                } else {
                    status
                };
                self.incoming = Incoming::Closed(Some(status));
                Poll::Ready(None)
            }
            Poll::Ready(None) => {
                self.incoming = Incoming::Closed(None);
                Poll::Ready(None)
            }
        }
    }

    /// Begins a check. Its place in its session is taken here, in the order of the requests.
    fn begin(&self, request: v1::CheckRequest) -> Check {
        let chain = Arc::clone(&self.chain);
        let queued = chain
            .admission
            .enter()
            .and_then(|permit| Ok((permit, chain.queue(&request)?)));
        Box::pin(async move {
            let answer = match queued {
                Ok((_permit, place)) => {
                    let deadline = chain.deadline(None);
                    guard::contain(&chain.metrics, chain.check(&request, place, deadline)).await
                }
                Err(error) => {
                    RefusalEvent { error: &error }.emit(&chain.metrics);
                    Err(error)
                }
            };
            answer.unwrap_or_else(|error| refused(request.request_id, &error))
        })
    }
}

impl Stream for Answers {
    type Item = Result<v1::CheckResponse, Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Poll::Ready(Some(answer)) = Pin::new(&mut this.running).poll_next(cx) {
            return Poll::Ready(Some(Ok(answer)));
        }
        while this.running.len() < this.limit {
            match this.poll_request(cx) {
                Poll::Ready(Some(request)) => {
                    let mut check = this.begin(request);
                    if let Poll::Ready(answer) = check.as_mut().poll(cx) {
                        return Poll::Ready(Some(Ok(answer)));
                    }
                    this.running.push(check);
                    // The set must see the new one to wake for it.
                    if let Poll::Ready(Some(answer)) = Pin::new(&mut this.running).poll_next(cx) {
                        return Poll::Ready(Some(Ok(answer)));
                    }
                }
                Poll::Ready(None) => break,
                Poll::Pending => return Poll::Pending,
            }
        }
        match &mut this.incoming {
            Incoming::Closed(end) if this.running.is_empty() => Poll::Ready(end.take().map(Err)),
            Incoming::Closed(_) | Incoming::Open(_) => Poll::Pending,
        }
    }
}

fn refused(request_id: Option<String>, error: &Error) -> v1::CheckResponse {
    v1::CheckResponse {
        request_id: request_id.filter(|id| !id.is_empty()).unwrap_or_else(new_id),
        error: Some(v1::CheckError {
            reason: error.reason().to_owned(),
            message: error.to_string(),
        }),
        ..v1::CheckResponse::default()
    }
}
