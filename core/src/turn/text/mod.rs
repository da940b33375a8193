//! Calls that models write into their text, in the notations that are in use.
//!
//! Text is text until a call is beyond doubt: it must close and name a tool that was offered; where the notation is one
//! that prose or code can hold by chance, it must have its required arguments too. What stands in a code block or
//! between backticks is a mention. One text uses one notation: the first that gives calls counts.

mod deepseek;
mod harmony;
mod hermes;
mod json_call;
mod llama;
mod markup;
mod mistral;
mod python;
mod pythonic;
mod tool_line;
mod write;

use std::{borrow::Cow, ops::Range};

use serde_json::Value;

pub(super) use write::{Outgoing, write};

use super::{
    ReadOptions,
    arguments::Written,
    draft::Proposed,
    json_mode,
    raw::{Node, Object},
};
use crate::{
    finding::Finding,
    json,
    tools::{Resolution, Tool, ToolSet},
};

/// Bytes in which the head of a call, its name and marks, must end.
const MAX_HEAD: usize = 512;

/// A notation for calls in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// `<tool_call>{…}</tool_call>`.
    Hermes,
    /// `<tool_call><function=…><parameter=…>…`.
    QwenXml,
    /// `<|python_tag|>{…}`.
    Llama,
    /// `[TOOL_CALLS][{…}]`.
    Mistral,
    /// `<｜tool▁call▁begin｜>…`.
    DeepSeek,
    /// `<｜DSML｜invoke name="…">…`.
    Dsml,
    /// `<|channel|>commentary to=functions.…`.
    Harmony,
    /// The whole text is the call as JSON.
    Json,
    /// `TOOL: name(key=value)`.
    ToolLine,
    /// `[name(key=value), …]`.
    Pythonic,
}

/// A piece of text that holds calls and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub span: Range<usize>,
    pub notation: Notation,
    /// Where each call stands.
    pub calls: Vec<Range<usize>>,
}

/// What a text holds.
#[derive(Debug)]
pub(super) struct Found<'t> {
    /// The text without the calls.
    pub text: Cow<'t, str>,
    pub calls: Vec<Proposed<'t>>,
    pub blocks: Vec<Block>,
    /// The text ends in the middle of a call.
    pub cut: bool,
}

impl Notation {
    /// In the order in which they are looked for: marked ones first, loose ones last.
    const ALL: [Notation; 10] = [
        Notation::Hermes,
        Notation::QwenXml,
        Notation::Llama,
        Notation::Mistral,
        Notation::DeepSeek,
        Notation::Dsml,
        Notation::Harmony,
        Notation::Json,
        Notation::ToolLine,
        Notation::Pythonic,
    ];

    fn find(self, search: &mut Search<'_, '_>) {
        match self {
            Notation::Hermes => hermes::find(search),
            Notation::QwenXml => markup::find(search, &markup::QWEN),
            Notation::Llama => llama::find(search),
            Notation::Mistral => mistral::find(search),
            Notation::DeepSeek => deepseek::find(search),
            Notation::Dsml => markup::find(search, &markup::DSML),
            Notation::Harmony => harmony::find(search),
            Notation::Json => json_call::find(search),
            Notation::ToolLine => tool_line::find(search),
            Notation::Pythonic => pythonic::find(search),
        }
    }
}

impl Found<'_> {
    /// The same, on its own.
    pub(super) fn into_owned(self) -> Found<'static> {
        Found {
            text: Cow::Owned(self.text.into_owned()),
            calls: self.calls.into_iter().map(Proposed::into_owned).collect(),
            blocks: self.blocks,
            cut: self.cut,
        }
    }
}

/// Looks for calls.
pub(super) fn find<'t>(text: &'t str, toolset: &ToolSet, options: ReadOptions<'_>) -> Found<'t> {
    let mut search = Search {
        text,
        code: code_blocks(text),
        toolset,
        options,
        calls: Vec::new(),
        blocks: Vec::new(),
        cut: false,
    };
    for notation in Notation::ALL {
        notation.find(&mut search);
        if !search.calls.is_empty() || search.cut {
            break;
        }
    }
    Found {
        text: without(text, &search.blocks),
        calls: search.calls,
        blocks: search.blocks,
        cut: search.cut,
    }
}

/// The text between blocks.
pub(super) fn without<'t>(text: &'t str, blocks: &[Block]) -> Cow<'t, str> {
    let mut rest = String::new();
    let mut from = 0;
    for block in blocks {
        rest.push_str(text.get(from..block.span.start).unwrap_or_default());
        from = block.span.end;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    rest.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(rest.trim().to_owned())
}

/// One search: the text, what was offered, and what was found so far.
struct Search<'t, 's> {
    text: &'t str,
    code: Vec<Range<usize>>,
    toolset: &'s ToolSet,
    options: ReadOptions<'s>,
    calls: Vec<Proposed<'t>>,
    blocks: Vec<Block>,
    cut: bool,
}

impl<'t> Search<'t, '_> {
    /// The text from a position on.
    fn from(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The text from a position on, as far as a name and its marks may reach.
    fn window(&self, at: usize) -> &'t str {
        let rest = self.from(at);
        let end = (MAX_HEAD..=MAX_HEAD + 3).find(|end| rest.is_char_boundary(*end));
        end.and_then(|end| rest.get(..end)).unwrap_or(rest)
    }

    /// The text of a range.
    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// The next place of a marker that is not only mentioned.
    fn marker(&self, marker: &str, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += memchr::memmem::find(self.from(at).as_bytes(), marker.as_bytes())?;
            if !self.is_mention(at) {
                return Some(at);
            }
            at += marker.len();
        }
    }

    /// Whether a place is quoted as code.
    fn is_mention(&self, at: usize) -> bool {
        let block = self.code.partition_point(|block| block.end <= at);
        let fenced = self.code.get(block).is_some_and(|block| block.contains(&at));
        fenced || self.text.get(..at).unwrap_or_default().ends_with(['`', '"', '\''])
    }

    /// Whether nothing but space stands before a place on its line.
    fn starts_line(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        before
            .trim_end_matches([' ', '\t'])
            .chars()
            .next_back()
            .is_none_or(|last| last == '\n' || last == '>')
    }

    /// The position of the first character that is no space.
    fn skip_space(&self, at: usize) -> usize {
        let rest = self.from(at);
        at + (rest.len() - rest.trim_start().len())
    }

    /// The tool that a name means.
    fn tool(&self, name: &str) -> Option<&Tool> {
        match self.toolset.resolve(name) {
            Resolution::Exact(index) | Resolution::Respelt(index) => self.toolset.tools().get(index),
            Resolution::Ambiguous(indexes) => indexes.first().and_then(|index| self.toolset.tools().get(*index)),
            Resolution::Unknown => None,
        }
    }

    fn is_offered(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    /// Whether the name is offered and every required argument is there.
    fn is_whole<'k>(&self, name: &str, mut has: impl FnMut(&str) -> bool + 'k) -> bool {
        self.tool(name).is_some_and(|tool| {
            let required = tool.input.source().get("required").and_then(Value::as_array);
            required.is_none_or(|keys| keys.iter().filter_map(Value::as_str).all(&mut has))
        })
    }

    /// Keeps a block.
    fn keep(&mut self, notation: Notation, span: Range<usize>, calls: Vec<(Range<usize>, Proposed<'t>)>) {
        let (ranges, mut calls): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        self.blocks.push(Block {
            span,
            notation,
            calls: ranges,
        });
        self.calls.append(&mut calls);
    }

    /// A call that was to be JSON and is not: rescued, or told as broken with the name that can still be seen.
    fn rescue(&self, source: &'t str) -> Option<Proposed<'t>> {
        let fault = match json::rescue(source, self.options.limits) {
            Ok(rescued) if self.options.repair => {
                let found: Vec<Finding> = rescued.repairs.iter().map(json::Repair::finding).collect();
                let text = rescued.value.to_string();
                let mut call = Node::parse(&text)?
                    .object()
                    .and_then(|object| json_object(&object))?
                    .into_owned();
                match &call.written {
                    Written::Text(arguments) => {
                        let value = serde_json::from_str(arguments).ok()?;
                        call.written = Written::Read(arguments.to_string(), value, found);
                    }
                    _ => call.findings = found,
                }
                return Some(call);
            }
            Ok(_) => json::read(source, self.options.limits).err()?,
            Err(fault) => fault,
        };
        let name = seen_name(source)?;
        Some(proposed(
            Cow::Borrowed(name),
            Written::Broken(Cow::Borrowed(source), fault.finding()),
        ))
    }
}

/// The name in a broken object.
fn seen_name(source: &str) -> Option<&str> {
    let (_, rest) = source.split_once("name")?;
    let rest = rest
        .trim_start_matches(['"', '\''])
        .trim_start()
        .strip_prefix(':')?
        .trim_start();
    let rest = rest.strip_prefix(['"', '\''])?;
    rest.split(['"', '\'', '\n']).next().filter(|name| !name.is_empty())
}

/// A call without an id.
fn proposed<'t>(name: Cow<'t, str>, written: Written<'t>) -> Proposed<'t> {
    Proposed {
        id: None,
        wants_id: false,
        name,
        written,
        findings: Vec::new(),
    }
}

/// The call that a JSON object is: `{"name", "arguments" | "parameters"}`, alone or under `function`.
fn json_object<'t>(object: &Object<'t>) -> Option<Proposed<'t>> {
    let inner = object.object("function");
    let inner = inner.as_ref().unwrap_or(object);
    let name = inner.string("name")?;
    Some(proposed(name, json_mode::given(inner)))
}

/// The fenced code blocks of a text; not one that holds the whole text.
fn code_blocks(text: &str) -> Vec<Range<usize>> {
    let marks: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), b"```").collect();
    let blocks = marks.chunks_exact(2).filter_map(|pair| match pair {
        [start, end] => Some(*start..end + 3),
        _ => None,
    });
    let trimmed = text.trim();
    blocks.filter(|block| block.len() < trimmed.len()).collect()
}
