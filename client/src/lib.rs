//! A typed client for Toolward: a deadline for every call, retries where they are safe, errors with their reason.
//!
//! ```no_run
//! # async fn example(request: toolward_proto::v1::CheckRequest) -> Result<(), toolward_client::ClientError> {
//! use toolward_client::{Client, ClientConfig};
//!
//! let client = Client::connect("http://127.0.0.1:50051", ClientConfig::default()).await?;
//! let answer = client.check(request).await?;
//! # let _ = answer;
//! # Ok(())
//! # }
//! ```

mod backoff;
mod client;
mod error;

pub use client::{Client, ClientConfig};
pub use error::ClientError;
pub use toolward_proto::v1;
