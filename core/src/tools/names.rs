//! What a name that a model wrote means among the tools offered.
//!
//! Models respell names in a few known ways: another case, a prefix of their training data (`functions.`), a server
//! prefix too many or too few (`mcp__fs__read`, `fs:read`), control tokens, quotes or `()` behind the name, other
//! separators. Each of these is undone only where one tool remains. Similarity is never used: `delete_user` is not
//! `delete_users`.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::OnceLock,
};

use super::Tool;

type Map<V> = HashMap<Box<str>, V, ahash::RandomState>;

/// Longest name, in bytes, for which other spellings are looked for.
const MAX_NAME_BYTES: usize = 256;

/// What a name that a model wrote means among the tools offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The very name; index into [`ToolSet::tools`](super::ToolSet::tools).
    Exact(usize),
    /// Another spelling of the one tool that it can mean.
    Respelt(usize),
    /// Several tools fit this spelling; their indexes.
    Ambiguous(Vec<usize>),
    /// None does.
    Unknown,
}

/// The names of a toolset, by hash. Spellings other than the exact one are indexed at the first miss.
#[derive(Debug, Default)]
pub(super) struct Names {
    exact: Map<usize>,
    spellings: OnceLock<Spellings>,
}

/// Tools by their spelling without case, without their own prefix, and without separators.
#[derive(Debug, Default)]
struct Spellings {
    by_case: Map<Vec<usize>>,
    by_tail: Map<Vec<usize>>,
    by_letters: Map<Vec<usize>>,
    tails_by_letters: Map<Vec<usize>>,
}

impl Names {
    pub(super) fn new(tools: &[Tool]) -> Self {
        let mut exact = Map::with_capacity_and_hasher(tools.len(), ahash::RandomState::new());
        for (index, tool) in tools.iter().enumerate() {
            if let Entry::Vacant(place) = exact.entry(tool.name.as_str().into()) {
                place.insert(index);
            }
        }
        Self {
            exact,
            spellings: OnceLock::new(),
        }
    }

    /// The tool of exactly that name; the first, where several bear it.
    pub(super) fn exact(&self, name: &str) -> Option<usize> {
        self.exact.get(name).copied()
    }

    pub(super) fn resolve(&self, name: &str, tools: &[Tool]) -> Resolution {
        if let Some(index) = self.exact(name) {
            return Resolution::Exact(index);
        }
        if self.exact.is_empty() {
            return Resolution::Unknown;
        }
        let bare = cleaned(name);
        if bare.is_empty() || bare.len() > MAX_NAME_BYTES {
            return Resolution::Unknown;
        }
        let spellings = self.spellings.get_or_init(|| Spellings::new(tools));
        let lower = bare.to_lowercase();
        let without_prefix = without_prefixes(&lower);
        let folded = letters(&lower);
        let stages: [&dyn Fn() -> Vec<usize>; 4] = [
            &|| self.exact(bare).into_iter().collect(),
            &|| found(&spellings.by_case, &lower).to_vec(),
            &|| {
                let mut all = found(&spellings.by_tail, &lower).to_vec();
                for part in &without_prefix {
                    all.extend_from_slice(found(&spellings.by_case, part));
                }
                all
            },
            &|| {
                let mut all = found(&spellings.by_letters, &folded).to_vec();
                all.extend_from_slice(found(&spellings.tails_by_letters, &folded));
                for part in &without_prefix {
                    all.extend_from_slice(found(&spellings.by_letters, &letters(part)));
                }
                all
            },
        ];
        for stage in stages {
            let mut candidates = stage();
            candidates.sort_unstable();
            candidates.dedup();
            match candidates.as_slice() {
                [] => {}
                [only] => return Resolution::Respelt(*only),
                _ => return Resolution::Ambiguous(candidates),
            }
        }
        Resolution::Unknown
    }
}

impl Spellings {
    fn new(tools: &[Tool]) -> Self {
        let mut spellings = Self::default();
        for (index, tool) in tools.iter().enumerate() {
            if tool.name.len() > MAX_NAME_BYTES {
                continue;
            }
            let lower = tool.name.to_lowercase();
            for tail in without_prefixes(&lower) {
                add(&mut spellings.tails_by_letters, letters(tail), index);
                add(&mut spellings.by_tail, tail.to_owned(), index);
            }
            add(&mut spellings.by_letters, letters(&lower), index);
            add(&mut spellings.by_case, lower, index);
        }
        spellings
    }
}

fn add(map: &mut Map<Vec<usize>>, key: String, index: usize) {
    if !key.is_empty() {
        map.entry(key.into_boxed_str()).or_default().push(index);
    }
}

fn found<'a>(map: &'a Map<Vec<usize>>, key: &str) -> &'a [usize] {
    map.get(key).map(Vec::as_slice).unwrap_or_default()
}

/// Without what is never part of a name: space, quotes, control tokens, an empty pair of parentheses.
fn cleaned(name: &str) -> &str {
    let mut name = name.trim();
    while let Some(rest) = name.strip_prefix("<|") {
        name = rest.split_once("|>").map_or("", |(_, behind)| behind).trim();
    }
    if let Some((before, _)) = name.split_once("<|") {
        name = before;
    }
    name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
    if let Some(before) = name.strip_suffix("()") {
        name = before.trim_end();
    }
    name
}

/// What remains of a lower-case name behind each prefix that may be a server, a namespace or a habit of the model.
fn without_prefixes(lower: &str) -> Vec<&str> {
    const SEPARATORS: [&str; 5] = ["__", "::", ":", ".", "/"];
    let mut parts = Vec::new();
    let mut push = |part: &str, from: usize| {
        // Two letters say too little to be the rest of a name.
        if part.len() >= 3 && !parts.contains(&from) {
            parts.push(from);
        }
    };
    for separator in SEPARATORS {
        for (at, found) in lower.match_indices(separator).take(8) {
            let from = at + found.len();
            if at > 0
                && let Some(part) = lower.get(from..)
            {
                push(part, from);
            }
        }
    }
    // Some gateways join prefix and name with a single underscore: only the prefixes that are known.
    for prefix in ["functions_", "function_", "default_api_", "mcp_", "tool_", "tools_"] {
        if let Some(part) = lower.strip_prefix(prefix) {
            push(part, prefix.len());
        }
    }
    parts.into_iter().filter_map(|from| lower.get(from..)).collect()
}

/// The name without separators.
fn letters(lower: &str) -> String {
    lower
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | '/' | ':' | ' '))
        .collect()
}
