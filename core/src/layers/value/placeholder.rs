//! Placeholders: a value that only marks the place where a value belongs.
//!
//! Whole values only; a text that speaks of `<path>` is a text. Some shapes are placeholders wherever one value is
//! wanted, others only where the field's role leaves no other reading. What the user said or the schema offers is none.

use crate::{
    code::Code,
    finding::Finding,
    layers::{
        Inspection,
        value::{
            leaf::Leaf,
            target::{Target, is_url},
            words::Words,
        },
    },
    policy::Role,
};

/// Longest placeholder, in bytes.
const MAX_BYTES: usize = 200;

/// How sure a shape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// A placeholder wherever a value is wanted: `<user_id>`, `YOUR_API_KEY`, `[INSERT NAME]`.
    Certain,
    /// A placeholder where no text, markup or label is wanted: `<TOKEN>`, `xxxxx`, `...`, `path/to/file`.
    Likely,
    /// A placeholder where neither text nor perhaps markup is wanted: `<date>`.
    Tag,
    /// A placeholder where a system's own value is wanted: `string`, `N/A`, `TODO`.
    InSystemValue,
}

/// The shape of a text, where it has one.
pub(super) fn shape(text: &str) -> Option<Shape> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES {
        return None;
    }
    bracketed(text)
        .or_else(|| addressed_to_reader(text))
        .or_else(|| filler(text))
        .or_else(|| inside(text))
}

/// `<…>`, `[…]`, `{{…}}`, `{…}`.
fn bracketed(text: &str) -> Option<Shape> {
    let between = |open: &str, close: &str| {
        text.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .map(str::trim)
    };
    if let Some(slot) = between("{{", "}}") {
        return is_slot(slot).then_some(Shape::Likely);
    }
    if let Some(slot) = between("<", ">") {
        let sentinel = matches!(slot, "stdin" | "stdout" | "stderr");
        let shape = if slot.contains(['_', ' ']) || asks(slot) {
            Shape::Certain
        } else if slot.contains('-') || !slot.chars().any(char::is_lowercase) {
            Shape::Likely
        } else {
            Shape::Tag
        };
        return (is_slot(slot) && !sentinel).then_some(shape);
    }
    if let Some(slot) = between("[", "]") {
        let shouted = slot.contains(['_', ' ']) && !slot.chars().any(char::is_lowercase);
        return (is_slot(slot) && (asks(slot) || shouted)).then_some(if asks(slot) {
            Shape::Certain
        } else {
            Shape::Likely
        });
    }
    None
}

/// A few words or one name: letters first, then letters, digits, spaces and `_-.`.
fn is_slot(slot: &str) -> bool {
    slot.starts_with(char::is_alphabetic)
        && slot.chars().count() <= 60
        && slot
            .chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ' ' | '\''))
}

/// Whether a slot speaks to who fills it in.
fn asks(slot: &str) -> bool {
    let first = slot.split(['_', '-', ' ']).next().unwrap_or_default();
    ["your", "insert", "enter", "replace", "fill"]
        .iter()
        .any(|it| first.eq_ignore_ascii_case(it))
}

/// `YOUR_API_KEY`, `your-token-here`, `INSERT_NAME`.
fn addressed_to_reader(text: &str) -> Option<Shape> {
    let name = text
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
    if !name || !asks(text) || !text.contains(['_', '-']) {
        return None;
    }
    let shouted = !text.chars().any(|it| it.is_ascii_lowercase());
    let here = text
        .get(text.len().saturating_sub(4)..)
        .is_some_and(|end| end.eq_ignore_ascii_case("here"));
    Some(if shouted || here { Shape::Certain } else { Shape::Likely })
}

/// `xxxxx`, `XXX-XXXX`, `sk-xxxxxxxx`, `...`, and words that say that there is nothing to say.
fn filler(text: &str) -> Option<Shape> {
    let crosses = text.chars().filter(|it| matches!(it, 'x' | 'X')).count();
    let others = text
        .chars()
        .filter(|it| !matches!(it, 'x' | 'X' | '-' | '_' | '.' | ' '))
        .count();
    if others == 0 && crosses >= 5 {
        return Some(Shape::Likely);
    }
    let tail = text.chars().rev().take_while(|it| matches!(it, 'x' | 'X')).count();
    if tail >= 6 && !text.contains([' ', '/', '.']) {
        return Some(Shape::InSystemValue);
    }
    if matches!(text, "..." | "…" | "<...>" | "<…>" | "[...]") {
        return Some(Shape::Likely);
    }
    let reference = text
        .strip_prefix('$')
        .is_some_and(|rest| !rest.is_empty() && rest.len() <= 2 && rest.bytes().all(|it| it.is_ascii_digit()));
    let word = [
        "string",
        "n/a",
        "tbd",
        "todo",
        "fixme",
        "placeholder",
        "changeme",
        "change_me",
        "dummy",
        "unknown",
        "undefined",
        "null",
        "nil",
    ];
    (reference || word.iter().any(|it| text.eq_ignore_ascii_case(it))).then_some(Shape::InSystemValue)
}

/// A slot inside a path or URL: `path/to/file`, `https://your-domain.com`, `https://host/{id}`.
fn inside(text: &str) -> Option<Shape> {
    let slotted = |open: char, close: char| {
        text.split(open)
            .skip(1)
            .any(|rest| rest.split_once(close).is_some_and(|(slot, _)| is_slot(slot)))
    };
    if is_url(text) {
        let own = text.split(['/', '.', '@', ':']).any(|label| {
            let label = label.to_ascii_lowercase();
            label.starts_with("your-") || matches!(&*label, "yourdomain" | "yourcompany" | "yoursite" | "yourwebsite")
        });
        return (own || slotted('<', '>') || slotted('{', '}')).then_some(Shape::Likely);
    }
    let path = text.contains("path/to/") || text.contains("path\\to\\");
    (path && !text.contains(char::is_whitespace)).then_some(Shape::Likely)
}

/// Looks at one text that has a shape.
pub(super) fn inspect(
    leaf: &Leaf<'_>,
    shape: Shape,
    role: Role,
    words: &Words<'_>,
    inspection: &Inspection<'_>,
    findings: &mut Vec<Finding>,
) {
    let counts = match role {
        Role::Code | Role::Command | Role::Sql | Role::Template => false,
        Role::FreeText => shape == Shape::Certain,
        Role::Unknown | Role::Amount => shape <= Shape::Likely,
        Role::Label => shape <= Shape::Tag,
        Role::Path | Role::Url | Role::Host | Role::Email | Role::Identifier | Role::Secret | Role::Date => {
            shape != Shape::InSystemValue || words.are_all()
        }
    };
    let templated = leaf.text.contains(['{', '<'])
        && leaf.described(
            inspection,
            &[
                "template",
                "placeholder",
                "handlebars",
                "mustache",
                "jinja",
                "interpolat",
                "{{",
                "workflow",
            ],
        );
    if !counts || templated || words.say(leaf.text) || leaf.offered(inspection) {
        return;
    }
    findings.push(
        Finding::new(Code::Placeholder, "this only marks the place of a value")
            .at(leaf.pointer())
            .received(leaf.text)
            .suggestion("give the value itself; where it is not known, look it up or ask the user"),
    );
}

/// Names that the world keeps free for examples (RFC 2606): nobody's, unless the user said it.
pub(super) fn example_host(text: &str) -> Option<String> {
    let host = match text.rsplit_once('@') {
        Some((_, host)) if !is_url(text) => host.to_owned(),
        _ => Target::read(text)?.name,
    };
    let host = host.to_ascii_lowercase();
    ["example.com", "example.org", "example.net"]
        .iter()
        .any(|it| host == *it || host.strip_suffix(it).is_some_and(|rest| rest.ends_with('.')))
        .then_some(host)
}

/// Looks at one text that names an example host.
pub(super) fn inspect_example(
    leaf: &Leaf<'_>,
    host: &str,
    role: Role,
    words: &Words<'_>,
    inspection: &Inspection<'_>,
    findings: &mut Vec<Finding>,
) {
    let wanted = matches!(role, Role::Url | Role::Host | Role::Email);
    if !wanted || !words.are_all() || words.say(host) || leaf.offered(inspection) || leaf.described(inspection, &[host])
    {
        return;
    }
    findings.push(
        Finding::new(
            Code::Placeholder,
            "an address that belongs to nobody, and that the user did not give",
        )
        .at(leaf.pointer())
        .received(leaf.text)
        .suggestion("give the real address; where it is not known, look it up or ask the user"),
    );
}
