//! Reads a TOML table key by key, and keeps every fault instead of stopping at the first.
//!
//! Each key is declared where it is read, with its range, its default and one sentence; the same declarations, read
//! from an empty table, are the reference in `docs/configuration.md`.

use std::{fmt::Display, net::SocketAddr, ops::RangeInclusive, path::PathBuf};

use toml::{Table, Value};

use super::fault::ConfigFault;

/// A key as it is documented.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub section: String,
    pub name: &'static str,
    pub range: String,
    pub default: String,
    pub help: &'static str,
}

/// What reading gave so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub faults: Vec<ConfigFault>,
    pub declared: Vec<Declared>,
}

/// One section while it is read.
pub(super) struct Section<'a> {
    path: &'static str,
    table: Table,
    known: Vec<&'static str>,
    report: &'a mut Report,
}

impl<'a> Section<'a> {
    /// Takes a section out of the whole; absent is empty.
    pub fn take(root: &mut Table, path: &'static str, report: &'a mut Report) -> Self {
        let table = match root.remove(path) {
            None => Table::new(),
            Some(Value::Table(table)) => table,
            Some(other) => {
                let message = format!("must be a section, not {}", kind(&other));
                report.faults.push(ConfigFault::new(path, message, Some(format!("[{path}]"))));
                Table::new()
            }
        };
        Self {
            path,
            table,
            known: Vec::new(),
            report,
        }
    }

    /// A whole number within a range.
    pub fn integer<T>(&mut self, name: &'static str, range: RangeInclusive<T>, default: T, help: &'static str) -> T
    where
        T: Copy + Display + PartialOrd + TryFrom<i64>,
    {
        let words = format!("{} to {}", range.start(), range.end());
        self.declare(name, words.clone(), default.to_string(), help);
        match self.table.remove(name) {
            None => default,
            Some(Value::Integer(number)) => match T::try_from(number) {
                Ok(value) if range.contains(&value) => value,
                Ok(_) | Err(_) => {
                    self.fault(name, format!("{number} is out of range"), words);
                    default
                }
            },
            Some(other) => {
                self.fault(name, format!("must be a whole number, not {}", kind(&other)), words);
                default
            }
        }
    }

    /// One of some words.
    pub fn word<T: Copy>(&mut self, name: &'static str, words: &[(&'static str, T)], default: &'static str, help: &'static str) -> Option<T> {
        let allowed = words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" | ");
        self.declare(name, allowed.clone(), default.to_owned(), help);
        let find = |wanted: &str| words.iter().find(|(word, _)| *word == wanted).map(|(_, value)| *value);
        match self.table.remove(name) {
            None => find(default),
            Some(Value::String(word)) => find(&word).or_else(|| {
                self.fault(name, "is none of the known words".to_owned(), allowed);
                find(default)
            }),
            Some(other) => {
                self.fault(name, format!("must be a word, not {}", kind(&other)), allowed);
                find(default)
            }
        }
    }

    /// A text; empty counts as absent.
    pub fn text(&mut self, name: &'static str, range: &'static str, default: &str, help: &'static str) -> Option<String> {
        self.declare(name, range.to_owned(), default.to_owned(), help);
        match self.table.remove(name) {
            None => Some(default.to_owned()).filter(|text| !text.is_empty()),
            Some(Value::String(text)) => Some(text).filter(|text| !text.is_empty()),
            Some(other) => {
                self.fault(name, format!("must be a text, not {}", kind(&other)), range.to_owned());
                None
            }
        }
    }

    /// An address to listen on.
    pub fn address(&mut self, name: &'static str, default: SocketAddr, help: &'static str) -> SocketAddr {
        let range = "ADDRESS:PORT";
        let text = self.text(name, range, &default.to_string(), help).unwrap_or_default();
        text.parse().unwrap_or_else(|_| {
            if !text.is_empty() {
                self.fault(name, "is no address with a port".to_owned(), format!("{range}, for example {default}"));
            }
            default
        })
    }

    /// A path, as it is written.
    pub fn path(&mut self, name: &'static str, help: &'static str) -> Option<PathBuf> {
        self.text(name, "a path, from the configuration file's folder", "", help).map(PathBuf::from)
    }

    /// A table of texts with names of the operator's own.
    pub fn names(&mut self, name: &'static str, help: &'static str) -> Vec<(String, String)> {
        let range = "NAME = \"path\"";
        self.declare(name, range.to_owned(), String::new(), help);
        let table = match self.table.remove(name) {
            None => Table::new(),
            Some(Value::Table(table)) => table,
            Some(other) => {
                self.fault(name, format!("must be a table, not {}", kind(&other)), range.to_owned());
                Table::new()
            }
        };
        let mut found = Vec::with_capacity(table.len());
        for (key, value) in table {
            match value {
                Value::String(text) => found.push((key, text)),
                other => {
                    let path = format!("{}.{name}.{key}", self.path);
                    let message = format!("must be a text, not {}", kind(&other));
                    self.report.faults.push(ConfigFault::new(path, message, Some(range.to_owned())));
                }
            }
        }
        found
    }

    /// A fault at a key of this section.
    pub fn fault(&mut self, name: &str, message: String, expected: String) {
        let expected = Some(expected).filter(|expected| !expected.is_empty());
        self.report.faults.push(ConfigFault::new(format!("{}.{name}", self.path), message, expected));
    }

    /// Refuses what was not read.
    pub fn finish(self) {
        for key in self.table.keys() {
            let path = format!("{}.{key}", self.path);
            let known = self.known.iter().copied();
            self.report.faults.push(ConfigFault::new(path, "is no known key", nearest(key, known)));
        }
    }

    fn declare(&mut self, name: &'static str, range: String, default: String, help: &'static str) {
        self.known.push(name);
        let section = self.path.to_owned();
        self.report.declared.push(Declared {
            section,
            name,
            range,
            default,
            help,
        });
    }
}

/// The known word that is nearest to one that is not known.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    known
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate.to_owned())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number with a point",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
