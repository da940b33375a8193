//! What bounds the work in flight: admission and deadlines.

mod admission;
mod deadline;

pub use admission::{Admission, Permit};
pub use deadline::{Deadline, GRPC_TIMEOUT};
