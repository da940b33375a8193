//! The real names nearest to one that does not exist.

use crate::tools::ToolSet;

/// Longest name that is compared, in characters.
const MAX_COMPARED: usize = 64;

/// At most `count` names, nearest first.
pub(super) fn nearest<'t>(toolset: &'t ToolSet, name: &str, count: usize) -> Vec<&'t str> {
    let short = |text: &str| text.chars().take(MAX_COMPARED).collect::<String>().to_lowercase();
    let name = short(name);
    let mut scored: Vec<(usize, &str)> = toolset
        .tools()
        .iter()
        .map(|tool| (strsim::osa_distance(&name, &short(&tool.name)), &*tool.name))
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(count).map(|(_, name)| name).collect()
}
