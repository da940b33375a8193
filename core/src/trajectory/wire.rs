//! The shapes in which APIs write messages, as one borrowed node.
//!
//! OpenAI Chat and Responses, Anthropic, Gemini and Ollama use different keys for the same few things, so one reader
//! that knows all of them reads each in one pass; what is inside a key is scanned, and decoded only when it is asked
//! for.

use std::{borrow::Cow, fmt};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A message, an item, a content block or a call: whatever stands in braces.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    /// Where it is a string instead of an object.
    pub plain: Option<Cow<'a, str>>,
    pub is_object: bool,
    pub role: Option<&'a RawValue>,
    pub kind: Option<&'a RawValue>,
    pub content: Option<&'a RawValue>,
    pub parts: Option<&'a RawValue>,
    pub text: Option<&'a RawValue>,
    pub id: Option<&'a RawValue>,
    pub call_id: Option<&'a RawValue>,
    pub name: Option<&'a RawValue>,
    pub arguments: Option<&'a RawValue>,
    pub output: Option<&'a RawValue>,
    pub is_error: Option<&'a RawValue>,
    pub function: Option<&'a RawValue>,
    pub tool_calls: Option<&'a RawValue>,
    pub function_call: Option<&'a RawValue>,
    pub function_response: Option<&'a RawValue>,
    pub response: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Node<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NodeVisitor;
        impl<'de> Visitor<'de> for NodeVisitor {
            type Value = Node<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a message")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Node<'de>, E> {
                Ok(Node {
                    plain: Some(Cow::Borrowed(text)),
                    ..Node::default()
                })
            }

            fn visit_str<E>(self, text: &str) -> Result<Node<'de>, E> {
                Ok(Node {
                    plain: Some(Cow::Owned(text.to_owned())),
                    ..Node::default()
                })
            }

            fn visit_unit<E>(self) -> Result<Node<'de>, E> {
                Ok(Node::default())
            }

            fn visit_bool<E>(self, _: bool) -> Result<Node<'de>, E> {
                Ok(Node::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node<'de>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Node::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node<'de>, A::Error> {
                let mut node = Node {
                    is_object: true,
                    ..Node::default()
                };
                while let Some(Key(key)) = map.next_key::<Key>()? {
                    match key.and_then(|key| node.slot(key)) {
                        Some(slot) => *slot = Some(map.next_value()?),
                        None => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(node)
            }
        }
        deserializer.deserialize_any(NodeVisitor)
    }
}

#[derive(Clone, Copy)]
enum Slot {
    Role,
    Kind,
    Content,
    Parts,
    Text,
    Id,
    CallId,
    Name,
    Arguments,
    Output,
    IsError,
    Function,
    ToolCalls,
    FunctionCall,
    FunctionResponse,
    Response,
}

struct Key(Option<Slot>);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                Ok(Key(match key {
                    "role" => Some(Slot::Role),
                    "type" => Some(Slot::Kind),
                    "content" => Some(Slot::Content),
                    "parts" => Some(Slot::Parts),
                    "text" => Some(Slot::Text),
                    "id" => Some(Slot::Id),
                    "call_id" | "tool_call_id" | "tool_use_id" => Some(Slot::CallId),
                    "name" | "tool_name" => Some(Slot::Name),
                    "arguments" | "input" | "args" => Some(Slot::Arguments),
                    "output" => Some(Slot::Output),
                    "is_error" | "isError" => Some(Slot::IsError),
                    "function" | "custom" => Some(Slot::Function),
                    "tool_calls" => Some(Slot::ToolCalls),
                    "function_call" | "functionCall" => Some(Slot::FunctionCall),
                    "functionResponse" | "function_response" => Some(Slot::FunctionResponse),
                    "response" => Some(Slot::Response),
                    _ => None,
                }))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

impl<'a> Node<'a> {
    fn slot(&mut self, key: Slot) -> Option<&mut Option<&'a RawValue>> {
        Some(match key {
            Slot::Role => &mut self.role,
            Slot::Kind => &mut self.kind,
            Slot::Content => &mut self.content,
            Slot::Parts => &mut self.parts,
            Slot::Text => &mut self.text,
            Slot::Id => &mut self.id,
            Slot::CallId => &mut self.call_id,
            Slot::Name => &mut self.name,
            Slot::Arguments => &mut self.arguments,
            Slot::Output => &mut self.output,
            Slot::IsError => &mut self.is_error,
            Slot::Function => &mut self.function,
            Slot::ToolCalls => &mut self.tool_calls,
            Slot::FunctionCall => &mut self.function_call,
            Slot::FunctionResponse => &mut self.function_response,
            Slot::Response => &mut self.response,
        })
    }

    /// The nodes of a list; a single object counts as a list of one, anything else as none.
    pub fn list(raw: Option<&'a RawValue>) -> Vec<Node<'a>> {
        let Some(raw) = raw else { return Vec::new() };
        match raw.get().as_bytes().first() {
            Some(b'[') => serde_json::from_str(raw.get()).unwrap_or_default(),
            Some(b'{') => serde_json::from_str(raw.get())
                .map(|node| vec![node])
                .unwrap_or_default(),
            Some(_) | None => Vec::new(),
        }
    }

    /// The node under a key.
    pub fn one(raw: Option<&'a RawValue>) -> Option<Node<'a>> {
        serde_json::from_str(raw?.get()).ok()
    }

    /// The value of `type`.
    pub fn kind(&self) -> Cow<'a, str> {
        string(self.kind).unwrap_or_default()
    }

    /// The value of `role`.
    pub fn role(&self) -> Cow<'a, str> {
        string(self.role).unwrap_or_default()
    }

    /// Whether it says that it failed. `None`: it does not say.
    pub fn flagged(&self) -> Option<bool> {
        match self.is_error?.get() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }
}

/// The string under a key, borrowed where nothing in it is escaped. `None`: no string, or one that cannot be decoded.
pub(super) fn string(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let text = raw?.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str::<String>(text).ok().map(Cow::Owned)
}
