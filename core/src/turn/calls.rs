//! Calls that the caller has read already, and their JSON form `{"calls": [{"id", "name", "arguments"}]}`.

use std::borrow::Cow;

use super::{
    Finish, ProposedCall, WireFormat,
    arguments::Written,
    draft::{Draft, Proposed},
    invalid,
    raw::{Node, Object},
};
use crate::{code::Code, finding::Finding, limits::Refusal};

/// Takes over calls.
pub(super) fn take<'a>(calls: &[ProposedCall<'a>], format: Option<WireFormat>) -> Draft<'a> {
    let mut draft = Draft::new(format.unwrap_or(WireFormat::OpenaiChat));
    draft.calls = calls
        .iter()
        .map(|call| Proposed {
            id: call.id.map(Cow::Borrowed),
            wants_id: false,
            name: Cow::Borrowed(call.name),
            written: match std::str::from_utf8(call.arguments) {
                Ok(text) => Written::Text(Cow::Borrowed(text)),
                Err(error) => Written::Broken(String::from_utf8_lossy(call.arguments), not_utf8(error.valid_up_to())),
            },
            findings: Vec::new(),
        })
        .collect();
    draft
}

/// The entries of `calls`.
pub(super) fn entries<'a>(root: &Object<'a>) -> Result<Vec<Object<'a>>, Refusal> {
    let items = root.items("calls").ok_or_else(|| invalid("calls is not an array"))?;
    items
        .into_iter()
        .map(|item| {
            item.object()
                .ok_or_else(|| invalid("a call is not an object without repeated keys"))
        })
        .collect()
}

/// Reads the JSON form.
pub(super) fn read<'a>(root: Node<'a>, format: Option<WireFormat>) -> Result<Draft<'a>, Refusal> {
    let root = root
        .object()
        .ok_or_else(|| invalid("the calls are a JSON object without repeated keys"))?;
    let mut draft = Draft::new(format.unwrap_or(WireFormat::OpenaiChat));
    draft.finish = root
        .string("finish_reason")
        .as_deref()
        .map_or(Finish::Unsaid, Finish::parse);
    draft.say_content(root.get("text"));
    for entry in entries(&root)? {
        draft.calls.push(Proposed {
            id: entry.string("id"),
            wants_id: false,
            name: entry.string("name").unwrap_or_default(),
            written: Written::from_string(entry.get("arguments")),
            findings: Vec::new(),
        });
    }
    Ok(draft)
}

/// The finding for bytes that are no text.
pub(super) fn not_utf8(position: usize) -> Finding {
    Finding::new(Code::InvalidEncoding, format!("not UTF-8 from byte {position} on"))
        .suggestion("write the text in UTF-8")
}
