//! The name of a policy's content.

use std::fmt::Write as _;

use crate::policy::Policy;

/// Hexadecimal digits of a revision: enough to tell the revisions of one service apart.
const DIGITS: usize = 16;

/// The hash of what a policy means. Order of tables, spacing, comments and defaults that are written out do not count.
pub(super) fn of(policy: &Policy) -> String {
    let mut content = String::new();
    let Policy {
        revision: _,
        layers,
        codes,
        stages,
        max_poll_ms,
        max_attempts,
        fallback,
        value,
        semantic,
        tools,
        globs: _,
    } = policy;
    // Writing to a string cannot fail.
    let _ = write!(
        content,
        "{layers:?}\n{codes:?}\n{stages:?}\n{max_poll_ms}\n{max_attempts}\n{fallback:?}\n{value:?}\n{semantic:?}\n"
    );
    for tool in tools {
        let _ = writeln!(content, "{tool:?}");
    }
    blake3::hash(content.as_bytes()).to_hex().chars().take(DIGITS).collect()
}
