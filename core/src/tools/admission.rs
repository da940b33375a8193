//! Whether a schema is affordable, before it is compiled.
//!
//! A validator visits the schemas that apply at one place of the arguments; references through `anyOf`, `oneOf` and
//! `allOf` multiply them (a chain of two-way choices doubles per level), and a recursive schema multiplies them again
//! with each level of the arguments. Both are computed here from the schema alone: the worst number of visits along one
//! path of the arguments, by depth of the arguments. The computation itself is bounded.

mod graph;

use serde_json::Value;

use crate::limits::Limits;
use graph::Graph;

/// Longest chain of schemas that lead to one another, through properties and references: each costs stack.
const MAX_CHAIN: usize = 160;
/// Longest chain at one place of the arguments: it is walked anew at each level of the arguments.
const MAX_CHAIN_IN_PLACE: usize = 40;
/// Steps that the computation may take.
const MAX_STEPS: usize = 2_000_000;
/// Arguments nested less deeply than this must be affordable, or the schema is refused.
const MIN_DEPTH: usize = 8;
/// References that could not be followed here (only the validator knows base addresses); each counts as a choice.
const MAX_UNFOLLOWED: usize = 8;
const MAX_PATTERNS: usize = 128;
const MAX_PATTERN_BYTES: usize = 4096;

/// What validating costs in the worst case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cost {
    /// Visits along one path of the arguments, by the depth of the arguments; the last entry holds for all deeper.
    visits: Vec<f32>,
    /// Arguments may not be nested more deeply than this. `None`: no bound.
    pub max_depth: Option<usize>,
    /// Some pattern needs an engine that backtracks.
    pub backtracks: bool,
}

impl Cost {
    /// Visits along one path for arguments of this depth.
    pub(super) fn visits(&self, depth: usize) -> f64 {
        let at = depth.min(self.visits.len().saturating_sub(1));
        self.visits.get(at).copied().map_or(1.0, f64::from)
    }
}

/// The cost of a schema, or one sentence that says why it is refused.
pub(super) fn admit(schema: &Value, bytes: usize, limits: &Limits) -> Result<Cost, String> {
    // The definition's size is an upper bound; only where it is too large is the schema alone measured.
    if bytes > limits.max_schema_bytes && schema.to_string().len() > limits.max_schema_bytes {
        return Err(format!("the schema is larger than {} bytes", limits.max_schema_bytes));
    }
    let graph = Graph::read(schema);
    if graph.patterns.len() > MAX_PATTERNS {
        return Err(format!("the schema holds more than {MAX_PATTERNS} patterns"));
    }
    if graph.patterns.iter().any(|pattern| pattern.len() > MAX_PATTERN_BYTES) {
        return Err(format!("a pattern is longer than {MAX_PATTERN_BYTES} bytes"));
    }
    if graph.references > 0 && graph.named > graph::MAX_NAMED {
        return Err(format!(
            "more than {} schemas have a name of their own",
            graph::MAX_NAMED
        ));
    }
    if graph.unfollowed > MAX_UNFOLLOWED {
        return Err("too many references lead out of the schema".to_owned());
    }
    let backtracks = graph.patterns.iter().any(|pattern| needs_backtracking(pattern));
    let visits = if graph.references == 0 {
        vec![graph.len() as f32]
    } else {
        graph.check_chains(MAX_CHAIN, MAX_CHAIN_IN_PLACE)?;
        graph.visits_by_depth(limits.max_arguments_depth, MAX_STEPS)?
    };
    let limit = limits.max_schema_expansion as f32;
    let max_depth = match visits.iter().position(|visits| *visits > limit) {
        Some(depth) if depth < MIN_DEPTH => {
            return Err(format!(
                "a validation may visit more than {} schemas: references through combinators multiply",
                limits.max_schema_expansion
            ));
        }
        Some(depth) => Some(depth - 1),
        None => None,
    };
    Ok(Cost {
        visits,
        max_depth,
        backtracks,
    })
}

/// Whether a pattern holds what a linear engine cannot do. Errs towards yes.
fn needs_backtracking(pattern: &str) -> bool {
    const SIGNS: [&str; 7] = ["(?=", "(?!", "(?<", "(?>", "\\k", "(?(", "\\K"];
    let refers_back = pattern
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [b'\\', b'1'..=b'9']));
    refers_back || SIGNS.iter().any(|sign| pattern.contains(sign))
}
