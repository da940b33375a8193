//! How long to wait before the next attempt: twice as long each time, with jitter, so that callers who failed together
//! do not come back together.

use std::time::Duration;

/// The waits between attempts.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Backoff {
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self {
            next: first.min(longest),
            longest,
        }
    }

    /// Between half of this wait and the whole of it.
    pub(crate) fn wait(&mut self) -> Duration {
        let whole = self.next;
        self.next = whole.saturating_mul(2).min(self.longest);
        whole.mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_up_to_a_limit_and_never_waits_the_same() {
        let (first, longest) = (Duration::from_millis(100), Duration::from_millis(300));
        let mut backoff = Backoff::new(first, longest);
        for whole in [100, 200, 300, 300].map(Duration::from_millis) {
            let wait = backoff.wait();
            assert!(wait >= whole / 2 && wait <= whole, "{wait:?} of {whole:?}");
        }
    }
}
