//! What the command line says.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Has the tool calls of language models judged.
#[derive(Debug, Parser)]
#[command(name = "toolward", version, disable_help_subcommand = true)]
pub(super) struct Options {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Has check documents judged and prints the answers in the order of the input.
    #[command(after_help = EXIT_CODES)]
    Check(Check),
}

const EXIT_CODES: &str = "\
Input: JSON Lines, one pretty-printed document, or an array of documents. A line {\"toolset\": NAME, \"tools\": [...]}
declares tools that later documents name. A document that cannot be read or judged gets an answer with the decision
`error`; the run goes on. Documents of one session are judged one after the other.

Exit status:
  0  every document was answered
  2  wrong usage, an input that cannot be opened, or no connection
  3  with --strict: a decision is retry or fallback
  4  with --strict: a decision is error";

#[derive(Debug, Args)]
pub(super) struct Check {
    /// Files of check documents; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The service's gRPC address.
    #[arg(
        long,
        value_name = "URL",
        env = "TOOLWARD_ADDR",
        default_value = "http://127.0.0.1:50051"
    )]
    pub(super) addr: String,
    /// Run the service inside this process instead of connecting to one.
    #[arg(long)]
    pub(super) embedded: bool,
    /// Policy file of the embedded service.
    #[arg(long, value_name = "FILE", requires = "embedded")]
    pub(super) policy: Option<PathBuf>,
    /// How answers are written. Default: human on a terminal, jsonl otherwise.
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// Colours of the human format; `auto` honours NO_COLOR.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
    /// Checks in flight at once.
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) concurrency: u16,
    /// Milliseconds for one check, its retries included.
    #[arg(long, value_name = "MS", default_value = "30000", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub(super) deadline_ms: u64,
    /// Tell by the exit status whether every document passed or was repaired.
    #[arg(long)]
    pub(super) strict: bool,
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A line for each call, and a summary
    Human,
    /// One answer document a line
    Jsonl,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Check {
    pub(super) fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// The format, where standard output is a terminal or is not.
    pub(super) fn format(&self, terminal: bool) -> Format {
        self.format
            .unwrap_or(if terminal { Format::Human } else { Format::Jsonl })
    }

    /// Whether to colour.
    pub(super) fn colored(&self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_colours() {
        let parse = |arguments: &[&str]| {
            let all = ["toolward", "check", "-"].iter().chain(arguments);
            let Command::Check(check) = Options::parse_from(all).command;
            check
        };
        assert_eq!(parse(&[]).format(true), Format::Human);
        assert_eq!(parse(&[]).format(false), Format::Jsonl);
        assert_eq!(parse(&["--format", "human"]).format(false), Format::Human);
        assert!(!parse(&["--color", "never"]).colored(true));
        assert!(parse(&["--color", "always"]).colored(false));
        assert!(!parse(&[]).colored(false));
    }
}
