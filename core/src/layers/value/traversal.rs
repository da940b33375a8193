//! Paths that climb out of where they start, or leave the folders that the policy allows.
//!
//! A `..` that stays inside is fine, and so is one plain step up: that is how people move between neighbouring folders.
//! With roots in the policy no step out of them is.

use crate::{
    code::Code,
    finding::Finding,
    layers::{
        Inspection,
        value::{decode::plain_path, leaf::Leaf, words::Words},
    },
    policy::Role,
};

/// Whether a text can hold a climbing path at all.
pub(super) fn suspects(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find(bytes, b"..").is_some() || memchr::memchr2(b'%', 0, bytes).is_some() || !text.is_ascii()
}

/// Looks at one text.
pub(super) fn inspect(
    leaf: &Leaf<'_>,
    role: Role,
    words: &Words<'_>,
    inspection: &Inspection<'_>,
    findings: &mut Vec<Finding>,
) {
    let path = plain_path(leaf.text);
    let roots = &inspection.policy.policy().value().path_roots;
    let (climb, target) = climb(&path);
    let disguised = climb > 0 && climb > self::climb(&leaf.text.replace('\\', "/")).0;
    let climbs = match role {
        Role::Path => {
            let hidden = path.contains('\0') || disguised;
            let plain = climb > usize::from(roots.is_empty()) && (target || !roots.is_empty());
            hidden || plain
        }
        // In a field of another role only what can be nothing else counts: climbing twice and to somewhere.
        Role::Identifier
        | Role::Label
        | Role::Unknown
        | Role::Host
        | Role::Email
        | Role::Date
        | Role::Amount
        | Role::Secret => climb > 1 && target && !leaf.text.contains(char::is_whitespace),
        Role::Url => climb > 1 && disguised,
        Role::Command | Role::Sql | Role::Code | Role::FreeText | Role::Template => false,
    };
    if climbs && !(words.say(leaf.text) && roots.is_empty()) {
        findings.push(
            Finding::new(Code::PathTraversal, "the path climbs out of where it starts")
                .at(leaf.pointer())
                .received(leaf.text)
                .suggestion("give the path without .. and without encoded dots or slashes"),
        );
    }
}

/// Looks at one path under the roots of the policy.
pub(super) fn inspect_roots(leaf: &Leaf<'_>, inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    let roots = &inspection.policy.policy().value().path_roots;
    if roots.is_empty() || inside(leaf.text, roots) {
        return;
    }
    findings.push(
        Finding::new(
            Code::PathOutsideRoot,
            "the path is outside the folders that the policy allows",
        )
        .at(leaf.pointer())
        .expected(format!(
            "a path below {}",
            roots.iter().take(5).cloned().collect::<Vec<_>>().join(", ")
        ))
        .received(leaf.text),
    );
}

/// Whether a path stays in one of the folders. A relative path starts in one of them, wherever that is.
pub(super) fn inside(path: &str, roots: &[String]) -> bool {
    let path = plain_path(path);
    if path.contains('\0') {
        return false;
    }
    if !is_absolute(&path) {
        return climb(&path).0 == 0;
    }
    if climb(without_drive(&path)).0 > 0 {
        return false;
    }
    let drive = path.len() != without_drive(&path).len();
    let given = resolved(&path);
    roots.iter().any(|root| {
        let root = resolved(&root.replace('\\', "/"));
        let same = |(a, b): (&String, &String)| if drive { a.eq_ignore_ascii_case(b) } else { a == b };
        given.len() >= root.len() && root.iter().zip(&given).all(same)
    })
}

/// Starts at a root, a drive, a home folder or a `file:` URL.
fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~'])
        || without_drive(path).len() != path.len()
        || path.get(..5).is_some_and(|it| it.eq_ignore_ascii_case("file:"))
}

fn without_drive(path: &str) -> &str {
    match path.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => path.get(2..).unwrap_or_default(),
        _ => path,
    }
}

fn resolved(path: &str) -> Vec<String> {
    let mut segments = Vec::new();
    for segment in path.split('/').map(|segment| segment.trim_end_matches(' ')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other.to_owned()),
        }
    }
    segments
}

/// How many levels above its start a path goes at most, and whether it names something after the last climb.
fn climb(path: &str) -> (usize, bool) {
    let (mut depth, mut highest, mut target) = (0_i64, 0_i64, false);
    for segment in path.split('/') {
        // What follows a semicolon in a segment are its parameters (RFC 3986, section 3.3).
        match segment.split(';').next().unwrap_or_default() {
            "" | "." => {}
            ".." => {
                depth -= 1;
                highest = highest.min(depth);
                target = false;
            }
            _ => {
                depth += 1;
                target = true;
            }
        }
    }
    (usize::try_from(-highest).unwrap_or_default(), target)
}
