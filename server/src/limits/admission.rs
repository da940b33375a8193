//! How many requests are worked on at once. One more is refused at once instead of queued: a caller that is told so in
//! a millisecond can go elsewhere.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::{error::Failure, telemetry::Metrics};

/// The door to all work.
#[derive(Debug, Clone)]
pub struct Admission {
    places: Arc<Semaphore>,
    draining: CancellationToken,
    metrics: Arc<Metrics>,
}

/// A place among the requests that are worked on; given back when dropped.
#[derive(Debug)]
pub struct Permit {
    metrics: Arc<Metrics>,
    _place: OwnedSemaphorePermit,
}

impl Admission {
    /// A door for so many, that closes when `draining` is cancelled.
    pub fn new(max_in_flight: usize, draining: CancellationToken, metrics: Arc<Metrics>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(max_in_flight.min(Semaphore::MAX_PERMITS))),
            draining,
            metrics,
        }
    }

    /// A place, if there is one.
    ///
    /// # Errors
    /// Overloaded, or draining.
    pub fn enter(&self) -> Result<Permit, Failure> {
        if self.draining.is_cancelled() {
            return Err(Failure::draining());
        }
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Failure::overloaded())?;
        self.metrics.entered();
        Ok(Permit {
            metrics: Arc::clone(&self.metrics),
            _place: place,
        })
    }

    /// Cancelled once the service is going down.
    pub fn draining(&self) -> &CancellationToken {
        &self.draining
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.metrics.left();
    }
}
