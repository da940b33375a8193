//! Settings that hold for the whole of a layer.

use crate::policy::{HostPattern, Mode};

/// Whether something may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// Settings of the value layer.
#[derive(Debug, Clone)]
pub struct ValueSettings {
    /// Hosts in private address ranges; allowed by default: agents work inside networks.
    pub private_hosts: Access,
    /// The machine itself; allowed by default: developers test there.
    pub loopback: Access,
    /// Hosts that are never a `ssrf_target`.
    pub allowed_hosts: Vec<HostPattern>,
    /// Folders that absolute paths must stay in; empty: any path is allowed that does not climb out of its start.
    pub path_roots: Vec<String>,
}

impl Default for ValueSettings {
    fn default() -> Self {
        Self {
            private_hosts: Access::Allow,
            loopback: Access::Allow,
            allowed_hosts: Vec::new(),
            path_roots: Vec::new(),
        }
    }
}

/// Settings of the semantic layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticSettings {
    /// Whether a model is asked about results, and whether its verdict counts. In shadow by default.
    pub judge: Mode,
    /// How many characters of a result the model is shown.
    pub max_result_chars: u32,
}

impl Default for SemanticSettings {
    fn default() -> Self {
        Self {
            judge: Mode::Shadow,
            max_result_chars: 4_000,
        }
    }
}
