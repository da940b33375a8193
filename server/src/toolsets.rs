//! Compiled toolsets, shared by all requests and named by their content.
//!
//! The same bytes are compiled once, also when many requests bring them at the same moment. A reference is a hash of
//! the content: who knows it has seen the content, so one cache serves all tenants and tells nobody anything new.

use std::sync::Arc;

use moka::sync::Cache;
use toolward_core::{
    limits::{Limits, Refusal},
    tools::ToolSet,
};

use crate::{
    config::ToolsetsConfig,
    error::Error,
    limits::Deadline,
    telemetry::{Metrics, events::ToolsetEvent, labels::Lookup},
};

/// Toolsets above this many bytes are compiled away from the threads that serve requests.
const LARGE_BYTES: usize = 128 << 10;

/// What a toolset costs in memory: its definitions many times over once they are read and compiled, something for each
/// tool, and most of all its patterns, whose automata grow with use.
const BYTES_PER_BYTE: usize = 16;
const BYTES_PER_TOOL: usize = 2_048;
const BYTES_PER_PATTERN: usize = 64 << 10;

/// The cache of toolsets.
#[derive(Debug, Clone)]
pub struct Toolsets {
    by_content: Cache<[u8; 32], Entry, ahash::RandomState>,
    by_reference: Cache<String, Entry, ahash::RandomState>,
    empty: Arc<ToolSet>,
    limits: Limits,
    metrics: Arc<Metrics>,
}

#[derive(Debug, Clone)]
struct Entry {
    toolset: Arc<ToolSet>,
    bytes: u32,
}

impl Toolsets {
    /// An empty cache.
    pub fn new(settings: &ToolsetsConfig, limits: Limits, metrics: Arc<Metrics>) -> Self {
        Self {
            by_content: Cache::builder()
                .max_capacity(settings.max_bytes)
                .weigher(|_, entry: &Entry| entry.bytes)
                .build_with_hasher(ahash::RandomState::new()),
            // Holds the same sets, so it costs only the references.
            by_reference: Cache::builder()
                .max_capacity(settings.max_bytes)
                .weigher(|_, entry: &Entry| entry.bytes)
                .build_with_hasher(ahash::RandomState::new()),
            empty: Arc::new(ToolSet::empty()),
            limits,
            metrics,
        }
    }

    /// The set of no tools.
    pub fn empty(&self) -> Arc<ToolSet> {
        Arc::clone(&self.empty)
    }

    /// The set that an earlier request brought.
    ///
    /// # Errors
    /// It was never seen here, or is forgotten.
    pub fn by_reference(&self, reference: &str) -> Result<Arc<ToolSet>, Error> {
        let found = self.by_reference.get(reference);
        self.tell(if found.is_some() { Lookup::Hit } else { Lookup::Unknown });
        found.map(|entry| entry.toolset).ok_or(Error::ToolsetUnknown)
    }

    /// The set of these definitions, compiled now or before.
    ///
    /// # Errors
    /// The definitions are refused, or the deadline passes.
    pub async fn read(&self, json: &bytes::Bytes, deadline: Deadline) -> Result<Arc<ToolSet>, Error> {
        if json.len() > self.limits.max_tools_bytes {
            // Refused by the core in its own words, and never hashed or kept.
            return Ok(Arc::new(ToolSet::read(json, &self.limits)?));
        }
        let key: [u8; 32] = blake3::hash(json).into();
        if let Some(entry) = self.by_content.get(&key) {
            self.tell(Lookup::Hit);
            return Ok(entry.toolset);
        }
        if json.len() < LARGE_BYTES {
            return self.compile(key, json);
        }
        let (this, json) = (self.clone(), json.clone());
        let compiled = tokio::task::spawn_blocking(move || this.compile(key, &json));
        deadline.bound(compiled).await?.map_err(|_| Error::Internal)?
    }

    fn compile(&self, key: [u8; 32], json: &[u8]) -> Result<Arc<ToolSet>, Error> {
        let made = self.by_content.entry(key).or_try_insert_with(|| {
            let toolset = Arc::new(ToolSet::read(json, &self.limits)?);
            let bytes = weight(json, &toolset);
            Ok(Entry { toolset, bytes })
        });
        let entry = made.map_err(|refusal: Arc<Refusal>| Error::from((*refusal).clone()))?;
        let fresh = entry.is_fresh();
        let entry = entry.into_value();
        if fresh {
            self.by_reference
                .insert(entry.toolset.reference().to_owned(), entry.clone());
        }
        self.tell(if fresh { Lookup::Miss } else { Lookup::Hit });
        Ok(entry.toolset)
    }

    fn tell(&self, lookup: Lookup) {
        ToolsetEvent { lookup }.emit(&self.metrics);
    }
}

fn weight(json: &[u8], toolset: &ToolSet) -> u32 {
    let patterns = memchr::memmem::find_iter(json, b"pattern").count();
    let bytes = json
        .len()
        .saturating_mul(BYTES_PER_BYTE)
        .saturating_add(toolset.tools().len().saturating_mul(BYTES_PER_TOOL))
        .saturating_add(patterns.saturating_mul(BYTES_PER_PATTERN));
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
