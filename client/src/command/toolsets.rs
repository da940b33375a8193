//! Toolsets that lines of the input declare: registered once, when the first document names them.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use tokio::sync::OnceCell;
use toolward_client::Client;
use toolward_document::Json;

/// Bytes of declared tools that are kept. They stay for the whole run, since any later document may name them.
const MAX_BYTES: usize = 1 << 30;

/// The toolsets declared so far.
#[derive(Debug, Default)]
pub(super) struct Toolsets {
    named: HashMap<String, Arc<Toolset>>,
    bytes: usize,
}

/// One declared toolset.
#[derive(Debug)]
pub(super) struct Toolset {
    tools: Bytes,
    /// `None` inside: the service did not take it, so each check carries the tools and is told why.
    reference: OnceCell<Option<String>>,
}

impl Toolsets {
    /// Declares or replaces. False: there is no room for it.
    pub(super) fn declare(&mut self, name: String, tools: Json) -> bool {
        let tools = tools.into_bytes();
        let before = self.named.get(&name).map_or(0, |toolset| toolset.tools.len());
        let bytes = self.bytes - before + tools.len();
        if bytes > MAX_BYTES {
            return false;
        }
        self.bytes = bytes;
        let reference = OnceCell::new();
        self.named.insert(name, Arc::new(Toolset { tools, reference }));
        true
    }

    /// The toolset of that name.
    pub(super) fn get(&self, name: &str) -> Option<Arc<Toolset>> {
        self.named.get(name).map(Arc::clone)
    }
}

impl Toolset {
    /// What the service calls it.
    pub(super) async fn reference(&self, client: &Client) -> Option<&str> {
        let register = || async {
            let registered = client.register_tools(self.tools.clone()).await.ok();
            registered
                .map(|registered| registered.toolset_ref)
                .filter(|reference| !reference.is_empty())
        };
        self.reference.get_or_init(register).await.as_deref()
    }

    /// The definitions, as a JSON array.
    pub(super) fn tools(&self) -> Bytes {
        self.tools.clone()
    }
}
