//! Undoes disguises of dots and slashes.
//!
//! Percent encoding (RFC 3986, section 2.1), encoded again up to three times, IIS's `%uXXXX`, overlong UTF-8 (which RFC
//! 3629 forbids and lenient decoders accept), and the look-alikes of `.`, `/` and `\` in Unicode.

use std::borrow::Cow;

/// How often an encoding may be encoded again.
const MAX_ROUNDS: usize = 3;

/// The text with every disguise undone, backslashes as slashes.
pub(super) fn plain_path(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        if !text.contains('%') {
            break;
        }
        let decoded = percent_round(&text);
        if decoded == *text {
            break;
        }
        text = Cow::Owned(decoded);
    }
    text.chars().map(plain_char).collect()
}

fn plain_char(letter: char) -> char {
    match letter {
        '\\' | '\u{2044}' | '\u{2215}' | '\u{2216}' | '\u{29F8}' | '\u{29F9}' | '\u{FE68}' | '\u{FF0F}'
        | '\u{FF3C}' => '/',
        '\u{2024}' | '\u{FE52}' | '\u{FF0E}' => '.',
        other => other,
    }
}

/// One round of percent decoding. What is no encoding stays as it is.
fn percent_round(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            if let Some((unit, after)) = unicode_escape(after) {
                let letter = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
                continue;
            }
            if let Some((byte, after)) = hex_pair(after) {
                bytes.push(byte);
                rest = after;
                continue;
            }
        }
        bytes.push(*first);
        rest = after;
    }
    let straight = without_overlong(&bytes);
    String::from_utf8_lossy(&straight).into_owned()
}

fn hex_pair(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (pair, rest) = bytes.split_at_checked(2)?;
    let [high, low] = <[u8; 2]>::try_from(pair).ok()?;
    let value = char::from(high).to_digit(16)? * 16 + char::from(low).to_digit(16)?;
    Some((u8::try_from(value).ok()?, rest))
}

fn unicode_escape(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let rest = bytes.strip_prefix(b"u").or_else(|| bytes.strip_prefix(b"U"))?;
    let (high, rest) = hex_pair(rest)?;
    let (low, rest) = hex_pair(rest)?;
    Some((u32::from(high) << 8 | u32::from(low), rest))
}

/// ASCII that was written in two or three bytes, as ASCII.
fn without_overlong(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.iter().any(|byte| matches!(byte, 0xC0 | 0xC1 | 0xE0)) {
        return Cow::Borrowed(bytes);
    }
    let mut straight = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        let short = match rest {
            [0xC0 | 0xC1, low, after @ ..] => Some(((first & 1) << 6 | low & 0x3F, after)),
            [0xE0, middle @ (0x80 | 0x81), low @ 0x80..=0xBF, after @ ..] => {
                Some(((middle & 1) << 6 | low & 0x3F, after))
            }
            _ => None,
        };
        match short {
            Some((byte, after)) => {
                straight.push(byte);
                rest = after;
            }
            None => {
                straight.push(*first);
                rest = after;
            }
        }
    }
    Cow::Owned(straight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_are_undone_and_the_rest_stays() {
        for (text, plain) in [
            ("a/b.c", "a/b.c"),
            ("a\\b", "a/b"),
            ("%2e%2E%2f", "../"),
            ("%252e%252e%255c", "../"),
            ("%25252e", "."),
            ("%2525252e", "%2e"),
            ("%%32%65", "."),
            ("%c0%ae%e0%80%af%c1%9c", ".//"),
            ("%u002e%U2215", "./"),
            ("．．／", "../"),
            ("100% sure, 50%", "100% sure, 50%"),
            ("%zz%1", "%zz%1"),
            ("caf%C3%A9 Zoë", "café Zoë"),
            ("%", "%"),
            ("", ""),
        ] {
            assert_eq!(plain_path(text), plain, "{text}");
        }
    }
}
