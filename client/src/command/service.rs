//! Has one document judged: names become references, faults become answers.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;
use toolward_client::{Client, ClientError, v1};
use toolward_document::{Answer, Document, Tools};

use super::{sessions::Turn, toolsets::Toolset};

/// The reason with which the service asks for tools once more.
const TOOLSET_UNKNOWN: &str = "TOOLSET_UNKNOWN";

/// The service, and how much may be asked of it at once.
#[derive(Debug)]
pub(super) struct Service {
    client: Client,
    in_flight: Semaphore,
}

impl Service {
    pub(super) fn new(client: Client, concurrency: u16) -> Self {
        Self {
            client,
            in_flight: Semaphore::new(usize::from(concurrency)),
        }
    }

    /// The answer, and how long it took from the moment that the document could be sent.
    pub(super) async fn answer(
        &self,
        document: Document,
        toolset: Option<Arc<Toolset>>,
        mut turn: Turn,
    ) -> (Answer, Duration) {
        turn.come().await;
        // It is never closed, so there is always a permit to come.
        let _permit = self.in_flight.acquire().await;
        let id = document.id.clone();
        let began = Instant::now();
        let answer = match self.check(document, toolset).await {
            Ok(response) => Answer::from_response(response),
            Err(refused) => Answer::error(id, refused.reason(), refused.to_string()),
        };
        (answer, began.elapsed())
    }

    async fn check(
        &self,
        mut document: Document,
        toolset: Option<Arc<Toolset>>,
    ) -> Result<v1::CheckResponse, ClientError> {
        let Some(toolset) = toolset else {
            return self.client.check(request(document)?).await;
        };
        let inline = || Some(v1::check_request::Tools::ToolsJson(toolset.tools()));
        let Some(reference) = toolset.reference(&self.client).await else {
            let mut request = request(document)?;
            request.tools = inline();
            return self.client.check(request).await;
        };
        document.tools = Some(Tools::Named(reference.to_owned()));
        let mut request = request(document)?;
        match self.client.check(request.clone()).await {
            Err(refused) if refused.reason() == TOOLSET_UNKNOWN => {
                request.tools = inline();
                self.client.check(request).await
            }
            answered => answered,
        }
    }
}

fn request(document: Document) -> Result<v1::CheckRequest, ClientError> {
    document.into_request().map_err(|error| ClientError::Refused {
        code: tonic::Code::InvalidArgument,
        reason: error.reason.to_owned(),
        message: error.message,
    })
}
