//! How many requests are worked on at once. One more is refused at once instead of queued: a caller that is told so in
//! a millisecond can go elsewhere.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio_util::sync::CancellationToken;

use crate::{error::Error, telemetry::Metrics};

/// The door to all work.
#[derive(Debug, Clone)]
pub struct Admission {
    places: Arc<Semaphore>,
    draining: CancellationToken,
    abandoned: CancellationToken,
    metrics: Arc<Metrics>,
}

/// A place among the requests that are worked on; given back when dropped.
#[derive(Debug)]
pub struct Permit {
    metrics: Arc<Metrics>,
    _place: OwnedSemaphorePermit,
}

impl Admission {
    /// An open door for so many.
    pub fn new(max_in_flight: usize, metrics: Arc<Metrics>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(max_in_flight.min(Semaphore::MAX_PERMITS))),
            draining: CancellationToken::new(),
            abandoned: CancellationToken::new(),
            metrics,
        }
    }

    /// A place, if there is one.
    ///
    /// # Errors
    /// Overloaded, or draining.
    pub fn enter(&self) -> Result<Permit, Error> {
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|refused| match refused {
                TryAcquireError::NoPermits => Error::Overloaded,
                TryAcquireError::Closed => Error::Draining,
            })?;
        self.metrics.entered();
        Ok(Permit {
            metrics: Arc::clone(&self.metrics),
            _place: place,
        })
    }

    /// Lets nobody in from now on; who is in stays.
    pub fn close(&self) {
        self.places.close();
        self.draining.cancel();
    }

    /// Ends the waits of who is still in: connections outlive the server that accepted them, so it is the checks that
    /// must let go.
    pub fn abandon(&self) {
        self.abandoned.cancel();
    }

    /// Cancelled once nothing may be waited for any more.
    pub fn abandoned(&self) -> &CancellationToken {
        &self.abandoned
    }

    /// Whether the door is shut.
    pub fn is_closed(&self) -> bool {
        self.places.is_closed()
    }

    /// Cancelled once the door is shut.
    pub fn draining(&self) -> &CancellationToken {
        &self.draining
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.metrics.left();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_is_refused_and_a_place_given_back_is_free() {
        let metrics = Arc::new(Metrics::new().unwrap());
        let admission = Admission::new(1, Arc::clone(&metrics));
        let first = admission.enter().unwrap();
        assert_eq!(admission.enter().unwrap_err(), Error::Overloaded);
        assert!(metrics.render().contains("toolward_in_flight_checks 1"));
        drop(first);
        assert!(metrics.render().contains("toolward_in_flight_checks 0"));
        let _second = admission.enter().unwrap();
        admission.close();
        assert_eq!(admission.enter().unwrap_err(), Error::Draining);
    }
}
