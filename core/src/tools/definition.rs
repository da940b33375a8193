//! A tool definition in any of the shapes that callers send, brought to one form.
//!
//! OpenAI Chat (`{type, function}`), OpenAI Responses (`{type, name, parameters}`), Anthropic (`input_schema`), Gemini
//! (`functionDeclarations`, `parametersJsonSchema`), MCP (`inputSchema`, `outputSchema`, `annotations`), Bedrock
//! (`toolSpec`), Ollama and bare `{name, description, parameters}`; in one list they may be mixed.

use serde_json::{Map, Value, value::RawValue};

use super::{Hints, ToolKind};

/// How a caller writes a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `{type: "function", function: {…}}`; Ollama's too.
    OpenaiChat,
    /// `{type: "function", name, parameters}`.
    OpenaiResponses,
    /// `{name, input_schema}`.
    Anthropic,
    /// An element of `functionDeclarations`.
    Gemini,
    /// `{name, inputSchema}`.
    Mcp,
    /// `{toolSpec: {…}}`.
    Bedrock,
    /// `{name, description, parameters}`.
    Bare,
}

/// A definition, read.
#[derive(Debug)]
pub(super) struct Definition {
    pub name: String,
    pub description: String,
    pub kind: ToolKind,
    pub hints: Hints,
    /// `None`: the definition has none.
    pub input: Option<Value>,
    pub output: Option<Value>,
    pub shape: Shape,
}

/// Keys under which an argument schema stands, in the order in which they are looked for.
const INPUT_KEYS: [&str; 7] = [
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "parameter_definitions",
    "args_schema",
];
const OUTPUT_KEYS: [&str; 4] = ["outputSchema", "output_schema", "responseJsonSchema", "response"];
/// Gemini's own tools stand in the list as `{kind: {…}}`.
const GEMINI_HOSTED: [&str; 18] = [
    "googleSearch",
    "google_search",
    "googleSearchRetrieval",
    "google_search_retrieval",
    "codeExecution",
    "code_execution",
    "urlContext",
    "url_context",
    "googleMaps",
    "google_maps",
    "fileSearch",
    "file_search",
    "computerUse",
    "computer_use",
    "enterpriseWebSearch",
    "enterprise_web_search",
    "retrieval",
    "mcpServers",
];
/// Anthropic's tools with a fixed schema are named `kind_YYYYMMDD`; these run at the provider, the others at the caller.
const ANTHROPIC_HOSTED: [&str; 5] = ["web_search_", "web_fetch_", "code_execution_", "tool_search_", "mcp_"];

impl Definition {
    /// The error is one sentence for the operator; it holds no values.
    pub(super) fn read(raw: &RawValue) -> Result<Self, String> {
        let value: Value = serde_json::from_str(raw.get()).map_err(|error| match error.classify() {
            serde_json::error::Category::Syntax => "nested too deeply, or not JSON".to_owned(),
            _ => "not JSON".to_owned(),
        })?;
        let Value::Object(mut outer) = value else {
            return Err("a definition must be an object".to_owned());
        };
        if let Some(Value::Object(inner)) = outer.get_mut("function") {
            let mut inner = std::mem::take(inner);
            // Some SDKs put the description, or the schema, beside `function`.
            for (key, value) in outer {
                if key != "function" && key != "type" && key != "name" {
                    inner.entry(key).or_insert(value);
                }
            }
            return Self::function(inner, Shape::OpenaiChat);
        }
        if let Some(Value::Object(inner)) = outer.get_mut("toolSpec") {
            return Self::bedrock(std::mem::take(inner));
        }
        if let Some(Value::Object(inner)) = outer.get_mut("custom") {
            let inner = std::mem::take(inner);
            return Self::free(inner, ToolKind::Custom, Shape::OpenaiChat);
        }
        let has_schema = INPUT_KEYS.iter().any(|key| outer.contains_key(*key));
        let typed = match outer.get("type") {
            Some(Value::String(kind)) if kind != "function" => Some(kind.clone()),
            _ => None,
        };
        match typed {
            Some(kind) if !has_schema => Self::provided(outer, &kind),
            _ if outer.contains_key("name") => {
                let shape = shape_of(&outer);
                Self::function(outer, shape)
            }
            _ => Self::gemini_hosted(&outer),
        }
    }

    fn function(mut object: Map<String, Value>, shape: Shape) -> Result<Self, String> {
        let input = INPUT_KEYS.iter().find_map(|key| object.remove(*key));
        let output = OUTPUT_KEYS.iter().find_map(|key| object.remove(*key));
        Ok(Self {
            input,
            output: output.filter(Value::is_object),
            hints: hints(object.get("annotations")),
            ..Self::free(object, ToolKind::Function, shape)?
        })
    }

    fn bedrock(mut object: Map<String, Value>) -> Result<Self, String> {
        if let Some(Value::Object(mut schema)) = object.remove("inputSchema")
            && let Some(json) = schema.remove("json")
        {
            object.insert("inputSchema".to_owned(), json);
        }
        Self::function(object, Shape::Bedrock)
    }

    /// A tool without a schema of its own.
    fn free(mut object: Map<String, Value>, kind: ToolKind, shape: Shape) -> Result<Self, String> {
        let name = match object.remove("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name,
            Some(Value::String(_)) => return Err("the name is empty".to_owned()),
            Some(_) => return Err("the name must be a string".to_owned()),
            None => return Err("a definition needs a name".to_owned()),
        };
        let description = match object.remove("description") {
            Some(Value::String(description)) => description,
            _ => String::new(),
        };
        Ok(Self {
            name,
            description,
            kind,
            hints: Hints::default(),
            input: None,
            output: None,
            shape,
        })
    }

    /// `{type: KIND, …}` without a schema: free text, or a tool of the provider's.
    fn provided(mut object: Map<String, Value>, kind: &str) -> Result<Self, String> {
        if kind == "custom" {
            return Self::free(object, ToolKind::Custom, Shape::OpenaiResponses);
        }
        let dated = kind
            .rsplit_once('_')
            .is_some_and(|(_, date)| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()));
        let shape = if dated {
            Shape::Anthropic
        } else {
            Shape::OpenaiResponses
        };
        let at_caller = dated && !ANTHROPIC_HOSTED.iter().any(|prefix| kind.starts_with(prefix));
        object.entry("name").or_insert_with(|| Value::String(kind.to_owned()));
        let tool_kind = if at_caller {
            ToolKind::Function
        } else {
            ToolKind::Hosted
        };
        Self::free(object, tool_kind, shape)
    }

    fn gemini_hosted(object: &Map<String, Value>) -> Result<Self, String> {
        match object.keys().find(|key| GEMINI_HOSTED.contains(&key.as_str())) {
            Some(kind) => Ok(Self {
                name: kind.clone(),
                description: String::new(),
                kind: ToolKind::Hosted,
                hints: Hints::default(),
                input: None,
                output: None,
                shape: Shape::Gemini,
            }),
            None => Err("a definition needs a name".to_owned()),
        }
    }
}

fn shape_of(object: &Map<String, Value>) -> Shape {
    if object.contains_key("inputSchema") {
        Shape::Mcp
    } else if object.contains_key("input_schema") {
        Shape::Anthropic
    } else if object.contains_key("parametersJsonSchema") || object.contains_key("parameters_json_schema") {
        Shape::Gemini
    } else if object.contains_key("type") {
        Shape::OpenaiResponses
    } else {
        Shape::Bare
    }
}

fn hints(annotations: Option<&Value>) -> Hints {
    let hint = |key: &str| annotations.and_then(|all| all.get(key)).and_then(Value::as_bool);
    Hints {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
    }
}
