//! A panic stays in its request: it is counted, logged without its words, and answered with `INTERNAL`.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use crate::{error::Error, telemetry::Metrics};

/// Runs a check and turns a panic into an error.
pub async fn contain<T>(metrics: &Metrics, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(answer) => answer,
        Err(_) => {
            metrics.panicked();
            tracing::error!("a check panicked");
            Err(Error::Internal)
        }
    }
}
