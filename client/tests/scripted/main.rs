//! The client and the command against a scripted service.

#![expect(clippy::expect_used, reason = "a test says what it expects")]

mod client;
mod command;
mod support;
