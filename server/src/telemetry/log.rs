//! The process's log: lines on standard error, as text or JSON.

use std::panic;

use tracing::error;
use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat, LogLevel};

/// Installs the log for the process. A second call has no effect.
pub fn install(settings: &LogConfig) {
    let level = match settings.level {
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
        LogLevel::Trace => "trace",
    };
    // Libraries may log what callers sent at their debug levels: they speak from warnings on.
    let filter = EnvFilter::new(format!("warn,toolward_server={level}"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // Another subscriber may be there already: then it is the one that counts.
    let _installed = match settings.format {
        LogFormat::Text => builder.with_ansi(false).try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
}

/// Logs where a panic happened instead of printing its message, which may quote what a caller sent.
pub fn install_panic_hook() {
    panic::set_hook(Box::new(|info| {
        let (file, line) = info.location().map_or(("", 0), |place| (place.file(), place.line()));
        error!(file, line, "panic");
    }));
}
