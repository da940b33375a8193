//! A captured OpenAI Chat stream: server-sent events, or the list of their chunks.
//!
//! Fragments belong together by index. Names are assigned, arguments appended, and nothing is decoded before all is
//! joined. Providers that number badly are met half-way: a new id, or a named fragment that opens an object after
//! a whole one, begins a new call.

use std::borrow::Cow;

use super::{
    Finish, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    raw::{Kind, Node, Object},
};
use crate::{
    code::Code,
    finding::Finding,
    limits::{Limits, Reason, Refusal},
};

/// The data of every event, in order, without the end mark.
pub(super) fn events(stream: &str) -> Vec<Cow<'_, str>> {
    let mut events = Vec::new();
    let mut open: Option<Cow<'_, str>> = None;
    for line in stream.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
        if line.is_empty() {
            events.extend(open.take());
            continue;
        }
        let Some(data) = line.strip_prefix("data:") else {
            continue;
        };
        let data = data.strip_prefix(' ').unwrap_or(data);
        if data == DONE || Node::parse(data).is_some() {
            // Captures without the blank lines between events are common.
            events.extend(open.take());
            events.push(Cow::Borrowed(data));
            continue;
        }
        match &mut open {
            Some(so_far) => {
                let so_far = so_far.to_mut();
                so_far.push('\n');
                so_far.push_str(data);
            }
            None => open = Some(Cow::Borrowed(data)),
        }
    }
    events.extend(open);
    events.retain(|event| !event.trim().is_empty() && event.trim() != DONE);
    events
}

/// The mark that ends a stream.
pub(super) const DONE: &str = "[DONE]";

/// Reads server-sent events. A last event that is cut off ends the stream in the middle.
pub(super) fn read_events(stream: &str, limits: &Limits) -> Result<Draft<'static>, Refusal> {
    let events = events(stream);
    let mut joined = Joined::default();
    for (position, event) in events.iter().enumerate() {
        match Node::parse(event).map(|node| node.object()) {
            Some(Some(chunk)) => joined.add(&chunk, limits)?,
            None if position + 1 == events.len() && position > 0 => break,
            _ => {
                return Err(invalid(
                    "an event of the stream is not a JSON object without repeated keys",
                ));
            }
        }
    }
    joined.draft(!events.is_empty())
}

/// Reads a list of chunks, or a single one.
pub(super) fn read_chunks(root: Node<'_>, limits: &Limits) -> Result<Draft<'static>, Refusal> {
    let mut joined = Joined::default();
    let chunks = root.items().unwrap_or_else(|| vec![root]);
    for chunk in &chunks {
        let chunk = chunk
            .object()
            .ok_or_else(|| invalid("a chunk is not a JSON object without repeated keys"))?;
        joined.add(&chunk, limits)?;
    }
    joined.draft(!chunks.is_empty())
}

/// What the stream has said so far.
#[derive(Debug, Default)]
struct Joined {
    text: String,
    finish: Option<Finish>,
    calls: Vec<Building>,
    findings: Vec<Finding>,
}

/// A call that may still grow.
#[derive(Debug, Default)]
struct Building {
    index: Option<String>,
    legacy: bool,
    id: Option<String>,
    name: String,
    arguments: Option<String>,
    closure: Closure,
    findings: Vec<Finding>,
}

impl Joined {
    fn add(&mut self, chunk: &Object<'_>, limits: &Limits) -> Result<(), Refusal> {
        for choice in chunk.items("choices").unwrap_or_default() {
            let choice = choice
                .object()
                .ok_or_else(|| invalid("a choice is not an object without repeated keys"))?;
            if choice.get("index").is_some_and(|index| index.text() != "0") {
                continue;
            }
            if let Some(reason) = choice.string("finish_reason").filter(|reason| !reason.is_empty()) {
                self.finish = Some(Finish::parse(&reason));
            }
            let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else {
                continue;
            };
            let delta = delta
                .object()
                .ok_or_else(|| invalid("a delta is not an object without repeated keys"))?;
            if let Some(text) = delta.string("content") {
                self.text.push_str(&text);
            }
            if let Some(list) = delta.get("tool_calls") {
                for entry in list.items().ok_or_else(|| invalid("tool_calls is not an array"))? {
                    let entry = entry.object();
                    let entry = entry.ok_or_else(|| invalid("a tool call is not an object without repeated keys"))?;
                    self.admit(limits)?;
                    let inner = entry.object("function");
                    self.fragment(&entry, inner.as_ref().unwrap_or(&entry), false);
                }
            }
            if let Some(call) = delta.object("function_call") {
                self.fragment(&Object(Vec::new()), &call, true);
            }
        }
        Ok(())
    }

    /// Refuses a stream of more calls than may come, before looking for a fragment's call gets slow.
    fn admit(&self, limits: &Limits) -> Result<(), Refusal> {
        if self.calls.len() <= limits.max_calls {
            return Ok(());
        }
        let message = format!("more calls than the {} that are allowed", limits.max_calls);
        Err(Refusal::new(Reason::TooManyCalls, message))
    }

    fn fragment(&mut self, entry: &Object<'_>, function: &Object<'_>, legacy: bool) {
        let index = entry.get("index").map(|index| index.text());
        let id = entry.string("id").filter(|id| !id.is_empty());
        let name = function.string("name").filter(|name| !name.is_empty());
        let piece = match function.get("arguments") {
            None => None,
            Some(node) if node.kind() == Kind::String => match node.string() {
                Some(text) => Some(text),
                None => {
                    let message = "a fragment of the arguments holds half of a surrogate pair";
                    self.findings.push(Finding::new(Code::InvalidEncoding, message));
                    None
                }
            },
            Some(node) => Some(Cow::Borrowed(node.text())),
        };
        let opens = name.is_some() && piece.as_ref().is_some_and(|piece| piece.trim_start().starts_with('{'));
        let at = self.find(index, id.as_deref(), opens, legacy);
        let Some(call) = self.calls.get_mut(at) else { return };
        if let Some(id) = id {
            call.id = Some(id.into_owned());
        }
        if let Some(name) = name {
            call.name = name.into_owned();
        }
        if let Some(piece) = piece {
            call.closure.feed(&piece);
            call.arguments.get_or_insert_default().push_str(&piece);
        }
    }

    /// The call that a fragment belongs to; a new one where none is.
    fn find(&mut self, index: Option<&str>, id: Option<&str>, opens: bool, legacy: bool) -> usize {
        let same_place = |call: &Building| call.legacy == legacy && (index.is_none() || call.index.as_deref() == index);
        let named = id.and_then(|id| {
            self.calls
                .iter()
                .rposition(|call| same_place(call) && call.id.as_deref() == Some(id))
        });
        if let Some(at) = named {
            return at;
        }
        let last = self.calls.iter().rposition(same_place);
        let current = last.and_then(|at| Some((at, self.calls.get(at)?)));
        let mut glued = false;
        if let Some((at, call)) = current {
            let other_id = id.is_some() && call.id.is_some();
            let begins = other_id || (opens && call.closure == Closure::Closed && call.id.is_none() | id.is_none());
            if !begins {
                return at;
            }
            glued = index.is_some();
        }
        let mut building = Building {
            index: index.map(str::to_owned),
            legacy,
            ..Building::default()
        };
        if glued {
            let message = "the stream gave two calls the same index; they were taken apart";
            building.findings.push(Finding::new(Code::RepairedStreamIndex, message));
        }
        self.calls.push(building);
        self.calls.len() - 1
    }

    fn draft(self, any: bool) -> Result<Draft<'static>, Refusal> {
        if !any {
            return Err(invalid("the stream has no chunk"));
        }
        let mut draft = Draft::new(WireFormat::OpenaiSse);
        draft.text = Cow::Owned(self.text);
        draft.finish = self.finish.unwrap_or(Finish::Length);
        draft.findings = self.findings;
        draft.calls = self
            .calls
            .into_iter()
            .map(|call| Proposed {
                id: call.id.map(Cow::Owned),
                wants_id: !call.legacy,
                name: Cow::Owned(call.name),
                written: call
                    .arguments
                    .map_or(Written::Nothing, |text| Written::Text(Cow::Owned(text))),
                findings: call.findings,
            })
            .collect();
        Ok(draft)
    }
}

/// Whether the arguments so far are one whole object. Fed piece by piece, so that asking costs nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Closure {
    #[default]
    Empty,
    Open {
        depth: usize,
        in_string: bool,
        escaped: bool,
    },
    Closed,
    /// Something follows the object, or no object came.
    Other,
}

impl Closure {
    fn feed(&mut self, piece: &str) {
        for byte in piece.bytes() {
            *self = self.step(byte);
        }
    }

    fn step(self, byte: u8) -> Self {
        match self {
            Closure::Empty | Closure::Closed if byte.is_ascii_whitespace() => self,
            Closure::Empty if byte == b'{' => Closure::Open {
                depth: 1,
                in_string: false,
                escaped: false,
            },
            Closure::Empty | Closure::Closed | Closure::Other => Closure::Other,
            Closure::Open {
                depth,
                in_string: true,
                escaped,
            } => {
                let closes = byte == b'"' && !escaped;
                Closure::Open {
                    depth,
                    in_string: !closes,
                    escaped: byte == b'\\' && !escaped,
                }
            }
            Closure::Open {
                depth,
                in_string: false,
                ..
            } => match byte {
                b'}' | b']' if depth == 1 => Closure::Closed,
                b'}' | b']' => Closure::Open {
                    depth: depth - 1,
                    in_string: false,
                    escaped: false,
                },
                b'{' | b'[' => Closure::Open {
                    depth: depth + 1,
                    in_string: false,
                    escaped: false,
                },
                _ => Closure::Open {
                    depth,
                    in_string: byte == b'"',
                    escaped: false,
                },
            },
        }
    }
}
