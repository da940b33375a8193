//! The cascade layer: loops, storms, errors that spread, side effects that are repeated.
//!
//! It looks at the call at hand and at the steps since the user last spoke. Counts include the call at hand; calls of
//! one response are one step; what this service refused is neither progress nor a result. What a count leads to is
//! said by the policy's stages.

mod cycle;
mod duplicate_side_effect;
mod duplicates;
mod error_propagation;
mod error_streak;
mod intent;
mod lost_content;
mod repeats;
mod retry_storm;
mod unknown_tool_streak;
mod view;

pub use duplicates::{Duplicate, Parallel, duplicates};

use super::Inspection;
use crate::finding::Finding;
use view::View;

/// Looks for what goes wrong over several steps.
pub fn inspect(inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    let Some(view) = View::of(inspection) else { return };
    // The call itself, again: with the same results, then whatever the results.
    repeats::no_progress(&view, findings);
    repeats::same_call(&view, findings);
    // The call as part of a circle.
    cycle::inspect(&view, findings);
    // The same fault again, whatever the arguments.
    error_streak::inspect(&view, findings);
    // A fault that is handed on as if it were data.
    error_propagation::inspect(&view, findings);
    lost_content::inspect(&view, findings);
    // Something done twice that was to be done once.
    duplicate_side_effect::inspect(&view, findings);
    // Last, for they count what the other rules and layers have refused.
    unknown_tool_streak::inspect(&view, findings);
    retry_storm::inspect(&view, findings);
}
