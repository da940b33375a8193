//! Small readings of text that several readers need.

/// Whether a text holds an ASCII phrase, whatever the case.
pub fn contains_ignore_case(text: &str, phrase: &str) -> bool {
    let (text, phrase) = (text.as_bytes(), phrase.as_bytes());
    phrase.is_empty()
        || text
            .windows(phrase.len())
            .any(|window| window.eq_ignore_ascii_case(phrase))
}

/// The beginning of a text, at most so many bytes and whole characters.
pub fn head(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The end of a text, at most so many bytes and whole characters.
pub fn tail(text: &str, max_bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(max_bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

/// Whether a text begins with an ASCII phrase, whatever the case.
pub fn starts_with_ignore_case(text: &str, phrase: &str) -> bool {
    text.get(..phrase.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(phrase))
}

/// Whether a text ends with an ASCII phrase, whatever the case.
pub fn ends_with_ignore_case(text: &str, phrase: &str) -> bool {
    text.len()
        .checked_sub(phrase.len())
        .and_then(|from| text.get(from..))
        .is_some_and(|end| end.eq_ignore_ascii_case(phrase))
}
