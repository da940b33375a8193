//! `toolward-server`: reads its configuration, binds, serves until SIGTERM or Ctrl-C.

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use toolward_server::{Listeners, config::Config, policies::Policies, run, telemetry};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Judges the tool calls of language models, over gRPC and HTTP.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Configuration file (TOML). Without one, the defaults hold. TOOLWARD__SECTION__KEY overrides a key.
    #[arg(long)]
    config: Option<PathBuf>,
    /// Check the configuration and its policies, print every fault, and end.
    #[arg(long)]
    check_config: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    match serve(&options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => {
            #[expect(
                clippy::print_stderr,
                reason = "before there is a log, this is where the operator looks"
            )]
            {
                eprintln!("{report}");
            }
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: &Options) -> Result<(), String> {
    let config = Config::load(options.config.as_deref(), std::env::vars()).map_err(|faults| faults.to_string())?;
    telemetry::log::install(&config.log);
    if options.check_config {
        Policies::load(&config.policy).map_err(|faults| faults.to_string())?;
        tracing::info!("the configuration is sound");
        return Ok(());
    }
    telemetry::log::install_panic_hook();
    let listeners = Listeners::bind(&config).await.map_err(|error| error.to_string())?;
    tracing::info!(grpc = %config.listen.grpc, http = %config.listen.http, "listening");
    run(config, listeners, terminated())
        .await
        .map_err(|error| error.to_string())
}

/// Ends with SIGTERM or Ctrl-C.
async fn terminated() {
    let interrupt = tokio::signal::ctrl_c();
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = interrupt.await;
        }
    }
}
