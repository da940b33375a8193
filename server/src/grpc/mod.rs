//! The gRPC services, one file each, and the conversion between messages and the core's types.

pub mod convert;
pub mod defense;
pub mod gate;
pub mod guard;
mod stream;
pub mod tools;
mod words;

pub use defense::Defense;
pub use gate::GateLayer;
pub use stream::Answers;
pub use tools::Tools;
