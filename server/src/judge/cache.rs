//! Verdicts that are known. Equal questions in flight share one call; faults are not kept.
//!
//! The key holds everything that the question holds; the cache belongs to one backend with one model.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use moka::future::Cache;
use toolward_core::check::Degraded;

use crate::{
    config::JudgeConfig,
    telemetry::{Metrics, events::JudgeCacheEvent, labels::CacheResult},
};

/// What one verdict costs with all that the cache keeps about it, in bytes.
const ENTRY_BYTES: u32 = 200;

/// The verdicts of one backend.
#[derive(Debug)]
pub(super) struct Verdicts {
    cache: Cache<[u8; 32], bool, ahash::RandomState>,
    metrics: Arc<Metrics>,
}

impl Verdicts {
    /// An empty cache.
    pub fn new(config: &JudgeConfig, metrics: Arc<Metrics>) -> Self {
        let cache = Cache::builder()
            .max_capacity(config.cache_max_bytes)
            .weigher(|_, _| ENTRY_BYTES)
            .time_to_live(Duration::from_secs(config.cache_ttl_s))
            .build_with_hasher(ahash::RandomState::new());
        Self { cache, metrics }
    }

    /// The verdict that is known, or the one that asking gives.
    pub async fn get_or_ask(
        &self,
        key: [u8; 32],
        ask: impl Future<Output = Result<bool, Degraded>>,
    ) -> Result<bool, Degraded> {
        let asked = AtomicBool::new(false);
        let asking = async {
            asked.store(true, Ordering::Relaxed);
            JudgeCacheEvent {
                result: CacheResult::Miss,
            }
            .emit(&self.metrics);
            ask.await
        };
        let verdict = self.cache.try_get_with(key, asking).await.map_err(|cause| *cause);
        if verdict.is_ok() && !asked.load(Ordering::Relaxed) {
            JudgeCacheEvent {
                result: CacheResult::Hit,
            }
            .emit(&self.metrics);
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use tokio::sync::Semaphore;

    use super::*;

    fn verdicts() -> Verdicts {
        Verdicts::new(&JudgeConfig::default(), Arc::new(Metrics::new().unwrap()))
    }

    #[tokio::test]
    async fn equal_questions_in_flight_are_asked_once() {
        let verdicts = verdicts();
        let (asked, answers) = (AtomicUsize::new(0), Semaphore::new(0));
        let ask = || async {
            asked.fetch_add(1, Ordering::Relaxed);
            let _answer = answers.acquire().await;
            Ok(true)
        };
        let (first, second, ()) = tokio::join!(
            verdicts.get_or_ask([1; 32], ask()),
            verdicts.get_or_ask([1; 32], ask()),
            async {
                tokio::task::yield_now().await;
                answers.add_permits(2);
            }
        );
        assert_eq!((first, second, asked.load(Ordering::Relaxed)), (Ok(true), Ok(true), 1));
    }

    #[tokio::test]
    async fn a_fault_is_not_kept() {
        let verdicts = verdicts();
        assert_eq!(
            verdicts.get_or_ask([1; 32], async { Err(Degraded::Unavailable) }).await,
            Err(Degraded::Unavailable)
        );
        assert_eq!(verdicts.get_or_ask([1; 32], async { Ok(false) }).await, Ok(false));
        assert_eq!(verdicts.get_or_ask([1; 32], async { Ok(true) }).await, Ok(false));
    }
}
