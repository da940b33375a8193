//! Lists of calls in the syntax of Python: `[get_time(), get_weather(city="Dublin")]`, as Llama writes them.

use std::borrow::Cow;

use super::{Notation, Search, proposed, python, python::PyCall, tool_line::written};

/// Brackets that are tried; a text with more is no list of calls.
const MAX_ATTEMPTS: usize = 256;

pub(super) fn find(search: &mut Search<'_, '_>) {
    let mut from = 0;
    for _ in 0..MAX_ATTEMPTS {
        let Some(at) = search.marker("[", from) else { return };
        from = at + 1;
        let Some((calls, end)) = list(search, at) else { continue };
        let alone = search.from(0).trim() == search.slice(at..end);
        let meant = calls.iter().all(|call| {
            let name = search.slice(call.name.clone());
            match &call.arguments {
                Ok(arguments) => {
                    search.is_whole(name, |key| arguments.contains_key(key)) || (alone && search.is_offered(name))
                }
                Err(_) => alone && search.is_offered(name),
            }
        });
        if !meant {
            continue;
        }
        from = end;
        let calls = calls
            .into_iter()
            .map(|call| {
                let (name, source) = (search.slice(call.name.clone()), search.slice(call.span.clone()));
                (
                    call.span,
                    proposed(Cow::Borrowed(name), written(source, call.arguments)),
                )
            })
            .collect();
        search.keep(Notation::Pythonic, at..end, calls);
    }
}

/// The calls of the list that begins at a bracket, and its end.
fn list(search: &Search<'_, '_>, at: usize) -> Option<(Vec<PyCall>, usize)> {
    let mut calls = Vec::new();
    let mut at = search.skip_space(at + 1);
    loop {
        let call = python::call(search.text, at, false)?;
        at = search.skip_space(call.span.end);
        calls.push(call);
        if search.from(at).starts_with(']') {
            return Some((calls, at + 1));
        }
        if !search.from(at).starts_with(',') {
            return None;
        }
        at = search.skip_space(at + 1);
    }
}
