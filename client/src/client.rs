//! The client: one connection, shared by its clones.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::{
    Code, Request, Response, Status,
    transport::{Channel, Endpoint},
};
use toolward_proto::v1::{
    CheckRequest, CheckResponse, RegisterToolsRequest, RegisterToolsResponse,
    defense_service_client::DefenseServiceClient, tool_service_client::ToolServiceClient,
};

use crate::{backoff::Backoff, error::ClientError};

/// Room for whole conversations in flight: HTTP/2's own 64 KiB make every large check wait for the other side.
const CONNECTION_WINDOW: u32 = 8 << 20;
const STREAM_WINDOW: u32 = 1 << 20;

/// How a client calls.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// For one call, its retries included. The service is told (`grpc-timeout`).
    pub deadline: Duration,
    /// For making the connection.
    pub connect_timeout: Duration,
    /// Attempts at one call. Only `UNAVAILABLE` is tried again.
    pub max_attempts: u32,
    /// The longest wait before the second attempt; it doubles from there. Half of each wait is chance.
    pub backoff: Duration,
    /// The longest wait before any attempt.
    pub max_backoff: Duration,
    /// Bytes of one message, sent or received.
    pub max_message_bytes: usize,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            max_attempts: 4,
            backoff: Duration::from_millis(50),
            max_backoff: Duration::from_secs(2),
            max_message_bytes: 64 << 20,
        }
    }
}

/// A connection to the service. Clones share it.
#[derive(Debug, Clone)]
pub struct Client {
    defense: DefenseServiceClient<Channel>,
    tools: ToolServiceClient<Channel>,
    config: ClientConfig,
}

impl Client {
    /// Connects to an `http://host:port`.
    ///
    /// # Errors
    /// [`ClientError::Endpoint`] where it is no such address, [`ClientError::Connect`] where nobody answers.
    pub async fn connect(endpoint: impl Into<String>, config: ClientConfig) -> Result<Self, ClientError> {
        let endpoint = endpoint.into();
        let invalid = |message: String| ClientError::Endpoint {
            endpoint: endpoint.clone(),
            message,
        };
        let address = Endpoint::from_shared(endpoint.clone()).map_err(|error| invalid(error.to_string()))?;
        if address.uri().scheme_str() != Some("http") {
            return Err(invalid("it must begin with http://".to_owned()));
        }
        let channel = address
            .connect_timeout(config.connect_timeout)
            .tcp_nodelay(true)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_stream_window_size(STREAM_WINDOW)
            .connect()
            .await
            .map_err(|error| ClientError::connect(&endpoint, &error))?;
        Ok(Self::on(channel, config))
    }

    /// A client on a channel that the caller has made.
    pub fn on(channel: Channel, config: ClientConfig) -> Self {
        let max = config.max_message_bytes;
        Self {
            defense: DefenseServiceClient::new(channel.clone())
                .max_decoding_message_size(max)
                .max_encoding_message_size(max),
            tools: ToolServiceClient::new(channel)
                .max_decoding_message_size(max)
                .max_encoding_message_size(max),
            config,
        }
    }

    /// Has one assistant turn judged.
    ///
    /// # Errors
    /// The service could not judge, or not in time. A bad call is no error: it is a decision.
    pub async fn check(&self, request: CheckRequest) -> Result<CheckResponse, ClientError> {
        self.call(request, |request| {
            let mut defense = self.defense.clone();
            async move { defense.check(request).await }
        })
        .await
    }

    /// Has a toolset compiled, to be named by its reference in later requests. `tools_json` is a JSON array.
    ///
    /// # Errors
    /// The tools cannot be read or are too many, or the service does not answer.
    pub async fn register_tools(&self, tools_json: Bytes) -> Result<RegisterToolsResponse, ClientError> {
        self.call(RegisterToolsRequest { tools_json }, |request| {
            let mut tools = self.tools.clone();
            async move { tools.register_tools(request).await }
        })
        .await
    }

    async fn call<M, T, F>(&self, message: M, send: impl Fn(Request<M>) -> F) -> Result<T, ClientError>
    where
        M: Clone,
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let late = || ClientError::Deadline(self.config.deadline);
        let deadline = Instant::now() + self.config.deadline;
        let mut backoff = Backoff::new(self.config.backoff, self.config.max_backoff);
        let mut attempt = 1;
        loop {
            let mut request = Request::new(message.clone());
            request.set_timeout(deadline.saturating_duration_since(Instant::now()));
            let status = match timeout_at(deadline, send(request)).await {
                Ok(Ok(response)) => return Ok(response.into_inner()),
                Ok(Err(status)) => status,
                Err(_) => return Err(late()),
            };
            // Our own timer sees the same deadline; which of the two is first is chance.
            if Instant::now() >= deadline && matches!(status.code(), Code::Cancelled | Code::DeadlineExceeded) {
                return Err(late());
            }
            let wait = backoff.wait();
            let again = status.code() == Code::Unavailable && attempt < self.config.max_attempts;
            if !again || Instant::now() + wait >= deadline {
                return Err(ClientError::refused(&status));
            }
            sleep(wait).await;
            attempt += 1;
        }
    }
}
