//! `DefenseService`.

use std::{collections::HashMap, pin::Pin, sync::Arc};

use futures::{FutureExt, Stream, StreamExt, future::Shared, stream::FuturesUnordered};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use toolward_proto::v1::{self, defense_service_server::DefenseService};

use super::convert::new_id;
use crate::{chain::Chain, error::Error, grpc::guard};

/// The service.
#[derive(Debug, Clone)]
pub struct Defense {
    chain: Arc<Chain>,
    max_stream_in_flight: usize,
}

type Answers = Pin<Box<dyn Stream<Item = Result<v1::CheckResponse, Status>> + Send>>;

/// Ends when the request before it in the same session has been answered.
type Turnstile = Shared<oneshot::Receiver<()>>;

impl Defense {
    /// The service over a chain; so many checks of one stream are worked on at once.
    pub fn new(chain: Arc<Chain>, max_stream_in_flight: usize) -> Self {
        Self { chain, max_stream_in_flight: max_stream_in_flight.max(1) }
    }
}

#[tonic::async_trait]
impl DefenseService for Defense {
    async fn check(&self, request: Request<v1::CheckRequest>) -> Result<Response<v1::CheckResponse>, Status> {
        let answer = guard::contain(&self.chain.metrics, self.chain.check(request.into_inner())).await?;
        Ok(Response::new(answer))
    }

    type CheckStreamStream = Answers;

    async fn check_stream(
        &self,
        request: Request<Streaming<v1::CheckRequest>>,
    ) -> Result<Response<Self::CheckStreamStream>, Status> {
        let (sender, receiver) = mpsc::channel(self.max_stream_in_flight);
        let chain = Arc::clone(&self.chain);
        tokio::spawn(serve(chain, request.into_inner(), sender, self.max_stream_in_flight));
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }
}

/// Reads requests while fewer than `limit` are in flight, answers each as it is done, and ends when the caller has
/// closed its side and all is answered, or when nobody listens any more.
async fn serve(
    chain: Arc<Chain>,
    mut requests: Streaming<v1::CheckRequest>,
    answers: mpsc::Sender<Result<v1::CheckResponse, Status>>,
    limit: usize,
) {
    let mut running = FuturesUnordered::new();
    let mut open = true;
    let mut sessions: HashMap<(String, String), Turnstile> = HashMap::new();
    while open || !running.is_empty() {
        tokio::select! {
            biased;
            Some(answer) = running.next(), if !running.is_empty() => {
                if answers.send(Ok(answer)).await.is_err() {
                    return;
                }
                if running.is_empty() {
                    sessions.clear();
                }
            }
            request = requests.next(), if open && running.len() < limit => match request {
                Some(Ok(request)) => running.push(one(Arc::clone(&chain), turnstile(&mut sessions, &request), request)),
                Some(Err(status)) => {
                    // The stream itself is broken: what is in flight is still answered.
                    let _ = answers.send(Err(status)).await;
                    open = false;
                }
                None => open = false,
            },
        }
    }
}

/// A place in the queue of the request's session: what to wait for, and what to open when done.
fn turnstile(
    sessions: &mut HashMap<(String, String), Turnstile>,
    request: &v1::CheckRequest,
) -> Option<(Option<Turnstile>, oneshot::Sender<()>)> {
    let id = request.session_id.clone().filter(|id| !id.is_empty())?;
    let (done, wait) = oneshot::channel();
    let before = sessions.insert((request.tenant.clone().unwrap_or_default(), id), wait.shared());
    Some((before, done))
}

async fn one(
    chain: Arc<Chain>,
    queue: Option<(Option<Turnstile>, oneshot::Sender<()>)>,
    request: v1::CheckRequest,
) -> v1::CheckResponse {
    let _done = match queue {
        Some((before, done)) => {
            if let Some(before) = before {
                // Dropping the sender opens the turnstile too: a request before us that failed is done.
                let _ = before.await;
            }
            Some(done)
        }
        None => None,
    };
    let request_id = request.request_id.clone();
    match guard::contain(&chain.metrics, chain.check(request)).await {
        Ok(answer) => answer,
        Err(error) => refused(request_id, &error),
    }
}

fn refused(request_id: Option<String>, error: &Error) -> v1::CheckResponse {
    v1::CheckResponse {
        request_id: request_id.filter(|id| !id.is_empty()).unwrap_or_else(new_id),
        error: Some(v1::CheckError { reason: error.reason().to_owned(), message: error.to_string() }),
        ..v1::CheckResponse::default()
    }
}
