//! How long to wait before the next try: longer each time, with chance in it so that callers do not come back together.

use std::{hash::BuildHasher, time::Duration};

/// The longest wait before the second try.
const BASE: Duration = Duration::from_millis(20);

/// The longest wait before any try.
const MAX: Duration = Duration::from_secs(2);

/// The wait after a failed try, counted from 1: between half and the whole of a doubling bound, or what the backend
/// asks for (`retry-after`), if that is longer.
pub(super) fn pause(attempt: u32, asked: Option<Duration>) -> Duration {
    let bound = BASE.saturating_mul(1 << attempt.saturating_sub(1).min(8)).min(MAX);
    let half = bound / 2;
    let span = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX).max(1);
    let jittered = half + Duration::from_nanos(chance() % span);
    asked.map_or(jittered, |asked| asked.max(jittered))
}

fn chance() -> u64 {
    // A fresh state is seeded by the process's random keys and a counter.
    std::hash::RandomState::new().hash_one(0u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_within_bounds() {
        for attempt in 1..40 {
            let bound = BASE.saturating_mul(1 << (attempt - 1).min(8)).min(MAX);
            let wait = pause(attempt, None);
            assert!(wait >= bound / 2 && wait <= bound, "{attempt}: {wait:?}");
        }
        assert_eq!(pause(1, Some(Duration::from_secs(9))), Duration::from_secs(9));
    }
}
