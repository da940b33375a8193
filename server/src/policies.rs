//! The policies of this server: the default one and those with names, read once at the start.

use std::{fs, path::Path, sync::Arc};

use ahash::AHashMap;
use toolward_core::policy::Policy;

use crate::config::PolicyConfig;

/// Every policy, by name.
#[derive(Debug, Clone)]
pub struct Policies {
    default: Arc<Policy>,
    named: AHashMap<String, Arc<Policy>>,
}

/// A policy file that cannot be used: every fault of every file, a line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct PolicyFaults(pub Vec<String>);

impl Policies {
    /// Reads every file that the configuration names. Warnings are logged.
    ///
    /// # Errors
    /// All faults of all files at once.
    pub fn load(config: &PolicyConfig) -> Result<Self, PolicyFaults> {
        let mut faults = Vec::new();
        let default = match &config.default {
            Some(path) => read(path, &mut faults),
            None => Some(Policy::default()),
        };
        let named: Vec<(String, Option<Policy>)> = config
            .named
            .iter()
            .map(|(name, path)| (name.clone(), read(path, &mut faults)))
            .collect();
        match default {
            Some(default) if faults.is_empty() => Ok(Self {
                default: Arc::new(default),
                named: named
                    .into_iter()
                    .filter_map(|(name, policy)| Some((name, Arc::new(policy?))))
                    .collect(),
            }),
            _ => Err(PolicyFaults(faults)),
        }
    }

    /// The policy of that name; the default one where none is given.
    pub fn get(&self, name: Option<&str>) -> Option<&Arc<Policy>> {
        match name {
            None | Some("" | "default") => Some(&self.default),
            Some(name) => self.named.get(name),
        }
    }
}

fn read(path: &Path, faults: &mut Vec<String>) -> Option<Policy> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            faults.push(format!("{}: {error}", path.display()));
            return None;
        }
    };
    match Policy::parse(&text) {
        Ok((policy, warnings)) => {
            for warning in warnings {
                tracing::warn!(file = %path.display(), warning = %warning, "a policy rule has no effect");
            }
            Some(policy)
        }
        Err(found) => {
            faults.extend(found.iter().map(|fault| format!("{}: {fault}", path.display())));
            None
        }
    }
}
