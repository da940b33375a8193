//! Paths that climb out of where they start, or leave the folders that the policy allows.
//!
//! A `..` that stays inside is fine, and so is one plain step up: that is how people move between neighbouring folders.
//! With roots in the policy no step out of them is.

use crate::{
    code::Code,
    finding::Finding,
    layers::{
        Inspection,
        value::{decode::plain_path, leaf::Leaf, target::is_url, words::Words},
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
    let written = Climb::of(&leaf.text.replace('\\', "/"));
    let path = plain_path(leaf.text);
    let meant = Climb::of(&path);
    let roots = &inspection.policy.policy().value().path_roots;
    let disguised = meant.steps > written.steps;
    let climbs = match role {
        Role::Path if roots.is_empty() => {
            path.contains('\0') || meant.height > 1 && meant.target || disguised && meant.height > 0
        }
        Role::Path => path.contains('\0') || meant.height > 0,
        // Where no path is wanted only what can be nothing else counts.
        Role::Unknown => disguised || meant.height > 1 && meant.target && meant.bare,
        Role::Url if is_url(leaf.text) => disguised && meant.steps > 1,
        Role::Identifier | Role::Label | Role::Url | Role::Host | Role::Email | Role::Date | Role::Amount => {
            disguised || meant.steps > 1 && meant.target && meant.bare
        }
        Role::Secret | Role::Command | Role::Sql | Role::Code | Role::FreeText | Role::Template => false,
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
        return Climb::of(&path).height == 0;
    }
    if Climb::of(without_drive(&path)).height > 0 {
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

/// How a path climbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Climb {
    /// Levels above its start that it goes at most.
    height: usize,
    /// How many `..` it holds.
    steps: usize,
    /// Whether it names something after the last of them.
    target: bool,
    /// Whether there is no space from the first of them on, as there is in prose.
    bare: bool,
}

impl Climb {
    fn of(path: &str) -> Self {
        let (mut depth, mut lowest) = (0_i64, 0_i64);
        let mut climb = Self {
            height: 0,
            steps: 0,
            target: false,
            bare: true,
        };
        for segment in path.split('/') {
            // What follows a semicolon in a segment are its parameters (RFC 3986, section 3.3).
            match segment.split(';').next().unwrap_or_default() {
                "" | "." => {}
                ".." => {
                    depth -= 1;
                    lowest = lowest.min(depth);
                    climb.steps += 1;
                    climb.target = false;
                }
                name => {
                    depth += 1;
                    climb.target = true;
                    climb.bare &= climb.steps == 0 || !name.contains(char::is_whitespace);
                }
            }
        }
        climb.height = usize::try_from(-lowest).unwrap_or_default();
        climb
    }
}
