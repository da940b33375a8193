//! The service inside this process, on a loopback port of its own.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
};

use tokio::{sync::oneshot, task::JoinHandle};
use toolward_server::{Listeners, RunError, config::Config, policies::Policies, run};

/// As much as the command reads of one document.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// A running service. Dropped: it ends.
pub(super) struct Embedded {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), RunError>>,
}

impl Embedded {
    /// Starts under a policy, else under the built-in one.
    pub(super) async fn start(policy: Option<&Path>) -> Result<Self, String> {
        let mut config = Config::default();
        let any_port = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        config.listen.grpc = any_port;
        config.listen.http = any_port;
        config.limits.max_message_bytes = MAX_MESSAGE_BYTES;
        config.policy.default = policy.map(Path::to_owned);
        // Read here first: every fault of the file is told before anything runs.
        Policies::load(&config.policy).map_err(|faults| faults.to_string())?;
        let listeners = Listeners::bind(&config).await.map_err(|error| error.to_string())?;
        let address = listeners.grpc.local_addr().map_err(|error| error.to_string())?;
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            // The sender's end is the word.
            let _over: Result<(), _> = stopped.await;
        };
        Ok(Self {
            address,
            _stop: stop,
            task: tokio::spawn(run(config, listeners, shutdown)),
        })
    }

    /// Where it listens.
    pub(super) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Why it is not running any more, where it is not.
    pub(super) async fn fault(self) -> Option<String> {
        if !self.task.is_finished() {
            return None;
        }
        match self.task.await {
            Ok(Err(error)) => Some(error.to_string()),
            Ok(Ok(())) => None,
            Err(error) => Some(error.to_string()),
        }
    }
}
