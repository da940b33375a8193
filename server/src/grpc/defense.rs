//! `DefenseService`.

use std::sync::Arc;

use tonic::{Request, Response, Status, Streaming, metadata::MetadataMap};
use toolward_proto::v1::{self, defense_service_server::DefenseService};

use super::stream::Answers;
use crate::{chain::Chain, grpc::guard, limits::GRPC_TIMEOUT, telemetry::events::RefusalEvent};

/// The service.
#[derive(Debug, Clone)]
pub struct Defense {
    chain: Arc<Chain>,
    max_stream_in_flight: usize,
}

impl Defense {
    /// The service over a chain; so many checks of one stream are worked on at once.
    pub fn new(chain: Arc<Chain>, max_stream_in_flight: usize) -> Self {
        Self {
            chain,
            max_stream_in_flight: max_stream_in_flight.max(1),
        }
    }
}

#[tonic::async_trait]
impl DefenseService for Defense {
    // Admitted by the gate that stands before all unary calls.
    async fn check(&self, request: Request<v1::CheckRequest>) -> Result<Response<v1::CheckResponse>, Status> {
        let deadline = self.chain.deadline(timeout(request.metadata()));
        let request = request.into_inner();
        let place = self
            .chain
            .queue(&request)
            .inspect_err(|error| RefusalEvent { error }.emit(&self.chain.metrics))?;
        let answer = guard::contain(&self.chain.metrics, self.chain.check(&request, place, deadline)).await?;
        Ok(Response::new(answer))
    }

    type CheckStreamStream = Answers;

    async fn check_stream(
        &self,
        request: Request<Streaming<v1::CheckRequest>>,
    ) -> Result<Response<Self::CheckStreamStream>, Status> {
        let answers = Answers::new(Arc::clone(&self.chain), request.into_inner(), self.max_stream_in_flight);
        Ok(Response::new(answers))
    }
}

/// The header as text; one that is none counts as absent.
fn timeout(metadata: &MetadataMap) -> Option<&str> {
    metadata.get(GRPC_TIMEOUT)?.to_str().ok()
}
