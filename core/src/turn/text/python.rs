//! Calls in the syntax of Python, with literal values only. An expression is never evaluated.

use std::{fmt::Write, ops::Range};

use serde_json::{Map, Value};

/// Nesting of literals.
const MAX_DEPTH: usize = 64;

/// Bytes in which a call that is no literal call must close, so that many broken ones cost little.
const MAX_BROKEN: usize = 64 << 10;

/// A call as it stands in a text.
pub(super) struct PyCall {
    pub name: Range<usize>,
    pub span: Range<usize>,
    /// The arguments, or what about them is no literal keyword argument.
    pub arguments: Result<Map<String, Value>, &'static str>,
}

const POSITIONAL: &str = "a value without a key; write every argument as key=value";
const EXPRESSION: &str = "a value that is not a literal; nothing is evaluated, so write the value itself";
const REPEATED: &str = "an argument was given twice";
const DEEP: &str = "the values are nested too deeply";

/// Reads the call that begins at a position. `None` where none does, or where it does not close.
pub(super) fn call(text: &str, at: usize, bare_words: bool) -> Option<PyCall> {
    let mut cursor = Cursor { text, at, bare_words };
    let name = cursor.name()?;
    cursor.space();
    if !cursor.eat(b'(') {
        return None;
    }
    let open = cursor.at;
    let arguments = cursor.arguments();
    if arguments.is_err() {
        cursor.at = open;
        cursor.skip_to_close()?;
    }
    Some(PyCall {
        name,
        span: at..cursor.at,
        arguments,
    })
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
    bare_words: bool,
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn run(&mut self, accept: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(&accept) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// A name; tools may have dots, dashes, slashes and colons in theirs.
    fn name(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let first = self.peek()?;
        if !(first.is_ascii_alphabetic() || first == b'_') {
            return None;
        }
        self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b':'));
        Some(start..self.at)
    }

    fn arguments(&mut self) -> Result<Map<String, Value>, &'static str> {
        let mut arguments = Map::new();
        loop {
            self.space();
            if self.eat(b')') {
                return Ok(arguments);
            }
            let key = self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
            self.space();
            if key.is_empty() || !self.eat(b'=') {
                return Err(POSITIONAL);
            }
            let value = self.value(0)?;
            if arguments.insert(key.to_owned(), value).is_some() {
                return Err(REPEATED);
            }
            self.space();
            if !self.eat(b',') && self.peek() != Some(b')') {
                return Err(EXPRESSION);
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, &'static str> {
        if depth > MAX_DEPTH {
            return Err(DEEP);
        }
        self.space();
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => self.string(quote).map(Value::String),
            Some(b'[') => self.sequence(b']', depth),
            Some(b'(') => self.sequence(b')', depth),
            Some(b'{') => self.dict(depth),
            Some(_) => self.word(),
            None => Err(EXPRESSION),
        }
    }

    fn word(&mut self) -> Result<Value, &'static str> {
        let word =
            self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+') || byte >= 0x80);
        match word {
            "True" | "true" => return Ok(Value::Bool(true)),
            "False" | "false" => return Ok(Value::Bool(false)),
            "None" | "null" => return Ok(Value::Null),
            _ => {}
        }
        match serde_json::from_str::<Value>(word) {
            Ok(number @ Value::Number(_)) => Ok(number),
            _ if self.bare_words && word.chars().next().is_some_and(char::is_alphabetic) && !word.contains('+') => {
                Ok(Value::String(word.to_owned()))
            }
            _ => Err(EXPRESSION),
        }
    }

    fn sequence(&mut self, close: u8, depth: usize) -> Result<Value, &'static str> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space();
            if self.eat(close) {
                return Ok(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.space();
            let comma = self.eat(b',');
            // `(1)` is the number, and `(1 + 2)` a sum: only a comma makes a tuple.
            if !comma && (self.peek() != Some(close) || (close == b')' && items.len() == 1)) {
                return Err(EXPRESSION);
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Value, &'static str> {
        self.at += 1;
        let mut entries = Map::new();
        loop {
            self.space();
            if self.eat(b'}') {
                return Ok(Value::Object(entries));
            }
            let key = match self.peek() {
                Some(quote @ (b'"' | b'\'')) => self.string(quote)?,
                _ => return Err(EXPRESSION),
            };
            self.space();
            if !self.eat(b':') {
                return Err(EXPRESSION);
            }
            let value = self.value(depth + 1)?;
            if entries.insert(key, value).is_some() {
                return Err(REPEATED);
            }
            self.space();
            if !self.eat(b',') && self.peek() != Some(b'}') {
                return Err(EXPRESSION);
            }
        }
    }

    fn string(&mut self, quote: u8) -> Result<String, &'static str> {
        let triple = [quote; 3];
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let is_triple = rest.starts_with(&triple);
        self.at += if is_triple { 3 } else { 1 };
        let mut value = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = memchr::memchr2(quote, b'\\', rest.as_bytes()).ok_or(EXPRESSION)?;
            value.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            if self.eat(b'\\') {
                self.escape(&mut value)?;
            } else if !is_triple {
                self.at += 1;
                return Ok(value);
            } else if rest.as_bytes().get(plain..).unwrap_or_default().starts_with(&triple) {
                self.at += 3;
                return Ok(value);
            } else {
                self.at += 1;
                value.push(char::from(quote));
            }
        }
    }

    fn escape(&mut self, value: &mut String) -> Result<(), &'static str> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let escaped = rest.chars().next().ok_or(EXPRESSION)?;
        self.at += escaped.len_utf8();
        let digits = match escaped {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        match escaped {
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            '\\' | '\'' | '"' | '/' => value.push(escaped),
            '\n' => {}
            'x' | 'u' | 'U' => {
                let hex = rest.get(1..=digits).ok_or(EXPRESSION)?;
                let code = u32::from_str_radix(hex, 16).map_err(|_| EXPRESSION)?;
                value.push(char::from_u32(code).ok_or(EXPRESSION)?);
                self.at += digits;
            }
            // As Python has it: an escape that it does not know keeps its backslash.
            _ => value.extend(['\\', escaped]),
        }
        Ok(())
    }

    /// Moves behind the parenthesis that closes the call, whatever stands inside.
    fn skip_to_close(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        let end = self.at.saturating_add(MAX_BROKEN);
        while depth > 0 {
            if self.at > end {
                return None;
            }
            match self.peek()? {
                quote @ (b'"' | b'\'') => {
                    self.string(quote).ok()?;
                    continue;
                }
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }
}

/// Writes a call.
pub(in crate::turn) fn write_call(name: &str, arguments: &Map<String, Value>) -> String {
    let mut out = format!("{name}(");
    for (position, (key, value)) in arguments.iter().enumerate() {
        out.push_str(if position == 0 { "" } else { ", " });
        let _ = write!(out, "{key}=");
        literal(&mut out, value);
    }
    out.push(')');
    out
}

fn literal(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(_) | Value::String(_) => {
            let _ = write!(out, "{value}");
        }
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                literal(out, item);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (position, (key, item)) in entries.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                let _ = write!(out, "{}: ", Value::from(key.as_str()));
                literal(out, item);
            }
            out.push('}');
        }
    }
}
