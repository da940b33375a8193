//! Calls as markup, one element for each argument: DeepSeek's `<｜DSML｜invoke name="…">` and Qwen3-Coder's
//! `<function=…><parameter=…>`.
//!
//! The text of an argument is what the tool's schema says it is: text where it wants text, else JSON where it is JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Notation, Search, proposed};
use crate::{code::Code, finding::Finding, turn::arguments::Written};

/// The marks of one notation.
pub(crate) struct Markup {
    notation: Notation,
    pub open: &'static str,
    pub open_end: &'static str,
    pub close: &'static str,
    pub parameter: &'static str,
    pub parameter_end: &'static str,
    /// What may stand around the element.
    pub around: [&'static str; 2],
}

pub(crate) const DSML: Markup = Markup {
    notation: Notation::Dsml,
    open: "<｜DSML｜invoke name=\"",
    open_end: "\">",
    close: "</｜DSML｜invoke>",
    parameter: "<｜DSML｜parameter name=\"",
    parameter_end: "</｜DSML｜parameter>",
    around: ["<｜DSML｜function_calls>", "</｜DSML｜function_calls>"],
};

pub(crate) const QWEN: Markup = Markup {
    notation: Notation::QwenXml,
    open: "<function=",
    open_end: ">",
    close: "</function>",
    parameter: "<parameter=",
    parameter_end: "</parameter>",
    around: [super::hermes::OPEN, super::hermes::CLOSE],
};

/// Looks for elements.
pub(super) fn find(search: &mut Search<'_, '_>, markup: &Markup) {
    let mut from = 0;
    while let Some(at) = search.marker(markup.open, from) {
        let start = at + markup.open.len();
        let Some(length) = memchr::memmem::find(search.from(start).as_bytes(), markup.close.as_bytes()) else {
            return;
        };
        let (inside, end) = (start..start + length, start + length + markup.close.len());
        from = end;
        let Some((name, body)) = search.slice(inside.clone()).split_once(markup.open_end) else {
            continue;
        };
        let name = name.trim_matches(['"', ' ']);
        if search.is_mention(at) || !search.is_offered(name) {
            continue;
        }
        let arguments = parameters(search, markup, name, body);
        let whole = arguments
            .as_ref()
            .is_none_or(|map| search.is_whole(name, |key| map.contains_key(key)));
        if !whole && !alone(search, markup, at, end) {
            continue;
        }
        let written = match arguments {
            Some(arguments) => {
                let value = Value::Object(arguments);
                Written::Read(value.to_string(), value, Vec::new())
            }
            None => Written::Broken(Cow::Borrowed(body), unclear()),
        };
        let span = widened(search, markup, at, end);
        from = span.end;
        search.keep(
            markup.notation,
            span,
            vec![(at..end, proposed(Cow::Borrowed(name), written))],
        );
    }
}

fn unclear() -> Finding {
    Finding::new(Code::MalformedJson, "an argument is given twice, or does not close")
}

/// The arguments; `None` where one does not close or comes twice.
fn parameters(search: &Search<'_, '_>, markup: &Markup, tool: &str, body: &str) -> Option<Map<String, Value>> {
    let properties = search.tool(tool).and_then(|tool| tool.input.source().get("properties"));
    let mut arguments = Map::new();
    let mut rest = body;
    while let Some((_, tail)) = rest.split_once(markup.parameter) {
        let (value, tail) = tail.split_once(markup.parameter_end)?;
        let (head, value) = value.split_once('>')?;
        let (key, said) = match head.split_once('"') {
            Some((key, attributes)) => (key, attributes.split('"').nth(1)),
            None => (head, None),
        };
        let kind = properties
            .and_then(|all| all.get(key))
            .and_then(|schema| schema.get("type"));
        let is_text = said.map_or_else(|| kind.and_then(Value::as_str) == Some("string"), |said| said == "true");
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let value = match serde_json::from_str(value) {
            Ok(json) if !is_text => json,
            _ => Value::String(value.to_owned()),
        };
        if arguments.insert(key.trim().to_owned(), value).is_some() {
            return None;
        }
        rest = tail;
    }
    Some(arguments)
}

fn widened(search: &Search<'_, '_>, markup: &Markup, at: usize, end: usize) -> std::ops::Range<usize> {
    let [before, behind] = markup.around;
    let head = search.text.get(..at).unwrap_or_default().trim_end();
    let at = head.strip_suffix(before).map_or(at, str::len);
    let next = search.skip_space(end);
    let end = if search.from(next).starts_with(behind) {
        next + behind.len()
    } else {
        end
    };
    at..end
}

/// Whether the element is all that its text holds.
fn alone(search: &Search<'_, '_>, markup: &Markup, at: usize, end: usize) -> bool {
    let span = widened(search, markup, at, end);
    search.text.trim() == search.slice(span)
}
