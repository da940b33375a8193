//! A panic is a defect of one request and stays its own.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use crate::{
    error::Failure,
    telemetry::{Metrics, events::PanicEvent},
};

/// Runs a future; a panic in it becomes a failure that tells the caller nothing.
///
/// # Errors
/// The future's own, or internal.
pub async fn contain<T, F>(metrics: &Metrics, future: F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    // State that outlives a panic is only the session's: a check takes its changes in when it ends.
    match AssertUnwindSafe(future).catch_unwind().await {
        Ok(result) => result,
        Err(_) => {
            PanicEvent.emit(metrics);
            Err(Failure::internal())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    #[tokio::test]
    async fn a_panic_becomes_an_internal_failure_and_is_counted() {
        let metrics = Metrics::new().unwrap();
        let failed = contain(&metrics, async {
            if metrics.render().is_empty() {
                return Ok(());
            }
            panic!("the secret argument")
        })
        .await
        .unwrap_err();
        assert_eq!(failed.code, ErrorCode::Internal);
        assert!(!failed.message.contains("secret"));
        assert!(metrics.render().contains("toolward_panics_total 1"));
    }
}
