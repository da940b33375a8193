//! The gRPC services, one file each, and the conversion between messages and the core's types.

pub mod convert;
pub mod defense;
pub mod guard;
pub mod tools;
mod words;

pub use defense::Defense;
pub use tools::Tools;
