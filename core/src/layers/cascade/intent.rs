//! How often the user asked for something to be done.
//!
//! "Send five pings", "roll it twice", "3 times": a number counts where a counting word or a word of the tool's own name
//! stands behind it, so that amounts, dates and ids do not.

use crate::trajectory::names;

const NUMBERS: [(&str, u32); 24] = [
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("couple", 2),
    ("dozen", 12),
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("deux", 2),
    ("trois", 3),
    ("quatre", 4),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
];

const COUNTERS: [&str; 13] = [
    "times",
    "time",
    "x",
    "×",
    "copies",
    "mal",
    "fois",
    "veces",
    "repetitions",
    "runs",
    "tries",
    "attempts",
    "more",
];

/// How often a user may want the same call of a tool at most: 1 where nothing is counted, `u32::MAX` where repetition is
/// asked for without a number.
pub(super) fn wanted<'a>(said: impl Iterator<Item = &'a str>, tool: &str) -> u32 {
    said.map(|text| wanted_by(text, tool)).max().unwrap_or(1)
}

fn wanted_by(text: &str, tool: &str) -> u32 {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '×'))
        .filter(|word| !word.is_empty())
        .collect();
    let mut most = 1;
    for (index, word) in words.iter().enumerate() {
        if is_one_of(word, &["twice", "both", "zweimal", "doubly"]) {
            most = most.max(2);
        }
        if word.eq_ignore_ascii_case("thrice") {
            most = most.max(3);
        }
        if is_one_of(word, &["again", "nochmal"]) {
            most = most.max(2);
        }
        let keeps_on =
            word.eq_ignore_ascii_case("keep") && words.get(index + 1).is_some_and(|next| next.ends_with("ing"));
        if keeps_on || is_one_of(word, &["repeatedly", "continuously", "endlessly"]) {
            return u32::MAX;
        }
        let Some(number) = number(word) else { continue };
        let follows = words.iter().skip(index + 1).take(3);
        // "3x" at the end counts, "10x zoom" is a property.
        let is_last_factor =
            index + 1 == words.len() && word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(['x', '×']);
        if is_last_factor
            || follows.clone().take(2).any(|next| is_counter(next))
            || follows.into_iter().any(|next| names_tool(next, tool))
        {
            most = most.max(number);
        }
    }
    most
}

/// A count as a word or in digits; `5x` too.
fn number(word: &str) -> Option<u32> {
    if let Some((_, number)) = NUMBERS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)) {
        return Some(*number);
    }
    word.trim_end_matches(['x', '×'])
        .parse::<u32>()
        .ok()
        .filter(|number| (2..=1_000).contains(number))
}

fn is_counter(word: &str) -> bool {
    is_one_of(word, &COUNTERS)
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether a word is one of the tool's name, in the singular or the plural, or what such a tool makes.
fn names_tool(word: &str, tool: &str) -> bool {
    let stem = |word: &str| {
        let lower = word.to_lowercase();
        let cut = lower
            .strip_suffix("es")
            .or_else(|| lower.strip_suffix('s'))
            .map(str::to_owned);
        cut.unwrap_or(lower)
    };
    let wanted = stem(word);
    names::words(tool).any(|part| part.len() > 2 && stem(part) == wanted)
        || (matches!(wanted.as_str(), "dice" | "coin" | "agent" | "reviewer" | "worker") && names::is_repeatable(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counts_count() {
        for (text, tool, expected) in [
            ("Send five pings to the device", "send_ping", 5),
            ("Roll two dice", "roll_die", 2),
            ("Roll it twice", "roll_die", 2),
            ("post it 3 times", "create_post", 3),
            ("post it 3x", "create_post", 3),
            ("Start two reviewers on the same diff", "spawn_agent", 2),
            ("please check again", "get_weather", 2),
            ("keep checking until it is done", "get_status", u32::MAX),
            ("keep the same address", "set_address", 1),
            ("the camera with the 10x zoom", "get_camera", 1),
            ("a flight for six", "book_flight", 1),
            ("Transfer 100 dollars to Bob", "transfer_money", 1),
            ("Book a table for 4 people on May 5", "book_table", 1),
            ("Tell Ann I am late", "send_message", 1),
            ("order 12446", "cancel_order", 1),
            ("", "anything", 1),
        ] {
            assert_eq!(wanted([text].into_iter(), tool), expected, "{text}");
        }
    }
}
