//! `ToolService`.

use std::sync::Arc;

use tonic::{Request, Response, Status};
use toolward_core::tools::Diagnostic;
use toolward_proto::v1::{self, tool_service_server::ToolService};

use crate::{
    chain::Chain,
    error::Error,
    limits::{Deadline, GRPC_TIMEOUT},
    telemetry::events::RefusalEvent,
};

/// The service.
#[derive(Debug, Clone)]
pub struct Tools {
    chain: Arc<Chain>,
}

impl Tools {
    /// The service over a chain.
    pub fn new(chain: Arc<Chain>) -> Self {
        Self { chain }
    }

    async fn register(&self, json: bytes::Bytes, deadline: Deadline) -> Result<v1::RegisterToolsResponse, Error> {
        let toolset = self.chain.toolsets.read(&json, deadline).await?;
        // Every schema is compiled for the diagnostics: too long for a thread that answers checks.
        let diagnosed = tokio::task::spawn_blocking(move || {
            let diagnostics = toolset.diagnose().into_iter().map(diagnostic).collect();
            (toolset, diagnostics)
        });
        let (toolset, diagnostics) = deadline.bound(diagnosed).await?.map_err(|_| Error::Internal)?;
        Ok(v1::RegisterToolsResponse {
            toolset_ref: toolset.reference().to_owned(),
            tool_count: u32::try_from(toolset.tools().len()).unwrap_or(u32::MAX),
            diagnostics,
        })
    }
}

#[tonic::async_trait]
impl ToolService for Tools {
    async fn register_tools(
        &self,
        request: Request<v1::RegisterToolsRequest>,
    ) -> Result<Response<v1::RegisterToolsResponse>, Status> {
        let header = request
            .metadata()
            .get(GRPC_TIMEOUT)
            .and_then(|header| header.to_str().ok());
        let deadline = self.chain.deadline(header);
        match self.register(request.into_inner().tools_json, deadline).await {
            Ok(registered) => Ok(Response::new(registered)),
            Err(error) => {
                RefusalEvent { error: &error }.emit(&self.chain.metrics);
                Err(error.into())
            }
        }
    }
}

fn diagnostic(found: Diagnostic) -> v1::ToolDiagnostic {
    v1::ToolDiagnostic {
        index: u32::try_from(found.index).unwrap_or(u32::MAX),
        tool: Some(found.tool).filter(|tool| !tool.is_empty()),
        code: found.code.as_str().to_owned(),
        message: found.message,
    }
}
