//! Harmony's channels, as gpt-oss writes them: `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`.

use std::borrow::Cow;

use super::{Notation, Search, proposed};
use crate::turn::{arguments::Written, raw::Node};

const CHANNEL: &str = "<|channel|>";
const RECIPIENT: &str = "to=";
pub(crate) const MESSAGE: &str = "<|message|>";
pub(crate) const CALL: &str = "<|call|>";

pub(super) fn find(search: &mut Search<'_, '_>) {
    let mut from = 0;
    while let Some(at) = search.marker(CHANNEL, from) {
        from = at + CHANNEL.len();
        let Some((head, _)) = search.window(from).split_once(MESSAGE) else {
            continue;
        };
        let Some((_, recipient)) = head.split_once(RECIPIENT).filter(|_| !head.contains(CHANNEL)) else {
            continue;
        };
        let name = recipient.split([' ', '<']).next().unwrap_or_default();
        let name = name.strip_prefix("functions.").unwrap_or(name);
        if name.is_empty() || (!search.is_offered(name) && !search.starts_line(at)) {
            continue;
        }
        let start = search.skip_space(from + head.len() + MESSAGE.len());
        let Some((node, length)) = Node::prefix(search.from(start)) else {
            let rest = search.from(start);
            let ends = [CHANNEL, CALL]
                .iter()
                .any(|mark| memchr::memmem::find(rest.as_bytes(), mark.as_bytes()).is_some());
            if rest.starts_with('{') && !ends {
                search.cut = true;
                return;
            }
            continue;
        };
        let after = search.skip_space(start + length);
        let end = if search.from(after).starts_with(CALL) {
            after + CALL.len()
        } else {
            start + length
        };
        if end == start + length && after < search.text.len() {
            continue;
        }
        from = end;
        let call = proposed(Cow::Borrowed(name), Written::from_value(Some(node)));
        search.keep(Notation::Harmony, at..end, vec![(at..end, call)]);
    }
}
