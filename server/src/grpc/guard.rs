//! A panic stays in its request: it is counted, logged without its words, and answered with `INTERNAL`.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use crate::{
    error::Error,
    telemetry::{
        Metrics,
        events::{PanicEvent, RefusalEvent},
    },
};

/// Runs a check and turns a panic into an error.
///
/// # Errors
/// The work's own, or [`Error::Internal`].
pub async fn contain<T>(metrics: &Metrics, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(answer) => answer,
        Err(_) => {
            PanicEvent.emit(metrics);
            RefusalEvent {
                error: &Error::Internal,
            }
            .emit(metrics);
            Err(Error::Internal)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_an_internal_error_and_is_counted() {
        let metrics = Metrics::new().unwrap();
        let answer = contain(&metrics, async {
            if metrics.render().is_empty() {
                Ok(())
            } else {
                panic!("secret")
            }
        });
        assert_eq!(answer.await, Err(Error::Internal));
        let text = metrics.render();
        assert!(
            text.contains("toolward_panics_total 1") && text.contains("toolward_refusals_total{reason=\"INTERNAL\"} 1")
        );
    }
}
