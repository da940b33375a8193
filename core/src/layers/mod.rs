//! The five layers. Each is a folder of rules that look at an [`Inspection`] and push findings; none imports another,
//! and none knows what its findings lead to in the end: that is the policy's and `decide`'s.

pub mod cascade;
pub mod schema;
pub mod selection;
pub mod semantic;
pub mod value;

use serde_json::Value;

use crate::{
    check::Context,
    policy::ToolPolicy,
    tools::{Tool, ToolSet},
    trajectory::{Fingerprint, Trajectory},
    turn::Turn,
};

/// One call as the layers see it: after reading, name resolution and repair.
#[derive(Debug, Clone, Copy)]
pub struct Inspection<'a> {
    /// Position of the call in `turn.calls`.
    pub index: usize,
    /// The turn that the call belongs to.
    pub turn: &'a Turn<'a>,
    /// The tools offered.
    pub toolset: &'a ToolSet,
    /// The tool that the name means. `None`: none was offered by that name.
    pub tool: Option<&'a Tool>,
    /// The arguments as they would be forwarded. `None`: unreadable.
    pub arguments: Option<&'a Value>,
    /// Of the canonical arguments; set before the cascade layer runs.
    pub fingerprint: Fingerprint,
    /// The same of every call of the turn, by its position; empty before the cascade layer.
    pub fingerprints: &'a [Fingerprint],
    /// What happened before.
    pub trajectory: &'a Trajectory,
    /// The rules for this tool.
    pub policy: &'a ToolPolicy<'a>,
    /// What surrounds the turn.
    pub context: &'a Context<'a>,
}
