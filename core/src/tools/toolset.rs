//! The set of tools that a model was offered.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Tool,
    definition::{Definition, Shape},
    diagnosis::{self, Diagnostic, DiagnosticCode},
    names::{Names, Resolution},
    schema::Schema,
};
use crate::limits::{Limits, Reason, Refusal};

/// An immutable set of tools, shared between requests and named by its content.
#[derive(Debug)]
pub struct ToolSet {
    reference: String,
    tools: Vec<Tool>,
    names: Names,
    /// Definitions that were left out.
    unreadable: Vec<Diagnostic>,
}

/// The list of definitions, and the objects in which callers wrap it.
#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow, rename = "functionDeclarations", alias = "function_declarations")]
    declarations: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

impl ToolSet {
    /// Reads a JSON array of tool definitions, or an object that holds it (`{"tools": […]}`, a `tools/list` result).
    /// A definition that cannot be read is left out and diagnosed. Refused is only what is no list of definitions at
    /// all, and what is larger than a limit.
    pub fn read(json: &[u8], limits: &Limits) -> Result<Self, Refusal> {
        if json.len() > limits.max_tools_bytes {
            return Err(Refusal::new(
                Reason::ToolsTooLarge,
                format!("the tools are larger than {} bytes", limits.max_tools_bytes),
            ));
        }
        let invalid = || Refusal::new(Reason::ToolsInvalid, "the tools are not a JSON array of definitions");
        let text = std::str::from_utf8(json).map_err(|_| invalid())?.trim();
        if text.is_empty() || text == "null" {
            return Ok(Self::empty());
        }
        let listed = list(text).ok_or_else(invalid)?;
        let mut tools = Vec::with_capacity(listed.len());
        let mut unreadable = Vec::new();
        for (index, raw) in listed.into_iter().enumerate() {
            for (raw, shape) in group(raw) {
                if tools.len() + unreadable.len() >= limits.max_tools {
                    return Err(Refusal::new(
                        Reason::TooManyTools,
                        format!("there are more than {} tools", limits.max_tools),
                    ));
                }
                match Definition::read(raw) {
                    Ok(definition) => tools.push(Tool::new(definition, shape, raw, limits)),
                    Err(message) => unreadable.push(Diagnostic {
                        index,
                        tool: String::new(),
                        code: DiagnosticCode::DefinitionUnreadable,
                        message,
                    }),
                }
            }
        }
        if tools.is_empty() && unreadable.is_empty() {
            return Ok(Self::empty());
        }
        Ok(Self {
            reference: reference(json),
            names: Names::new(&tools),
            tools,
            unreadable,
        })
    }

    /// The set of no tools.
    pub fn empty() -> Self {
        Self {
            reference: String::new(),
            tools: Vec::new(),
            names: Names::default(),
            unreadable: Vec::new(),
        }
    }

    /// The hash of the content as sent: `ts_` and 32 hexadecimal digits; empty for the empty set.
    pub fn reference(&self) -> &str {
        &self.reference
    }

    /// The tools in the order declared.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of exactly this name; the first, where several bear it.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(self.names.exact(name)?)
    }

    /// What a name means: exactly, then without space, quotes and control tokens, then by case, then without a prefix
    /// (its own or the tool's), then by separators, each only if one tool remains. Never by similarity.
    pub fn resolve(&self, name: &str) -> Resolution {
        self.names.resolve(name, &self.tools)
    }

    /// Up to `count` names that are most like this one, the nearest first; to tell the model, never to choose by.
    pub fn nearest(&self, name: &str, count: usize) -> Vec<&str> {
        diagnosis::nearest(&self.tools, name, count)
    }

    /// All that is wrong with the definitions. Compiles every schema.
    pub fn diagnose(&self) -> Vec<Diagnostic> {
        let mut all = self.unreadable.clone();
        diagnosis::diagnose(&self.tools, &self.names, &mut all);
        all
    }
}

impl Tool {
    fn new(definition: Definition, shape: Option<Shape>, raw: &RawValue, limits: &Limits) -> Self {
        let bytes = raw.get().len();
        Self {
            name: definition.name,
            description: definition.description,
            kind: definition.kind,
            hints: definition.hints,
            input: Schema::of_arguments(definition.input, bytes, limits),
            output: definition.output.map(|output| Schema::new(output, bytes, limits)),
            shape: shape.unwrap_or(definition.shape),
            definition: raw.get().into(),
        }
    }
}

fn reference(json: &[u8]) -> String {
    let hash = blake3::hash(json).to_hex();
    let mut reference = String::with_capacity(35);
    reference.push_str("ts_");
    reference.push_str(hash.as_str().get(..32).unwrap_or_default());
    reference
}

/// The elements of the list, still as text: one bad element is its own problem.
fn list(text: &str) -> Option<Vec<&RawValue>> {
    if text.starts_with('[') {
        return serde_json::from_str(text).ok();
    }
    let wrapped: Wrapped = serde_json::from_str(text).ok()?;
    if let Some(tools) = wrapped.tools {
        return Some(tools);
    }
    if wrapped.declarations.is_some() {
        return Some(vec![serde_json::from_str(text).ok()?]);
    }
    // A JSON-RPC response to `tools/list`.
    let inner: Wrapped = serde_json::from_str(wrapped.result?.get()).ok()?;
    inner.tools
}

/// An element of the list may hold several definitions.
fn group(raw: &RawValue) -> Vec<(&RawValue, Option<Shape>)> {
    // Looked for in the text first: most elements are one definition, and a second parse of each would be paid by all.
    let text = raw.get();
    let may_hold = |key: &str| memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some();
    if (may_hold("eclarations\"") || may_hold("\"tools\""))
        && let Ok(wrapped) = serde_json::from_str::<Wrapped>(text)
    {
        if let Some(declarations) = wrapped.declarations {
            return declarations.into_iter().map(|raw| (raw, Some(Shape::Gemini))).collect();
        }
        if let Some(tools) = wrapped.tools {
            return tools.into_iter().map(|raw| (raw, None)).collect();
        }
    }
    vec![(raw, None)]
}
