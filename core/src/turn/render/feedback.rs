//! Corrections as messages ready to append: first the assistant's turn as the API will take it back, then what was
//! wrong, in the channel for tool results.
//!
//! A call that an API would not take back (arguments that cannot be read, no name) is left out of the replay and its
//! correction goes as the user's words. A replayed call without a correction waits for its own result.

use serde_json::{Map, Value, json};

use crate::turn::{Call, Reading, Turn, WireFormat, text};

/// What is said to the model about one call.
#[derive(Debug, Clone, Copy)]
pub struct Correction<'a> {
    /// Position in `turn.calls`.
    pub call: usize,
    /// The words.
    pub text: &'a str,
}

/// The messages, as a JSON array in the caller's shape; `general` is said last, about the turn as a whole.
pub fn feedback(turn: &Turn<'_>, corrections: &[Correction<'_>], general: Option<&str>) -> Value {
    let replay = Replay::of(turn, corrections, general);
    let messages = match turn.format {
        WireFormat::OpenaiChat | WireFormat::OpenaiSse => replay.chat(),
        WireFormat::Ollama => replay.ollama(),
        WireFormat::OpenaiResponses => replay.responses(),
        WireFormat::Anthropic => replay.anthropic(),
        WireFormat::Gemini => replay.gemini(),
        WireFormat::Mcp => replay.mcp(),
        WireFormat::JsonMode => replay.json_mode(),
        WireFormat::Text => replay.text(),
    };
    Value::Array(messages)
}

/// A call that is sent back.
struct Replayed<'r> {
    position: usize,
    call: &'r Call<'r>,
    arguments: Value,
}

/// What is sent back, and what is said of it.
struct Replay<'r> {
    turn: &'r Turn<'r>,
    calls: Vec<Replayed<'r>>,
    /// Of the calls that are sent back.
    answers: Vec<(&'r Call<'r>, usize, &'r str)>,
    /// What is said in the user's place.
    words: Vec<&'r str>,
}

impl<'r> Replay<'r> {
    fn of(turn: &'r Turn<'r>, corrections: &[Correction<'r>], general: Option<&'r str>) -> Self {
        let mut calls: Vec<Replayed<'r>> = Vec::new();
        for (position, call) in turn.calls.iter().enumerate() {
            let arguments = match &call.arguments.reading {
                Reading::Strict(value @ Value::Object(_)) | Reading::Rescued(value @ Value::Object(_)) => value.clone(),
                Reading::Absent => Value::Object(Map::new()),
                Reading::Strict(_) | Reading::Rescued(_) | Reading::Failed => continue,
            };
            let repeats = calls.iter().any(|other| other.call.id == call.id);
            if !call.name.trim().is_empty() && !repeats {
                calls.push(Replayed {
                    position,
                    call,
                    arguments,
                });
            }
        }
        let mut replay = Self {
            turn,
            calls,
            answers: Vec::new(),
            words: Vec::new(),
        };
        for correction in corrections {
            // A JSON-RPC request is answered, never replayed, so that its arguments do not matter.
            if let (WireFormat::Mcp, Some(call)) = (turn.format, turn.calls.get(correction.call)) {
                replay.answers.push((call, correction.call, correction.text));
                continue;
            }
            match replay
                .calls
                .iter()
                .find(|replayed| replayed.position == correction.call)
            {
                Some(replayed) => replay.answers.push((replayed.call, replayed.position, correction.text)),
                None => replay.words.push(correction.text),
            }
        }
        replay.words.extend(general);
        replay
    }

    /// JSON text of the arguments: as received, where that is JSON.
    fn arguments_text(replayed: &Replayed<'_>) -> String {
        match &replayed.call.arguments.reading {
            Reading::Strict(Value::Object(_)) => replayed.call.arguments.received.to_string(),
            _ => replayed.arguments.to_string(),
        }
    }

    fn says_anything(&self) -> bool {
        !self.calls.is_empty() || !self.turn.text.is_empty()
    }

    fn chat(&self) -> Vec<Value> {
        let calls = self.calls.iter().map(|it| {
            let function = json!({"name": it.call.name, "arguments": Self::arguments_text(it)});
            json!({"id": it.call.id, "type": "function", "function": function})
        });
        let mut messages = self.assistant(calls.collect());
        messages.extend(
            self.answers
                .iter()
                .map(|(call, _, text)| json!({"role": "tool", "tool_call_id": call.id, "content": text})),
        );
        messages.extend(self.user());
        messages
    }

    fn ollama(&self) -> Vec<Value> {
        let calls = self
            .calls
            .iter()
            .map(|it| json!({"function": {"name": it.call.name, "arguments": it.arguments}}));
        let mut messages = self.assistant(calls.collect());
        messages.extend(
            self.answers
                .iter()
                .map(|(call, _, text)| json!({"role": "tool", "tool_name": call.name, "content": text})),
        );
        messages.extend(self.user());
        messages
    }

    /// The assistant message with `tool_calls`; nothing where it says nothing.
    fn assistant(&self, calls: Vec<Value>) -> Vec<Value> {
        if !self.says_anything() {
            return Vec::new();
        }
        let mut message = json!({"role": "assistant", "content": self.turn.text});
        if let (Some(message), false) = (message.as_object_mut(), calls.is_empty()) {
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        vec![message]
    }

    fn user(&self) -> impl Iterator<Item = Value> + '_ {
        self.words.iter().map(|text| json!({"role": "user", "content": text}))
    }

    fn responses(&self) -> Vec<Value> {
        let mut items = Vec::new();
        if !self.turn.text.is_empty() {
            let content = json!([{"type": "output_text", "text": self.turn.text}]);
            items.push(json!({"type": "message", "role": "assistant", "content": content}));
        }
        items.extend(self.calls.iter().map(|it| {
            let arguments = Self::arguments_text(it);
            json!({"type": "function_call", "call_id": it.call.id, "name": it.call.name, "arguments": arguments})
        }));
        items.extend(
            self.answers
                .iter()
                .map(|(call, _, text)| json!({"type": "function_call_output", "call_id": call.id, "output": text})),
        );
        items.extend(self.user());
        items
    }

    fn anthropic(&self) -> Vec<Value> {
        let mut said = Vec::new();
        if !self.turn.text.trim().is_empty() {
            said.push(json!({"type": "text", "text": self.turn.text}));
        }
        said.extend(
            self.calls
                .iter()
                .map(|it| json!({"type": "tool_use", "id": it.call.id, "name": it.call.name, "input": it.arguments})),
        );
        let mut answer: Vec<Value> = self
            .answers
            .iter()
            .map(|(call, _, text)| {
                json!({"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": true})
            })
            .collect();
        answer.extend(self.words.iter().map(|text| json!({"type": "text", "text": text})));
        let messages = [("assistant", said), ("user", answer)];
        let told = messages.into_iter().filter(|(_, content)| !content.is_empty());
        told.map(|(role, content)| json!({"role": role, "content": content}))
            .collect()
    }

    fn gemini(&self) -> Vec<Value> {
        let with_id = |call: &Call<'_>, mut entries: Value| {
            if let (Some(entries), true) = (entries.as_object_mut(), call.id_given) {
                entries.insert("id".to_owned(), Value::from(&*call.id));
            }
            entries
        };
        let mut said = Vec::new();
        if !self.turn.text.is_empty() {
            said.push(json!({"text": self.turn.text}));
        }
        said.extend(
            self.calls.iter().map(
                |it| json!({"functionCall": with_id(it.call, json!({"name": it.call.name, "args": it.arguments}))}),
            ),
        );
        let mut answer: Vec<Value> = self
            .answers
            .iter()
            .map(|(call, _, text)| {
                let response = json!({"name": call.name, "response": {"error": text}});
                json!({"functionResponse": with_id(call, response)})
            })
            .collect();
        answer.extend(self.words.iter().map(|text| json!({"text": text})));
        let messages = [("model", said), ("user", answer)];
        let told = messages.into_iter().filter(|(_, parts)| !parts.is_empty());
        told.map(|(role, parts)| json!({"role": role, "parts": parts}))
            .collect()
    }

    /// The answers to the requests. What belongs to no request is an error without an id.
    fn mcp(&self) -> Vec<Value> {
        let result = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
        let answers = self.answers.iter().map(|(_, position, text)| {
            let id = self.turn.origin.request_ids.get(*position).and_then(Option::as_deref);
            let id: Value = id.and_then(|id| serde_json::from_str(id).ok()).unwrap_or_default();
            json!({"jsonrpc": "2.0", "id": id, "result": result(text)})
        });
        let errors = self
            .words
            .iter()
            .map(|text| json!({"jsonrpc": "2.0", "id": null, "error": {"code": INVALID_REQUEST, "message": text}}));
        answers.chain(errors).collect()
    }

    fn json_mode(&self) -> Vec<Value> {
        let said = match self.calls.first() {
            Some(it) => json!({"action": "tool_call", "name": it.call.name, "arguments": it.arguments}).to_string(),
            None if self.turn.text.is_empty() => String::new(),
            None => json!({"action": "respond", "text": self.turn.text}).to_string(),
        };
        self.words_on(said)
    }

    fn text(&self) -> Vec<Value> {
        let mut said = self.turn.text.to_string();
        let mut first = 0;
        for block in &self.turn.origin.blocks {
            let places = first..first + block.calls.len();
            first = places.end;
            let texts: Vec<(&str, String)> = self
                .calls
                .iter()
                .filter(|it| places.contains(&it.position))
                .map(|it| (&*it.call.name, Self::arguments_text(it)))
                .collect();
            let calls: Vec<text::Outgoing<'_>> = texts
                .iter()
                .map(|(name, arguments)| text::Outgoing { name, arguments })
                .collect();
            if !calls.is_empty() {
                said.push_str(if said.is_empty() { "" } else { "\n" });
                said.push_str(&text::write(block.notation, &calls));
            }
        }
        self.words_on(said)
    }

    /// What was said, and every correction in the user's words.
    fn words_on(&self, said: String) -> Vec<Value> {
        let assistant = (!said.is_empty()).then(|| json!({"role": "assistant", "content": said}));
        let answers = self
            .answers
            .iter()
            .map(|(_, _, text)| json!({"role": "user", "content": text}));
        assistant.into_iter().chain(answers).chain(self.user()).collect()
    }
}

/// Of JSON-RPC.
const INVALID_REQUEST: i32 = -32600;
