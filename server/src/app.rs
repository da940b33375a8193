//! The only wiring: configuration and listeners in, a running service out.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use futures::FutureExt;
use tokio::{net::TcpListener, sync::watch, task::JoinSet};
use tonic::transport::{Server, server::TcpIncoming};
use toolward_proto::v1::{defense_service_server::DefenseServiceServer, tool_service_server::ToolServiceServer};

use crate::{
    chain::Chain,
    config::Config,
    grpc::{Defense, GateLayer, Tools},
    http,
    judge::{Judge, JudgeFault},
    limits::Admission,
    policies::{Policies, PolicyFaults},
    session::Sessions,
    telemetry::Metrics,
    toolsets::Toolsets,
};

/// How often histograms are folded, so that samples do not pile up between scrapes.
const UPKEEP: Duration = Duration::from_secs(2);

/// How often a silent connection is asked whether it is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// How long answers to what was given up may take to reach their callers.
const FLUSH: Duration = Duration::from_millis(500);

/// Open calls on one HTTP/2 connection.
const MAX_CONNECTION_STREAMS: u32 = 1_024;

/// The sockets, bound by the caller.
#[derive(Debug)]
pub struct Listeners {
    /// gRPC.
    pub grpc: TcpListener,
    /// HTTP.
    pub http: TcpListener,
}

impl Listeners {
    /// Binds what the configuration says.
    ///
    /// # Errors
    /// Which key names an address that cannot be had, and why.
    pub async fn bind(config: &Config) -> Result<Self, RunError> {
        Ok(Self {
            grpc: bind("listen.grpc", config.listen.grpc).await?,
            http: bind("listen.http", config.listen.http).await?,
        })
    }
}

async fn bind(key: &'static str, address: SocketAddr) -> Result<TcpListener, RunError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| RunError::Bind { key, address, source })
}

/// Why the service does not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An address cannot be had.
    #[error("cannot listen on {address} ({key}): {source}")]
    Bind {
        /// The configuration's key.
        key: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// A policy file cannot be used.
    #[error(transparent)]
    Policies(#[from] PolicyFaults),
    /// The judge cannot be set up.
    #[error(transparent)]
    Judge(#[from] JudgeFault),
    /// The metrics cannot be set up.
    #[error("the metrics cannot be set up: {0}")]
    Metrics(#[from] metrics_exporter_prometheus::BuildError),
    /// The gRPC server failed.
    #[error("the gRPC server failed: {0}")]
    Grpc(#[from] tonic::transport::Error),
    /// The HTTP server failed.
    #[error("the HTTP server failed: {0}")]
    Http(std::io::Error),
    /// Reflection cannot be set up.
    #[error("reflection cannot be set up: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Runs until `shutdown` ends, then drains: health and readiness say so first, what is in flight is answered, streams
/// are told to go elsewhere, and after `limits.drain_ms` the rest is given up and told so.
///
/// # Errors
/// A [`RunError`] where it cannot start or a server fails.
pub async fn run(config: Config, listeners: Listeners, shutdown: impl Future) -> Result<(), RunError> {
    // The judge's client needs a provider; another one of the process's own is as good.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let chain = Arc::new(build(&config)?);
    let (stop, stopping) = watch::channel(false);
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<DefenseServiceServer<Defense>>().await;
    health.set_serving::<ToolServiceServer<Tools>>().await;
    let mut servers: JoinSet<Result<(), RunError>> = JoinSet::new();
    let max = config.limits.max_message_bytes;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(toolward_proto::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let defense = Defense::new(Arc::clone(&chain), config.limits.max_stream_in_flight);
    let grpc = Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE))
        .max_concurrent_streams(Some(MAX_CONNECTION_STREAMS))
        .layer(GateLayer::new(chain.admission.clone(), Arc::clone(&chain.metrics), max))
        .add_service(health_service)
        .add_service(reflection)
        .add_service(DefenseServiceServer::new(defense).max_decoding_message_size(max))
        .add_service(ToolServiceServer::new(Tools::new(Arc::clone(&chain))).max_decoding_message_size(max));
    let incoming = TcpIncoming::from(listeners.grpc).with_nodelay(Some(true));
    servers.spawn(
        grpc.serve_with_incoming_shutdown(incoming, stopped(stopping.clone()))
            .map(|ended| Ok(ended?)),
    );
    let http = axum::serve(listeners.http, http::router(Arc::clone(&chain))).with_graceful_shutdown(stopped(stopping));
    servers.spawn(async move { http.await.map_err(RunError::Http) });
    let upkeep = tokio::spawn(upkeep(Arc::clone(&chain)));
    tracing::info!("serving");
    let failed = tokio::select! {
        ended = servers.join_next() => first_failure(ended),
        _ = shutdown => None,
    };
    health.set_not_serving::<DefenseServiceServer<Defense>>().await;
    health.set_not_serving::<ToolServiceServer<Tools>>().await;
    chain.admission.close();
    let _nobody_listens = stop.send(true);
    tracing::info!("draining");
    let drained = tokio::time::timeout(Duration::from_millis(config.limits.drain_ms), drain(&mut servers)).await;
    let ended = match drained {
        Ok(result) => result,
        Err(_) => {
            tracing::warn!("what was in flight after the drain time is given up");
            chain.admission.abandon();
            tokio::time::timeout(FLUSH, drain(&mut servers)).await.unwrap_or(Ok(()))
        }
    };
    upkeep.abort();
    match failed {
        Some(error) => Err(error),
        None => ended,
    }
}

fn build(config: &Config) -> Result<Chain, RunError> {
    let metrics = Arc::new(Metrics::new()?);
    Ok(Chain {
        limits: config.limits.core,
        policies: Policies::load(&config.policy)?,
        toolsets: Toolsets::new(&config.toolsets, config.limits.core, Arc::clone(&metrics)),
        sessions: Sessions::new(&config.sessions),
        judge: Judge::new(&config.judge, &metrics)?,
        admission: Admission::new(config.limits.max_in_flight, Arc::clone(&metrics)),
        max_message_bytes: config.limits.max_message_bytes,
        timeout: Duration::from_millis(config.limits.request_timeout_ms),
        metrics,
    })
}

async fn upkeep(chain: Arc<Chain>) {
    let mut tick = tokio::time::interval(UPKEEP);
    loop {
        tick.tick().await;
        chain.metrics.run_upkeep();
    }
}

async fn stopped(mut stopping: watch::Receiver<bool>) {
    // An error means that the sender is gone: then it is over as well.
    let _over = stopping.wait_for(|stop| *stop).await;
}

fn first_failure(ended: Option<Result<Result<(), RunError>, tokio::task::JoinError>>) -> Option<RunError> {
    match ended {
        Some(Ok(Err(error))) => Some(error),
        Some(Ok(Ok(())) | Err(_)) | None => None,
    }
}

async fn drain(servers: &mut JoinSet<Result<(), RunError>>) -> Result<(), RunError> {
    while let Some(ended) = servers.join_next().await {
        if let Some(error) = first_failure(Some(ended)) {
            return Err(error);
        }
    }
    Ok(())
}
