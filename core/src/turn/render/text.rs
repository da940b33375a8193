//! Text with calls in it: each block keeps its place and its notation.

use super::rewrite::Rewrite;
use crate::turn::text::{Block, Outgoing, write};

/// The text with what was decided. A block of which nothing changed keeps its bytes.
pub(super) fn response(received: &str, rewrite: &Rewrite<'_>) -> String {
    let mut out = String::new();
    let mut from = 0;
    let mut position = 0;
    for block in &rewrite.turn.origin.blocks {
        let written = block_text(received, block, position, rewrite);
        match rewrite.text {
            None => out.push_str(received.get(from..block.span.start).unwrap_or_default()),
            Some(text) if out.is_empty() => out.push_str(text),
            Some(_) => {}
        }
        if let (Some(written), Some(_)) = (&written, rewrite.text) {
            out.push('\n');
            out.push_str(written);
        } else {
            out.push_str(&written.unwrap_or_default());
        }
        from = block.span.end;
        position += block.calls.len();
    }
    match rewrite.text {
        None => out.push_str(received.get(from..).unwrap_or_default()),
        Some(text) if out.is_empty() => out.push_str(text),
        Some(_) => {}
    }
    out
}

/// The block as it is to stand; `None` where no call of it is left.
fn block_text(received: &str, block: &Block, first: usize, rewrite: &Rewrite<'_>) -> Option<String> {
    let positions = first..first + block.calls.len();
    let left: Vec<_> = positions.filter_map(|position| rewrite.call(position)).collect();
    if left.is_empty() {
        return None;
    }
    if left.len() == block.calls.len() && left.iter().all(|left| !left.replaced) {
        return received.get(block.span.clone()).map(str::to_owned);
    }
    let calls: Vec<Outgoing<'_>> = left
        .iter()
        .map(|left| Outgoing {
            name: left.name,
            arguments: left.arguments,
        })
        .collect();
    Some(write(block.notation, &calls))
}
