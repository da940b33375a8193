//! The semantic layer: what a result is worth, as far as it can be said without a model, and the question for the
//! model that says the rest.
//!
//! The layer looks at results only. An error is told with what can be done about it; orders to the model are flagged
//! and can be fenced; an empty result is an answer where a search found nothing, and a fault where one thing was asked
//! for by its key.

mod about;
mod empty;
mod error;
mod fence;
mod injection;
mod question;
mod shape;
mod truncated;

pub use fence::fence;
pub use question::{Question, question, read_answer};

use serde_json::Value;

use crate::{finding::Finding, tools::Tool, trajectory::ReadResult};

/// The call that a result answers, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub struct CallView<'a> {
    /// The tool. `None`: none was offered by that name.
    pub tool: Option<&'a Tool>,
    /// The tool's name.
    pub name: &'a str,
    /// The arguments. `None`: not known any more.
    pub arguments: Option<&'a Value>,
}

/// Looks at a result without asking anyone.
pub fn inspect(result: &ReadResult<'_>, call: Option<CallView<'_>>, findings: &mut Vec<Finding>) {
    // Our own words are no tool's.
    if result.is_correction() {
        return;
    }
    // Whatever else it is, it may address the model.
    injection::inspect(result, findings);
    // An error is an error, and nothing more is to be said of it.
    if error::inspect(result, call, findings) {
        return;
    }
    if empty::inspect(result, call, findings) {
        return;
    }
    truncated::inspect(result, findings);
    shape::inspect(result, call, findings);
    about::inspect(result, call, findings);
}
