//! `ToolService`.

use std::sync::Arc;

use tonic::{Request, Response, Status};
use toolward_core::tools::Diagnostic;
use toolward_proto::v1::{self, tool_service_server::ToolService};

use crate::{chain::Chain, error::Error, telemetry::RefusalEvent};

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
}

#[tonic::async_trait]
impl ToolService for Tools {
    async fn register_tools(
        &self,
        request: Request<v1::RegisterToolsRequest>,
    ) -> Result<Response<v1::RegisterToolsResponse>, Status> {
        let chain = Arc::clone(&self.chain);
        let json = request.into_inner().tools_json;
        // Every schema is compiled for the diagnostics: too long for a worker that answers checks.
        let registered = tokio::task::spawn_blocking(move || {
            let toolset = chain.toolsets.read(&json)?;
            let diagnostics = toolset.diagnose().into_iter().map(diagnostic).collect();
            Ok::<_, Error>((toolset, diagnostics))
        })
        .await
        .unwrap_or(Err(Error::Internal));
        match registered {
            Ok((toolset, diagnostics)) => Ok(Response::new(v1::RegisterToolsResponse {
                toolset_ref: toolset.reference().to_owned(),
                tool_count: u32::try_from(toolset.tools().len()).unwrap_or(u32::MAX),
                diagnostics,
            })),
            Err(error) => {
                RefusalEvent { reason: error.reason() }.emit(&self.chain.metrics);
                Err(error.into())
            }
        }
    }
}

fn diagnostic(found: Diagnostic) -> v1::ToolDiagnostic {
    v1::ToolDiagnostic {
        index: u32::try_from(found.index).unwrap_or(u32::MAX),
        tool: found.tool,
        code: found.code.to_string(),
        message: found.message,
    }
}
