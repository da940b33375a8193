//! What the model was offered: tool definitions of any shape, their schemas compiled once, names resolved.
//!
//! [`ToolSet::read`] takes the definitions as the caller has them. Each is brought to one form (`definition`), its
//! schema to standard JSON Schema (`dialect`), and bounded before it is compiled at the tool's first call
//! (`admission`, `schema`). A definition that cannot be read, or a schema that cannot be used, is that tool's problem:
//! it is diagnosed and never spoils the others.

mod admission;
mod definition;
mod diagnosis;
mod dialect;
mod formats;
mod names;
mod schema;
mod toolset;
mod type_name;

pub use definition::Shape;
pub use diagnosis::{Diagnostic, DiagnosticCode};
pub(crate) use formats::example as format_example;
pub use names::Resolution;
pub use schema::{Affordable, Schema};
pub use toolset::ToolSet;

use serde_json::Value;

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// As the caller declares it.
    pub name: String,
    /// As the caller declares it; empty where there is none.
    pub description: String,
    /// Whether its arguments are ours to judge.
    pub kind: ToolKind,
    /// What the tool says about its effects; hints from MCP annotations, untrusted.
    pub hints: Hints,
    /// The schema of its arguments.
    pub input: Schema,
    /// The schema of its structured result, where declared.
    pub output: Option<Schema>,
    /// How the caller writes the definition.
    pub shape: Shape,
    /// The definition as received, as JSON text.
    pub definition: Box<str>,
}

/// What kind of tool a definition declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// A function with JSON arguments.
    Function,
    /// Takes free text instead of JSON (OpenAI custom tools).
    Custom,
    /// Run by the provider (web search and the like).
    Hosted,
}

/// MCP annotations. `None`: not said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`.
    pub read_only: Option<bool>,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
}

impl Tool {
    /// The names of the arguments that every call must have.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.input.required()
    }

    /// Whether every call must have this argument.
    pub fn requires(&self, name: &str) -> bool {
        self.required().any(|required| required == name)
    }

    /// The schema of one argument.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.input.property(name)
    }

    /// The declared arguments and their schemas, in the order declared.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.input.properties()
    }
}
