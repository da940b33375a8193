//! What bounds the work in flight: admission, deadlines, and the wall around panics.

mod admission;
mod containment;
mod deadline;

pub use admission::{Admission, Permit};
pub use containment::contain;
pub use deadline::Deadline;
