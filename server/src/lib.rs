//! The Toolward service: gRPC and HTTP around `toolward-core`, with the judge, the sessions, the toolset cache and the
//! telemetry that the core is free of.
//!
//! [`run`] takes its listeners, so that tests and the command bind port 0 and know where they are.

pub mod app;
pub mod chain;
pub mod config;
pub mod error;
pub mod grpc;
pub mod http;
pub mod judge;
pub mod limits;
pub mod policies;
pub mod session;
pub mod telemetry;
pub mod toolsets;

pub use app::{Listeners, RunError, run};
