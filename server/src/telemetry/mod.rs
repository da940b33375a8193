//! What the service tells of itself: metrics, and log lines beside them.
//!
//! `catalogue` declares every metric, `metrics` holds the handles, `events` is the only place that touches them: each
//! event counts and logs together. `log` sets up the process's log; a library user may do that otherwise.

pub mod catalogue;
pub mod events;
pub mod labels;
pub mod log;
mod metrics;

pub use metrics::Metrics;
