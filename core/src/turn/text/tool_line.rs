//! Lines of the form `TOOL: name(key=value, …)`. A bare word is a text.

use std::borrow::Cow;

use serde_json::Value;

use super::{Notation, Search, proposed, python};
use crate::{code::Code, finding::Finding, turn::arguments::Written};

const MARK: &str = "TOOL:";

/// Lines that are tried; a text with more is no list of calls.
const MAX_ATTEMPTS: usize = 512;

pub(super) fn find(search: &mut Search<'_, '_>) {
    let mut from = 0;
    for _ in 0..MAX_ATTEMPTS {
        let Some(at) = search.marker(MARK, from) else {
            return;
        };
        from = at + MARK.len();
        if !search.starts_line(at) {
            continue;
        }
        let rest = search.from(from);
        let start = from + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let Some(call) = python::call(search.text, start, true) else {
            continue;
        };
        let line_ends = search.from(call.span.end).trim_start_matches([' ', '\t', '\r']);
        let name = search.slice(call.name.clone());
        let meant = search.is_offered(name) || call.arguments.is_ok();
        if !meant || !(line_ends.is_empty() || line_ends.starts_with('\n')) {
            continue;
        }
        from = call.span.end;
        let source = search.slice(call.span.clone());
        let written = written(source, call.arguments);
        let calls = vec![(call.span.clone(), proposed(Cow::Borrowed(name), written))];
        search.keep(Notation::ToolLine, at..call.span.end, calls);
    }
}

/// The arguments of a Python call as JSON.
pub(super) fn written<'t>(
    source: &'t str,
    arguments: Result<serde_json::Map<String, Value>, &'static str>,
) -> Written<'t> {
    match arguments {
        Ok(arguments) => {
            let value = Value::Object(arguments);
            Written::Read(value.to_string(), value, Vec::new())
        }
        Err(fault) => Written::Broken(Cow::Borrowed(source), Finding::new(Code::MalformedJson, fault)),
    }
}
