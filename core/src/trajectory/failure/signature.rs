//! What two errors have in common when the same thing went wrong.

use xxhash_rust::xxh3::xxh3_64;

use super::MAX_SIGNATURE_BYTES;
use crate::trajectory::{Fingerprint, text::head, volatile};

/// The error without numbers, ids, paths, quotations and case: the same fault gives the same signature.
pub fn signature(text: &str) -> Fingerprint {
    let text = head(text, MAX_SIGNATURE_BYTES);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '\'' | '"' | '`' | '“' | '‘' if !plain.ends_with(|c: char| c.is_alphanumeric()) => {
                plain.push('"');
                match closing(after, c) {
                    Some(end) => after.get(end..).unwrap_or_default(),
                    None => after,
                }
            }
            _ => {
                plain.extend(c.to_lowercase());
                after
            }
        };
    }
    let mut sum = 0u64;
    for word in plain.split_ascii_whitespace() {
        let core = word.trim_matches(|c: char| c.is_ascii_punctuation() && !matches!(c, '/' | '"'));
        let folded = if core.contains('/')
            || core.contains('\\')
            || core.contains('@')
            || core.contains('_') && core.bytes().any(|b| b.is_ascii_digit())
        {
            1
        } else if volatile::is_volatile_word(core) {
            2
        } else {
            xxh3_64(&core.bytes().filter(|byte| !byte.is_ascii_digit()).collect::<Vec<u8>>())
        };
        if folded != xxh3_64(&[]) {
            sum = sum.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ folded;
        }
    }
    Fingerprint(sum)
}

/// Where a quotation ends, behind its closing mark; not across lines.
fn closing(text: &str, open: char) -> Option<usize> {
    let close = match open {
        '“' => '”',
        '‘' => '’',
        _ => open,
    };
    let mut previous = open;
    for (index, c) in text.char_indices() {
        let end = index + c.len_utf8();
        if c == '\n' {
            return None;
        }
        let next_is_letter = text
            .get(end..)
            .and_then(|rest| rest.chars().next())
            .is_some_and(char::is_alphanumeric);
        if c == close && previous != '\\' && !(close == '\'' && next_is_letter) {
            return Some(end);
        }
        previous = c;
    }
    None
}
