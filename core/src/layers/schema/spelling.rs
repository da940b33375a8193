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

/// The words of a key in any casing: `zipCode`, `zip_code`, `ZIP code`; digits at the end of a word do not count.
pub(super) fn words(key: &str) -> impl Iterator<Item = String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut after_lower = false;
    for character in key.chars().take(MAX_CHARS) {
        let starts = !character.is_alphabetic() || (character.is_uppercase() && after_lower);
        if starts {
            words.push(String::new());
        }
        after_lower = character.is_lowercase();
        if character.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
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
