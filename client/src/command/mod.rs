//! The `toolward` command: options in, exit status out.

#[cfg(feature = "embedded")]
mod embedded;
mod human;
mod options;
mod output;
mod pipeline;
mod records;
mod service;
mod sessions;
mod summary;
mod toolsets;

use std::{
    io::{self, BufWriter, IsTerminal, Write},
    process::ExitCode,
};

use clap::Parser;
use tokio::sync::mpsc;
use toolward_client::{Client, ClientConfig};
use toolward_document::Decision;

use human::Painter;
use options::{Check, Command, Options};
use output::Output;
use pipeline::{Input, Pending};
use service::Service;
use summary::Summary;

const USAGE_OR_CONNECTION: u8 = 2;
const CALLS_STOPPED: u8 = 3;
const NOT_JUDGED: u8 = 4;

const WRITE_BUFFER: usize = 64 << 10;

/// Runs the command line.
pub(crate) fn main() -> ExitCode {
    let Command::Check(check) = Options::parse().command;
    match run(&check) {
        Ok(code) => code,
        Err(report) => {
            // Nobody is left to be told that standard error is gone.
            let _ = writeln!(io::stderr(), "toolward: {report}");
            ExitCode::from(USAGE_OR_CONNECTION)
        }
    }
}

fn run(check: &Check) -> Result<ExitCode, String> {
    let inputs = Input::open_all(&check.files)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no threads: {error}"))?;
    let code = runtime.block_on(answer_all(check, inputs));
    // What is still in flight has nobody to be answered to.
    runtime.shutdown_background();
    code
}

async fn answer_all(check: &Check, inputs: Vec<Input>) -> Result<ExitCode, String> {
    let (client, _running) = connect(check).await?;
    let terminal = io::stdout().is_terminal();
    let format = check.format(terminal);
    let painter = Painter {
        colored: check.colored(terminal),
    };
    let target = BufWriter::with_capacity(WRITE_BUFFER, io::stdout());
    // Answers that scroll by are progress enough.
    let mut output = Output::new(target, format, painter, !terminal);
    let answers = pipeline::start(inputs, Service::new(client, check.concurrency));
    match write_all(answers, &mut output).await {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(format!("standard output: {error}")),
    }
    match output.finish() {
        Ok(summary) => Ok(exit_code(check, summary)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(format!("standard output: {error}")),
    }
}

async fn write_all(mut answers: mpsc::Receiver<Pending>, output: &mut Output<impl Write>) -> io::Result<()> {
    loop {
        let pending = match answers.try_recv() {
            Ok(pending) => pending,
            Err(_) => {
                // Whoever waits for an answer before sending more gets it now.
                output.flush()?;
                match answers.recv().await {
                    Some(pending) => pending,
                    None => return Ok(()),
                }
            }
        };
        if !pending.is_ready() {
            output.flush()?;
        }
        output.answer(&pending.wait().await)?;
    }
}

fn exit_code(check: &Check, summary: &Summary) -> ExitCode {
    if check.strict && summary.ended(&[Decision::Unspecified]) > 0 {
        ExitCode::from(NOT_JUDGED)
    } else if check.strict && summary.ended(&[Decision::Retry, Decision::Fallback]) > 0 {
        ExitCode::from(CALLS_STOPPED)
    } else {
        ExitCode::SUCCESS
    }
}

fn config(check: &Check) -> ClientConfig {
    ClientConfig {
        deadline: check.deadline(),
        ..ClientConfig::default()
    }
}

#[cfg(feature = "embedded")]
async fn connect(check: &Check) -> Result<(Client, Option<embedded::Embedded>), String> {
    if !check.embedded {
        let client = Client::connect(check.addr.as_str(), config(check)).await;
        return client.map(|client| (client, None)).map_err(|error| error.to_string());
    }
    let running = embedded::Embedded::start(check.policy.as_deref()).await?;
    match Client::connect(running.endpoint(), config(check)).await {
        Ok(client) => Ok((client, Some(running))),
        Err(error) => Err(running.fault().await.unwrap_or_else(|| error.to_string())),
    }
}

#[cfg(not(feature = "embedded"))]
async fn connect(check: &Check) -> Result<(Client, Option<()>), String> {
    if check.embedded {
        return Err("this build has no embedded service (feature `embedded`)".to_owned());
    }
    let client = Client::connect(check.addr.as_str(), config(check)).await;
    client.map(|client| (client, None)).map_err(|error| error.to_string())
}
