//! When an answer must be there: the caller's `grpc-timeout` or the service's own limit, whichever comes first.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::error::Error;

/// The header in which a gRPC caller says how long it waits.
pub const GRPC_TIMEOUT: &str = "grpc-timeout";

/// Longest time kept free before the caller's deadline, so that the answer or our own error still reaches it.
const MAX_MARGIN: Duration = Duration::from_millis(20);

/// When an answer must be there.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// The caller's timeout as it stands in the header, within the service's own limit. A header that cannot be read
    /// counts as absent.
    pub fn new(limit: Duration, header: Option<&str>) -> Self {
        let caller = header
            .and_then(parse)
            .map(|timeout| timeout.saturating_sub((timeout / 10).min(MAX_MARGIN)));
        Self(Instant::now() + caller.map_or(limit, |timeout| timeout.min(limit)))
    }

    /// The moment.
    pub fn instant(self) -> Instant {
        self.0
    }

    /// Waits for a future no longer than this.
    ///
    /// # Errors
    /// The deadline passed first.
    pub async fn bound<F: Future>(self, future: F) -> Result<F::Output, Error> {
        timeout_at(self.0, future).await.map_err(|_| Error::DeadlineExceeded)
    }
}

/// Up to eight digits and a unit.
fn parse(header: &str) -> Option<Duration> {
    let (digits, unit) = header.split_at_checked(header.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(amount.saturating_mul(3_600))),
        "M" => Some(Duration::from_secs(amount.saturating_mul(60))),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_header() {
        for (header, expected) in [
            ("5S", Some(Duration::from_secs(5))),
            ("250m", Some(Duration::from_millis(250))),
            ("2H", Some(Duration::from_secs(7_200))),
            ("1M", Some(Duration::from_secs(60))),
            ("7u", Some(Duration::from_micros(7))),
            ("9n", Some(Duration::from_nanos(9))),
            ("", None),
            ("S", None),
            ("+5S", None),
            ("5", None),
            ("5ä", None),
            ("123456789S", None),
        ] {
            assert_eq!(parse(header), expected, "{header}");
        }
    }
}
