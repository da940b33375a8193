//! A policy file before it is believed: TOML tables read key by key.
//!
//! A derived reader stops at its first mistake, and an operator wants all of them. So each key is taken out of its table
//! by the rule that knows it, every mistake goes to the report under its path, and what nobody took is an unknown key,
//! told with the known key nearest to it.

use std::ops::RangeInclusive;

use toml::{Table, Value};

use crate::{
    finding::shorten,
    policy::fault::{PolicyFault, Report},
};

/// Largest policy file, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Longest key that is compared with the known ones and quoted.
const MAX_KEY_CHARS: usize = 64;

/// One table of the file, and where it stands.
#[derive(Debug)]
pub(super) struct Section {
    path: String,
    table: Table,
    known: Vec<&'static str>,
}

/// Reads the file as TOML.
pub(super) fn read(text: &str) -> Result<Section, PolicyFault> {
    if text.len() > MAX_BYTES {
        return Err(PolicyFault {
            key: String::new(),
            line: None,
            message: format!("the file has {} bytes", text.len()),
            expected: Some(format!("at most {MAX_BYTES}")),
        });
    }
    text.parse::<Table>()
        .map(|table| Section::new(String::new(), table))
        .map_err(|error| PolicyFault {
            key: String::new(),
            line: error
                .span()
                .map(|span| text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1),
            message: error.message().to_owned(),
            expected: None,
        })
}

impl Section {
    fn new(path: String, table: Table) -> Self {
        Self {
            path,
            table,
            known: Vec::new(),
        }
    }

    /// The table's own path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The path of a key in it.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Whether a key is still there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Takes a key's value of whatever type.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.table.remove(key)
    }

    /// Takes a table.
    pub(super) fn section(&mut self, key: &'static str, report: &mut Report) -> Option<Section> {
        let path = self.path_of(key);
        match self.take(key)? {
            Value::Table(table) => Some(Section::new(path, table)),
            other => {
                wrong_type(&path, &other, "a table", report);
                None
            }
        }
    }

    /// Takes an array of tables.
    pub(super) fn sections(&mut self, key: &'static str, max: usize, report: &mut Report) -> Vec<Section> {
        let path = self.path_of(key);
        let Some(items) = self.array(key, max, report) else {
            return Vec::new();
        };
        let mut sections = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let path = format!("{path}[{index}]");
            match item {
                Value::Table(table) => sections.push(Section::new(path, table)),
                other => wrong_type(&path, &other, "a table", report),
            }
        }
        sections
    }

    /// Takes all that is left: tables under names that `known` lists, each with its name's meaning.
    pub(super) fn named<T>(
        &mut self,
        what: &str,
        known: &[&'static str],
        parse: impl Fn(&str) -> Option<T>,
        report: &mut Report,
    ) -> Vec<(T, Section)> {
        let mut found = Vec::new();
        for (name, value) in std::mem::take(&mut self.table) {
            let path = self.path_of(&shorten(&name, MAX_KEY_CHARS));
            match (parse(&name), value) {
                (Some(meaning), Value::Table(table)) => found.push((meaning, Section::new(path, table))),
                (Some(_), other) => wrong_type(&path, &other, "a table", report),
                (None, _) => report.fault(path, format!("no such {what}"), nearest(&name, known)),
            }
        }
        found
    }

    /// Takes all that is left: tables under names of the operator's own.
    pub(super) fn free(&mut self, report: &mut Report) -> Vec<(String, Section)> {
        let mut found = Vec::new();
        for (name, value) in std::mem::take(&mut self.table) {
            let path = self.path_of(&shorten(&name, MAX_KEY_CHARS));
            match value {
                Value::Table(table) => found.push((name, Section::new(path, table))),
                other => wrong_type(&path, &other, "a table", report),
            }
        }
        found
    }

    /// Takes a word of a closed list.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        report: &mut Report,
    ) -> Option<T> {
        let path = self.path_of(key);
        let value = self.take(key)?;
        let found = value
            .as_str()
            .and_then(|text| words.iter().find(|(word, _)| *word == text));
        if found.is_none() {
            let allowed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            report.fault(
                path,
                format!("{} is not allowed here", describe(&value)),
                allowed.join(" | "),
            );
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// Takes a whole number.
    pub(super) fn integer(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u32>,
        report: &mut Report,
    ) -> Option<u32> {
        let path = self.path_of(key);
        let value = self.take(key)?;
        let found = value
            .as_integer()
            .and_then(|it| u32::try_from(it).ok())
            .filter(|it| range.contains(it));
        if found.is_none() {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            report.fault(path, format!("{} is not allowed here", describe(&value)), expected);
        }
        found
    }

    /// Takes a number.
    pub(super) fn number(&mut self, key: &'static str, report: &mut Report) -> Option<f64> {
        let path = self.path_of(key);
        let value = self.take(key)?;
        let found = match value {
            #[expect(
                clippy::cast_precision_loss,
                reason = "bounds beyond 2^53 are compared as the nearest double"
            )]
            Value::Integer(integer) => Some(integer as f64),
            Value::Float(float) => Some(float).filter(|float| float.is_finite()),
            Value::String(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
        };
        if found.is_none() {
            report.fault(
                path,
                format!("{} is not allowed here", describe(&value)),
                "a finite number",
            );
        }
        found
    }

    /// Takes a text that is not empty.
    pub(super) fn text(&mut self, key: &'static str, max_chars: usize, report: &mut Report) -> Option<String> {
        let path = self.path_of(key);
        let value = self.take(key)?;
        text(&path, value, max_chars, report)
    }

    /// Takes a list of texts; each with its path.
    pub(super) fn texts(&mut self, key: &'static str, max: usize, report: &mut Report) -> Vec<(String, String)> {
        let path = self.path_of(key);
        let items = self.array(key, max, report).unwrap_or_default();
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let path = format!("{path}[{index}]");
            if let Some(text) = text(&path, item, 4096, report) {
                texts.push((path, text));
            }
        }
        texts
    }

    /// Takes a list of whatever.
    pub(super) fn array(&mut self, key: &'static str, max: usize, report: &mut Report) -> Option<Vec<Value>> {
        let path = self.path_of(key);
        match self.take(key)? {
            Value::Array(items) if items.len() <= max => Some(items),
            Value::Array(items) => {
                report.fault(path, format!("{} entries", items.len()), format!("at most {max}"));
                None
            }
            other => {
                wrong_type(&path, &other, "a list", report);
                None
            }
        }
    }

    /// Ends the reading: what is left is unknown.
    pub(super) fn finish(self, report: &mut Report) {
        for name in self.table.keys() {
            let path = self.path_of(&shorten(name, MAX_KEY_CHARS));
            report.fault(path, "no such key", nearest(name, &self.known));
        }
    }
}

fn text(path: &str, value: Value, max_chars: usize, report: &mut Report) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() && text.chars().nth(max_chars).is_none() => Some(text),
        other => {
            let expected = format!("a text of 1 to {max_chars} characters");
            report.fault(path, format!("{} is not allowed here", describe(&other)), expected);
            None
        }
    }
}

fn wrong_type(path: &str, value: &Value, expected: &str, report: &mut Report) {
    report.fault(path, format!("{} is not allowed here", describe(value)), expected);
}

/// A value in a message: the operator's own words, shortened.
fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", shorten(text, MAX_KEY_CHARS)),
        Value::Integer(integer) => integer.to_string(),
        Value::Float(float) => float.to_string(),
        Value::Boolean(boolean) => boolean.to_string(),
        Value::Datetime(_) => "a date".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

/// The known name that was probably meant, or all of them where they are few.
fn nearest(name: &str, known: &[&str]) -> String {
    let name = shorten(name, MAX_KEY_CHARS);
    let best = known.iter().map(|key| (strsim::osa_distance(&name, key), *key)).min();
    match best {
        Some((distance, key)) if distance <= 1.max(name.chars().count() / 3) => format!("{key}, perhaps"),
        _ if known.len() <= 24 => known.join(" | "),
        _ => String::new(),
    }
}
