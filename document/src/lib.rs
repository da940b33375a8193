//! The check document: one natural JSON form of a check and of its answer.
//!
//! The command line, `POST /v1/check` and the audit log's replay speak it; gRPC carries the same facts as messages of
//! `toolward.v1`. [`Document`] and [`Answer`] convert into those messages and back without loss. JSON that is only
//! passed through (tools, messages, candidate, arguments, …) is never parsed into a tree here: it stays the text that
//! came, byte for byte, as [`Json`]. The schema of all of it is [`SCHEMA`].

mod answer;
mod call;
mod candidate;
mod document;
mod error;
mod fields;
mod json;
mod line;
mod options;
mod request;
mod response;
mod result;
mod words;

pub use answer::{
    Answer, AnswerError, CallAnswer, DuplicateAnswer, FallbackAnswer, Finding, LayerAnswer, ResponseAnswer,
    ResultAnswer, RetryAnswer,
};
pub use call::{Arguments, Call, Step};
pub use candidate::Candidate;
pub use document::{Document, Tools};
pub use error::DocumentError;
pub use json::Json;
pub use line::Line;
pub use options::Options;
pub use result::{ResultBody, ToolResult};
pub use words::{ArgumentsEcho, Decision, FallbackKind, Format, Layer, LayerOutcome, Repair, RunMode, Severity};

/// JSON Schema (2020-12) of documents, toolset declarations and answers: `$defs` `document`, `toolset` and `answer`.
pub const SCHEMA: &str = include_str!("../schema/check-document.schema.json");

#[cfg(test)]
mod schema_test;
