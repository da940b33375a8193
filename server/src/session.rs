//! What is remembered between the requests of one conversation, in memory: bounded in number, forgotten when idle.
//!
//! Requests of one session are worked on one after another, in the order in which they asked for their place.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;
use tokio::sync::{Mutex, OwnedMutexGuard};
use toolward_core::trajectory::Session;

use crate::{config::SessionsConfig, error::Error, limits::Deadline};

/// Longest name of a session or tenant, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// All sessions.
#[derive(Debug, Clone)]
pub struct Sessions {
    cache: Cache<Key, Arc<Mutex<Session>>, ahash::RandomState>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    tenant: Box<str>,
    session: Box<str>,
}

/// A request's place in its session's queue.
#[derive(Debug)]
pub struct Place {
    state: PlaceState,
}

enum PlaceState {
    Held(OwnedMutexGuard<Session>),
    Waiting(std::pin::Pin<Box<dyn Future<Output = OwnedMutexGuard<Session>> + Send>>),
}

impl std::fmt::Debug for PlaceState {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            PlaceState::Held(_) => "Held",
            PlaceState::Waiting(_) => "Waiting",
        })
    }
}

impl Sessions {
    /// No sessions yet.
    pub fn new(settings: &SessionsConfig) -> Self {
        let cache = Cache::builder()
            .max_capacity(settings.max)
            .time_to_idle(Duration::from_secs(settings.idle_s))
            .build_with_hasher(ahash::RandomState::new());
        Self { cache }
    }

    /// Takes the next place of a session; made where there was none. The order of the calls is the order of the places.
    ///
    /// # Errors
    /// A name is too long.
    pub fn queue(&self, tenant: &str, session: &str) -> Result<Place, Error> {
        if session.len() > MAX_NAME_BYTES || tenant.len() > MAX_NAME_BYTES {
            return Err(Error::SessionInvalid(MAX_NAME_BYTES));
        }
        let key = Key {
            tenant: tenant.into(),
            session: session.into(),
        };
        let entry = self.cache.get_with(key, || Arc::new(Mutex::new(Session::new())));
        let state = match Arc::clone(&entry).try_lock_owned() {
            Ok(held) => PlaceState::Held(held),
            Err(_) => {
                let mut waiting: std::pin::Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(entry.lock_owned());
                // The first poll is what takes the place in the lock's queue.
                match futures::FutureExt::now_or_never(&mut waiting) {
                    Some(held) => PlaceState::Held(held),
                    None => PlaceState::Waiting(waiting),
                }
            }
        };
        Ok(Place { state })
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.cache.run_pending_tasks();
        self.cache.entry_count()
    }
}

impl Place {
    /// Waits for the requests before.
    ///
    /// # Errors
    /// The deadline passes first.
    pub async fn wait(self, deadline: Deadline) -> Result<OwnedMutexGuard<Session>, Error> {
        match self.state {
            PlaceState::Held(held) => Ok(held),
            PlaceState::Waiting(waiting) => deadline.bound(waiting).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> Sessions {
        Sessions::new(&SessionsConfig::default())
    }

    fn soon() -> Deadline {
        Deadline::new(Duration::from_secs(5), None)
    }

    #[tokio::test]
    async fn places_are_given_in_the_order_asked_for() {
        let sessions = sessions();
        let first = sessions.queue("", "s").unwrap();
        let second = sessions.queue("", "s").unwrap();
        let third = sessions.queue("", "s").unwrap();
        let third = tokio::spawn(third.wait(soon()));
        let first = first.wait(soon()).await.unwrap();
        drop(first);
        let second = second.wait(soon()).await.unwrap();
        assert!(!third.is_finished());
        drop(second);
        assert!(third.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn tenants_do_not_share_sessions() {
        let sessions = sessions();
        let mut ours = sessions.queue("a", "s").unwrap().wait(soon()).await.unwrap();
        ours.set_intent("buy milk");
        let theirs = sessions.queue("b", "s").unwrap().wait(soon()).await.unwrap();
        assert_eq!(theirs.intent(), None);
        assert_eq!(sessions.count(), 2);
    }

    #[test]
    fn names_are_bounded() {
        let sessions = sessions();
        for (tenant, session) in [("", "x".repeat(257).as_str()), ("x".repeat(257).as_str(), "s")] {
            assert_eq!(
                sessions.queue(tenant, session).unwrap_err(),
                Error::SessionInvalid(MAX_NAME_BYTES)
            );
        }
    }
}
