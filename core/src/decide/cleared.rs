//! A call that may be forwarded.

/// A call that may be forwarded, with the exact arguments that were judged. Only this room can make one, so nothing
/// else can be forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    name: String,
    arguments: String,
    changed: bool,
}

impl Cleared {
    pub(super) fn new(name: String, arguments: String, changed: bool) -> Self {
        Self {
            name,
            arguments,
            changed,
        }
    }

    /// The tool's real name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments as JSON text: byte for byte as received where nothing was repaired.
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Whether name or arguments differ from what was received.
    pub fn changed(&self) -> bool {
        self.changed
    }
}
