//! The conversation as the caller sent it, read once.
//!
//! Everything is scanned, little is decoded: the texts of user messages, and the calls and results behind the last of
//! them. A message that only carries tool results is no user's, whatever its role, and neither is a correction of
//! this service that comes back.

use std::{borrow::Cow, sync::Arc};

use serde_json::value::RawValue;

use super::{
    Answer, CORRECTION_MARK, Fingerprint, Position, Step, StepOutcome, Trajectory, canonical,
    result::ReadResult,
    wire::{Node, string},
};
use crate::{
    check::{ResultBody, ToolResult},
    limits::{Limits, Reason, Refusal},
};

/// What the messages tell. Empty where none were sent.
#[derive(Debug, Clone, Default)]
pub struct Conversation<'a> {
    /// The last user message's text; the intent where the caller gives none.
    pub last_user_text: Option<Cow<'a, str>>,
    /// How many user messages there are (messages that only carry tool results do not count).
    pub user_turns: u32,
    /// Whether any message carries a tool call or result.
    pub has_steps: bool,
    /// The steps since the last user message.
    pub steps: Vec<Step>,
    /// Corrections of this service that came back as plain text since the last user message.
    pub corrections: u32,
    /// Results since the last user message that answer no call, or one that was answered already.
    pub unmatched: u32,
}

impl<'a> Conversation<'a> {
    /// Reads a JSON array of messages: OpenAI Chat messages or Responses items, Anthropic, Gemini or Ollama messages.
    /// A JSON string is one user message. No bytes: no conversation.
    pub fn read(json: &'a [u8], limits: &Limits) -> Result<Self, Refusal> {
        if json.len() > limits.max_messages_bytes {
            return Err(Refusal::new(
                Reason::MessagesTooLarge,
                format!("the messages are larger than {} bytes", limits.max_messages_bytes),
            ));
        }
        if json.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        let invalid = |what: &str| Refusal::new(Reason::MessagesInvalid, what.to_owned());
        let text = std::str::from_utf8(json).map_err(|_| invalid("the messages are not valid UTF-8"))?;
        if text.trim_start().starts_with('"') {
            let said = serde_json::from_str::<Cow<'a, str>>(text).map_err(|_| invalid("the messages are not JSON"))?;
            return Ok(Self {
                user_turns: 1,
                last_user_text: Some(said),
                ..Self::default()
            });
        }
        let nodes = serde_json::from_str::<Vec<Node<'a>>>(text).map_err(|error| {
            Refusal::new(
                Reason::MessagesInvalid,
                format!(
                    "the messages are not a JSON array of messages (line {}, column {})",
                    error.line(),
                    error.column()
                ),
            )
        })?;
        if let Some(index) = nodes.iter().position(|node| !node.is_object) {
            return Err(Refusal::new(
                Reason::MessagesInvalid,
                format!("message {index} is not an object"),
            ));
        }
        Ok(Self::from_nodes(&nodes, limits))
    }

    /// The steps as a trajectory.
    pub fn trajectory(&self) -> Trajectory {
        Trajectory {
            steps: self.steps.clone(),
            corrections: self.corrections,
            unmatched: self.unmatched,
        }
    }

    fn from_nodes(nodes: &[Node<'a>], limits: &Limits) -> Self {
        let mut conversation = Self::default();
        let mut turn_starts = 0;
        for (index, node) in nodes.iter().enumerate() {
            conversation.has_steps |= has_step(node);
            if let Some(said) = user_text(node) {
                turn_starts = index + 1;
                conversation.user_turns += 1;
                conversation.corrections = 0;
                conversation.last_user_text = Some(said);
            } else if is_user(node) && is_correction(node) {
                conversation.corrections += 1;
            }
        }
        let mut reader = Reader::default();
        for node in nodes.iter().skip(turn_starts) {
            reader.message(node);
            if reader.trajectory.steps.len() > limits.max_steps.saturating_mul(2) {
                reader.trajectory.trim(limits.max_steps);
            }
        }
        reader.trajectory.trim(limits.max_steps);
        conversation.steps = reader.trajectory.steps;
        conversation.unmatched = reader.trajectory.unmatched;
        conversation
    }
}

fn is_user(node: &Node<'_>) -> bool {
    matches!(&*node.role(), "user" | "human")
}

/// What a user says in a message. `None`: it is no user's, or only carries results, notices or our own corrections.
fn user_text<'a>(node: &Node<'a>) -> Option<Cow<'a, str>> {
    if !is_user(node) {
        return None;
    }
    if let Some(text) = string(node.content) {
        return (!text.trim().is_empty() && !is_aside(&text)).then_some(text);
    }
    let mut said: Option<Cow<'a, str>> = None;
    let mut shows = false;
    for block in Node::list(node.content).into_iter().chain(Node::list(node.parts)) {
        let text = string(block.text).or(block.plain);
        match text {
            Some(text) if text.trim().is_empty() || is_aside(&text) => {}
            Some(text) => {
                said = Some(match said {
                    None => text,
                    Some(before) => Cow::Owned(format!("{before}\n{text}")),
                });
            }
            None => {
                shows |= block.function_response.is_none()
                    && matches!(
                        &*string(block.kind).unwrap_or_default(),
                        "image" | "image_url" | "input_image" | "document" | "input_file" | "file"
                    );
            }
        }
    }
    said.or_else(|| shows.then_some(Cow::Borrowed("")))
}

/// Text in a user's message that no user wrote: our corrections, and the notices that agents add.
fn is_aside(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(CORRECTION_MARK)
        || (text.starts_with("<system-reminder>") && text.trim_end().ends_with("</system-reminder>"))
}

fn is_correction(node: &Node<'_>) -> bool {
    let marked = |text: Option<Cow<'_, str>>| text.is_some_and(|text| text.trim_start().starts_with(CORRECTION_MARK));
    marked(string(node.content))
        || Node::list(node.content)
            .into_iter()
            .chain(Node::list(node.parts))
            .any(|block| marked(string(block.text)))
}

/// Whether a message carries a call or a result, as far as its keys tell.
fn has_step(node: &Node<'_>) -> bool {
    let holds = |raw: Option<&RawValue>, needle: &str| {
        raw.is_some_and(|raw| {
            raw.get().starts_with('[') && memchr::memmem::find(raw.get().as_bytes(), needle.as_bytes()).is_some()
        })
    };
    node.tool_calls
        .is_some_and(|calls| calls.get().len() > 2 && calls.get() != "null")
        || node.function_call.is_some_and(|call| call.get() != "null")
        || matches!(&*node.role(), "tool" | "function")
        || matches!(
            &*node.kind(),
            "function_call" | "function_call_output" | "custom_tool_call" | "custom_tool_call_output"
        )
        || holds(node.content, "\"tool_use\"")
        || holds(node.content, "\"tool_result\"")
        || holds(node.parts, "\"functionCall\"")
        || holds(node.parts, "\"functionResponse\"")
        || holds(node.parts, "\"function_call\"")
        || holds(node.parts, "\"function_response\"")
}

/// Collects steps from messages in order.
#[derive(Default)]
struct Reader {
    trajectory: Trajectory,
    /// The batch that calls are being added to; closed by whatever is no call.
    batch: Option<u32>,
}

impl Reader {
    fn message(&mut self, node: &Node<'_>) {
        let kind = node.kind();
        match &*kind {
            "function_call" | "custom_tool_call" => return self.call(node, node.call_id.or(node.id)),
            "function_call_output" | "custom_tool_call_output" => return self.result(node, node.output, None),
            "reasoning" => return,
            _ => {}
        }
        match &*node.role() {
            "tool" | "function" => self.result(node, node.content, None),
            "assistant" | "model" => {
                self.batch = None;
                self.calls_of(node);
            }
            "user" | "human" => self.results_of(node),
            _ => {}
        }
    }

    fn calls_of(&mut self, node: &Node<'_>) {
        for call in Node::list(node.tool_calls) {
            match Node::one(call.function) {
                Some(function) => self.call(&function, call.id),
                None => self.call(&call, call.id),
            }
        }
        if let Some(call) = Node::one(node.function_call).filter(|call| call.is_object) {
            self.call(&call, call.id);
        }
        for block in Node::list(node.content).into_iter().chain(Node::list(node.parts)) {
            if &*block.kind() == "tool_use" {
                self.call(&block, block.id);
            } else if let Some(call) = Node::one(block.function_call).filter(|call| call.is_object) {
                self.call(&call, call.id);
            }
        }
    }

    fn results_of(&mut self, node: &Node<'_>) {
        for block in Node::list(node.content).into_iter().chain(Node::list(node.parts)) {
            if &*block.kind() == "tool_result" {
                self.result(&block, block.content, None);
            } else if let Some(response) = Node::one(block.function_response).filter(|response| response.is_object) {
                self.result(&response, response.response, string(response.name));
            }
        }
    }

    fn call(&mut self, node: &Node<'_>, id: Option<&RawValue>) {
        let name = string(node.name).unwrap_or_default();
        let batch = *self.batch.get_or_insert_with(|| self.trajectory.next_batch());
        let step = Step {
            call_id: Arc::from(&*string(id).unwrap_or_default()),
            tool: self.trajectory.intern(&name),
            arguments: node.arguments.map_or_else(canonical::nothing, fingerprint),
            outcome: StepOutcome::Open,
            batch,
            t_ms: None,
        };
        self.trajectory.steps.push(step);
    }

    fn result(&mut self, node: &Node<'_>, body: Option<&RawValue>, tool: Option<Cow<'_, str>>) {
        self.batch = None;
        let result = match (&tool, body) {
            (Some(_), Some(body)) => match serde_json::from_str(body.get()) {
                Ok(response) => ReadResult::from_function_response(response),
                Err(_) => ReadResult::from_json(body.get().as_bytes()),
            },
            (_, body) => ReadResult::read(&ToolResult {
                call_id: None,
                body: body.map_or(ResultBody::Absent, |body| ResultBody::Value(body.get().as_bytes())),
                is_error: node.flagged(),
            }),
        };
        let id = string(node.call_id.or(node.id));
        match self
            .trajectory
            .take(id.as_deref(), tool.as_deref(), &result, Position::First)
        {
            Answer::Call { .. } => {}
            Answer::Again { .. } | Answer::Unknown => self.trajectory.unmatched += 1,
        }
    }
}

fn fingerprint(arguments: &RawValue) -> Fingerprint {
    canonical::arguments_text(arguments.get().as_bytes())
}
