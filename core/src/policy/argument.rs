//! Rules of the operator's for one argument: its role, and what its values may be.

use ipnet::IpNet;
use regex::Regex;
use serde_json::Value;

use crate::policy::{Role, rulings::Rulings};

/// What the operator says of one argument of a tool, or of every item where the pointer holds `*`.
#[derive(Debug, Clone)]
pub struct ArgumentRule {
    pub(super) pointer: PointerPattern,
    pub(super) role: Option<Role>,
    pub(super) checks: Checks,
    pub(super) codes: Rulings,
}

/// What a value must be. Everything that is set must hold; nothing set: anything goes.
#[derive(Debug, Clone, Default)]
pub struct Checks {
    /// Found in a text; not anchored, as in JSON Schema.
    pub pattern: Option<Regex>,
    /// The only values; empty: any.
    pub one_of: Vec<Value>,
    /// Smallest number.
    pub minimum: Option<f64>,
    /// Largest number.
    pub maximum: Option<f64>,
    /// Longest text in characters, or list in items.
    pub max_length: Option<u32>,
    /// Networks that an IP address, or a URL's or host's address, must lie in; empty: any.
    pub cidr: Vec<IpNet>,
    /// Hosts that a URL, a host or an e-mail address must name; empty: any.
    pub hosts: Vec<HostPattern>,
    /// Folders that a path must stay in; empty: any.
    pub roots: Vec<String>,
}

impl ArgumentRule {
    /// The argument's role, where the operator says it.
    pub fn role(&self) -> Option<Role> {
        self.role
    }

    /// What its value must be.
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    /// The values that the rule is about, each with its pointer; at most `max`.
    pub fn values<'v>(&self, arguments: &'v Value, max: usize) -> Vec<(String, &'v Value)> {
        let mut found = vec![(String::new(), arguments)];
        for token in &self.pointer.0 {
            let mut next = Vec::new();
            for (pointer, value) in found {
                step(&pointer, value, token, max, &mut next);
            }
            found = next;
        }
        found
    }

    /// Whether the rule is about the argument at this pointer, exactly.
    pub fn covers(&self, pointer: &str) -> bool {
        self.pointer.matches(pointer) == Some(0)
    }

    /// Whether the rule is about the argument at this pointer or one that holds it.
    pub(super) fn reaches(&self, pointer: &str) -> bool {
        self.pointer.matches(pointer).is_some()
    }
}

/// One token down from a value: all items and members for `*`.
fn step<'v>(pointer: &str, value: &'v Value, token: &str, max: usize, found: &mut Vec<(String, &'v Value)>) {
    let room = max.saturating_sub(found.len());
    match value {
        Value::Array(items) if token == "*" => {
            found.extend(
                items
                    .iter()
                    .take(room)
                    .enumerate()
                    .map(|(index, it)| (format!("{pointer}/{index}"), it)),
            );
        }
        Value::Object(members) if token == "*" => {
            let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
            found.extend(
                members
                    .iter()
                    .take(room)
                    .map(|(key, it)| (format!("{pointer}/{}", escaped(key)), it)),
            );
        }
        Value::Array(_) | Value::Object(_) => {
            found.extend(
                value
                    .pointer(&format!("/{token}"))
                    .map(|it| (format!("{pointer}/{token}"), it)),
            );
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl Checks {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.pattern.is_none()
            && self.one_of.is_empty()
            && self.minimum.is_none()
            && self.maximum.is_none()
            && self.max_length.is_none()
            && self.cidr.is_empty()
            && self.hosts.is_empty()
            && self.roots.is_empty()
    }
}

/// A JSON Pointer in which `*` stands for any one key or index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PointerPattern(Vec<String>);

impl PointerPattern {
    /// Reads a pattern: empty, or `/`-separated tokens with `~0` and `~1` as in RFC 6901.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        let rest = text.strip_prefix('/')?;
        let valid = rest.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
        valid.then(|| Self(rest.split('/').map(str::to_owned).collect()))
    }

    /// How many tokens of a pointer lie below the pattern; `None` where it does not fit. Both sides stay escaped.
    fn matches(&self, pointer: &str) -> Option<usize> {
        let mut tokens = pointer
            .strip_prefix('/')
            .map(|rest| rest.split('/'))
            .into_iter()
            .flatten();
        for expected in &self.0 {
            let token = tokens.next()?;
            if expected != "*" && expected != token {
                return None;
            }
        }
        Some(tokens.count())
    }
}

/// A host in a list of the operator's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostPattern {
    /// This host, in lower case and punycode.
    Exact(String),
    /// Every host below this domain, but not the domain itself: written `*.example.org`.
    Below(String),
    /// Every address of a network.
    Net(IpNet),
}

impl HostPattern {
    /// Reads a host name, `*.` and a domain, an address, or a network in CIDR notation.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Ok(net) = text.parse::<IpNet>() {
            return Some(Self::Net(net));
        }
        if let Ok(address) = text
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<core::net::IpAddr>()
        {
            return Some(Self::Net(IpNet::from(address)));
        }
        let (below, name) = match text.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, text),
        };
        let valid = name
            .chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '-' | '.' | '_'));
        let name = idna::domain_to_ascii(name)
            .ok()
            .filter(|name| valid && !name.is_empty())?;
        Some(if below { Self::Below(name) } else { Self::Exact(name) })
    }

    /// Whether a host is meant: `name` in lower case and punycode, `address` where it is one.
    pub fn matches(&self, name: &str, address: Option<core::net::IpAddr>) -> bool {
        match self {
            Self::Exact(host) => name == host,
            Self::Below(domain) => name
                .strip_suffix(domain.as_str())
                .is_some_and(|rest| rest.ends_with('.')),
            Self::Net(net) => address.is_some_and(|address| net.contains(&address)),
        }
    }
}
