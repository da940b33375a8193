//! The chain, once, top to bottom.
//!
//! A check has two halves with a wait between them: [`inspect`] runs every layer that needs no one else and poses the
//! semantic layer's questions; the shell has them answered; [`Inspected::conclude`] reads the answers and decides.

pub(crate) mod calls;
mod chain;
mod outcome;
pub(crate) mod request;
pub(crate) mod results;

pub use chain::{Answer, Inspected, inspect};
pub use outcome::{CheckedStep, Degraded, LayerOutcome, LayerReport, Outcome, Skipped};
pub use request::{Context, Options, Request, ResultBody, ToolChoice, ToolResult};

/// A monotonic clock that the shell hands in, so that layers can be timed without reading one here.
pub trait Clock {
    /// Nanoseconds since any fixed moment.
    fn now_ns(&self) -> u64;
}
