//! Where values come from: a TOML table with the environment over it. Every question for a key checks the value,
//! keeps the fault if there is one, and answers with the default then, so that reading goes on to the next fault.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    net::SocketAddr,
    ops::RangeInclusive,
};

use toml::{Table, Value};

use super::fault::ConfigFault;

/// Variables that begin so are ours; `__` stands between sections.
const PREFIX: &str = "TOOLWARD__";
/// From this likeness on, a key is suggested for an unknown one.
const ALIKE: f64 = 0.7;

/// A file and an environment, the keys asked for so far, and what was wrong with them.
#[derive(Debug, Default)]
pub(super) struct Source {
    file: BTreeMap<String, Value>,
    env: BTreeMap<String, (String, String)>,
    known: BTreeSet<String>,
    faults: Vec<ConfigFault>,
}

/// A value as it came: from the file it has a type, from the environment it is text.
enum Found {
    File(Value),
    Env(String),
}

impl Source {
    /// Reads the file's text. Nothing is known of its keys yet.
    pub(super) fn read(text: &str, env: impl Iterator<Item = (String, String)>) -> Result<Self, Vec<ConfigFault>> {
        let table: Table = text.parse().map_err(|error| vec![syntax(&error, text)])?;
        let mut file = BTreeMap::new();
        flatten(String::new(), table, &mut file);
        let env = env
            .filter_map(|(name, value)| {
                let key = name.strip_prefix(PREFIX)?.to_lowercase().replace("__", ".");
                Some((key, (name, value)))
            })
            .collect();
        Ok(Self {
            file,
            env,
            known: BTreeSet::new(),
            faults: Vec::new(),
        })
    }

    /// Every key asked for so far.
    pub(super) fn known(self) -> Vec<String> {
        self.known.into_iter().collect()
    }

    /// Every fault, unknown keys among them.
    pub(super) fn finish(mut self) -> Result<(), Vec<ConfigFault>> {
        let mut unknown: Vec<ConfigFault> = Vec::new();
        for (key, value) in &self.file {
            // An empty section stands here by its own name.
            let empty_section = matches!(value, Value::Table(_)) && self.is_section(key);
            if !self.known.contains(key) && !empty_section {
                unknown.push(ConfigFault::new(key, self.unknown(key)));
            }
        }
        for (key, (name, _)) in &self.env {
            if !self.known.contains(key) {
                unknown.push(ConfigFault::new(name, self.unknown(key)));
            }
        }
        self.faults.append(&mut unknown);
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(self.faults)
        }
    }

    fn is_section(&self, key: &str) -> bool {
        let prefix = format!("{key}.");
        self.known.iter().any(|known| known.starts_with(&prefix)) || key == "policy.named"
    }

    fn unknown(&self, key: &str) -> String {
        let nearest = self
            .known
            .iter()
            .map(|known| {
                (
                    strsim::normalized_damerau_levenshtein(last(known), last(key)) + same_section(known, key),
                    known,
                )
            })
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .max_by(|left, right| left.0.total_cmp(&right.0));
        match nearest {
            Some((_, known)) => format!("unknown key; did you mean `{known}`?"),
            None => "unknown key".to_owned(),
        }
    }

    /// Keeps a fault of a key that was asked for.
    pub(super) fn fault(&mut self, key: &str, message: impl Into<String>) {
        let place = match self.env.get(key) {
            Some((name, _)) => name.clone(),
            None => key.to_owned(),
        };
        self.faults.push(ConfigFault::new(place, message));
    }

    fn find(&mut self, key: &str) -> Option<Found> {
        self.known.insert(key.to_owned());
        match self.env.get(key) {
            Some((_, value)) => Some(Found::Env(value.clone())),
            None => self.file.get(key).cloned().map(Found::File),
        }
    }

    /// A whole number of the range.
    pub(super) fn number<N>(&mut self, key: &str, range: RangeInclusive<N>, default: N) -> N
    where
        N: TryFrom<i64> + PartialOrd + Display + Copy,
    {
        let number = match self.find(key) {
            None => return default,
            Some(Found::File(Value::Integer(number))) => Some(number),
            Some(Found::Env(text)) => text.trim().parse().ok(),
            Some(Found::File(_)) => None,
        };
        match number
            .and_then(|number| N::try_from(number).ok())
            .filter(|number| range.contains(number))
        {
            Some(number) => number,
            None => {
                self.fault(
                    key,
                    format!("must be a whole number from {} to {}", range.start(), range.end()),
                );
                default
            }
        }
    }

    /// A text. `None`: not there.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.find(key)? {
            Found::File(Value::String(text)) | Found::Env(text) if !text.trim().is_empty() => Some(text),
            Found::File(_) | Found::Env(_) => {
                self.fault(key, "must be a text that is not empty");
                None
            }
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)], default: T) -> T {
        let text = match self.find(key) {
            None => return default,
            Some(Found::File(Value::String(text)) | Found::Env(text)) => text,
            Some(Found::File(_)) => String::new(),
        };
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => *value,
            None => {
                let all: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                self.fault(key, format!("must be one of {}", all.join(", ")));
                default
            }
        }
    }

    /// An address with a port.
    pub(super) fn address(&mut self, key: &str, default: SocketAddr) -> SocketAddr {
        let text = match self.find(key) {
            None => return default,
            Some(Found::File(Value::String(text)) | Found::Env(text)) => text,
            Some(Found::File(_)) => String::new(),
        };
        match text.parse() {
            Ok(address) => address,
            Err(_) => {
                self.fault(key, format!("must be an IP address with a port, like \"{default}\""));
                default
            }
        }
    }

    /// Every key under a section whose names are the operator's own.
    pub(super) fn names(&self, section: &str) -> Vec<String> {
        let prefix = format!("{section}.");
        let all: BTreeSet<&String> = self.file.keys().chain(self.env.keys()).collect();
        all.into_iter()
            .filter_map(|key| key.strip_prefix(&prefix))
            .map(str::to_owned)
            .collect()
    }
}

fn flatten(prefix: String, table: Table, into: &mut BTreeMap<String, Value>) {
    for (key, value) in table {
        let path = if prefix.is_empty() {
            key
        } else {
            format!("{prefix}.{key}")
        };
        match value {
            Value::Table(inner) if !inner.is_empty() => flatten(path, inner, into),
            other => {
                into.insert(path, other);
            }
        }
    }
}

fn syntax(error: &toml::de::Error, text: &str) -> ConfigFault {
    let line = error
        .span()
        .and_then(|span| text.get(..span.start))
        .map(|before| before.matches('\n').count() + 1);
    match line {
        Some(line) => ConfigFault::new(format!("line {line}"), format!("not TOML: {}", error.message())),
        None => ConfigFault::new("", format!("not TOML: {}", error.message())),
    }
}

fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// A slip in a key is likelier than a key in the wrong section.
fn same_section(known: &str, key: &str) -> f64 {
    let section = |key: &str| key.rsplit_once('.').map(|(section, _)| section.to_owned());
    if section(known) == section(key) { 0.1 } else { 0.0 }
}
