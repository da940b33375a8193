//! When two keys are the same word, and when one is near to another.

/// Longest key that is compared, in characters.
const MAX_CHARS: usize = 64;
/// From this likeness on a key was probably meant.
const NEAR: f64 = 0.75;

/// A key without case and separators.
pub(super) fn folded(key: &str) -> String {
    key.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' ' | '.'))
        .flat_map(char::to_lowercase)
        .take(MAX_CHARS)
        .collect()
}

/// Whether two keys differ only by case and separators.
pub(super) fn same(a: &str, b: &str) -> bool {
    folded(a) == folded(b)
}

/// The one of `known` that is most like `key`, if any is near.
pub(super) fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .take(256)
        .map(|candidate| (likeness(key, candidate), candidate))
        .filter(|(score, _)| *score >= NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn likeness(a: &str, b: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(&folded(a), &folded(b))
}
