//! Reads the caller's tool choice, as OpenAI, Anthropic or Gemini write it.

use serde_json::Value;

use crate::{
    check::ToolChoice,
    limits::{Reason, Refusal},
    tools::{Resolution, ToolSet},
};

/// Largest tool choice, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// Types that choose a tool which the provider runs itself: no call of ours can meet or break them.
const HOSTED: [&str; 12] = [
    "file_search",
    "web_search",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "computer",
    "computer_use_preview",
    "code_interpreter",
    "image_generation",
    "mcp",
    "shell",
    "local_shell",
    "apply_patch",
];

impl ToolChoice {
    /// Reads a tool choice and, where it says so (Anthropic's `disable_parallel_tool_use`), whether several calls at
    /// once are allowed. `null` is the model's own choice.
    ///
    /// # Errors
    /// [`Reason::ToolChoiceInvalid`] where the JSON is broken, larger than 256 KiB or of no known shape.
    pub fn parse(json: &[u8]) -> Result<(ToolChoice, Option<bool>), Refusal> {
        if json.len() > MAX_BYTES {
            return Err(refusal("the tool choice is too large"));
        }
        let value: Value = serde_json::from_slice(json).map_err(|_| refusal("the tool choice is not JSON"))?;
        let choice = match &value {
            Value::Null => Some(ToolChoice::Auto),
            Value::String(word) => plain(word),
            Value::Object(_) => object(&value),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        };
        let choice = choice.ok_or_else(|| {
            refusal("the tool choice is none of auto, none, required, a named tool or a list of allowed tools")
        })?;
        let parallel = value
            .get("disable_parallel_tool_use")
            .and_then(Value::as_bool)
            .map(|disabled| !disabled);
        Ok((choice, parallel))
    }

    /// Refuses a choice that contradicts the tools offered: a tool that must be called and is not among them. Where no
    /// tool was offered at all there is nothing to contradict.
    ///
    /// # Errors
    /// [`Reason::ToolChoiceInvalid`].
    pub fn fits(&self, toolset: &ToolSet) -> Result<(), Refusal> {
        let offered = |name: &String| !matches!(toolset.resolve(name), Resolution::Unknown);
        let possible = match self {
            ToolChoice::Auto | ToolChoice::None | ToolChoice::Required => true,
            ToolChoice::Named(name) => offered(name),
            ToolChoice::Allowed { names, required } => !required || names.iter().any(offered),
        };
        if possible || toolset.tools().is_empty() {
            Ok(())
        } else {
            Err(refusal("the tool choice requires a tool that was not offered"))
        }
    }
}

fn refusal(message: &'static str) -> Refusal {
    Refusal::new(Reason::ToolChoiceInvalid, message)
}

fn plain(word: &str) -> Option<ToolChoice> {
    match word {
        "auto" => Some(ToolChoice::Auto),
        "none" => Some(ToolChoice::None),
        "required" | "any" => Some(ToolChoice::Required),
        _ => None,
    }
}

fn object(value: &Value) -> Option<ToolChoice> {
    let config = either(value, "toolConfig", "tool_config").unwrap_or(value);
    if let Some(config) = either(config, "functionCallingConfig", "function_calling_config") {
        return gemini(config);
    }
    if let Some(kind) = value.get("type").and_then(Value::as_str) {
        return match kind {
            "function" | "custom" | "tool" => tool_name(value).map(ToolChoice::Named),
            "allowed_tools" => allowed(value.get("allowed_tools").unwrap_or(value)),
            hosted if HOSTED.contains(&hosted) => Some(ToolChoice::Auto),
            word => plain(word),
        };
    }
    value.get("mode").and_then(|_| gemini(value))
}

fn either<'v>(value: &'v Value, camel: &str, snake: &str) -> Option<&'v Value> {
    value.get(camel).or_else(|| value.get(snake))
}

/// `{type, name}` or `{type, function: {name}}`.
fn tool_name(value: &Value) -> Option<String> {
    let holder = value.get("function").or_else(|| value.get("custom")).unwrap_or(value);
    holder
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}

/// OpenAI's `{mode, tools: […]}`. A hosted tool goes by its type.
fn allowed(value: &Value) -> Option<ToolChoice> {
    let required = match value.get("mode").and_then(Value::as_str) {
        None | Some("auto") => false,
        Some("required") => true,
        Some(_) => return None,
    };
    let tools = value.get("tools")?.as_array()?;
    let names: Option<Vec<String>> = tools
        .iter()
        .map(|tool| tool_name(tool).or_else(|| tool.get("type").and_then(Value::as_str).map(str::to_owned)))
        .collect();
    Some(ToolChoice::Allowed {
        names: names?,
        required,
    })
}

/// Gemini's `{mode, allowedFunctionNames}`. `VALIDATED` leaves the choice between calls and text to the model.
fn gemini(config: &Value) -> Option<ToolChoice> {
    let mode = config
        .get("mode")
        .and_then(Value::as_str)
        .unwrap_or("AUTO")
        .to_ascii_uppercase();
    let names = match either(config, "allowedFunctionNames", "allowed_function_names") {
        None | Some(Value::Null) => Vec::new(),
        Some(list) => list
            .as_array()?
            .iter()
            .map(|it| it.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
    };
    let required = match mode.as_str() {
        "NONE" => return Some(ToolChoice::None),
        "AUTO" | "VALIDATED" | "MODE_UNSPECIFIED" => false,
        "ANY" => true,
        _ => return None,
    };
    Some(match (names.is_empty(), required) {
        (true, false) => ToolChoice::Auto,
        (true, true) => ToolChoice::Required,
        (false, required) => ToolChoice::Allowed { names, required },
    })
}
