//! One recursive descent parser for both readings. Depth is bounded, every byte is looked at a constant number of times.

use serde_json::{Map, Number, Value, map::Entry};

use super::{Fault, FaultKind, rescue::Repairs};
use crate::code::Code;

/// Longest literal and longest bare key that are looked at, in bytes.
const MAX_WORD: usize = 128;

pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth_left: usize,
    /// `None`: strict.
    repairs: Option<Repairs>,
}

impl<'t> Parser<'t> {
    pub(super) fn strict(text: &'t str, max_depth: usize) -> Self {
        Self {
            text,
            at: 0,
            depth_left: max_depth,
            repairs: None,
        }
    }

    pub(super) fn lenient(text: &'t str, max_depth: usize, repairs: Repairs) -> Self {
        Self {
            text,
            at: 0,
            depth_left: max_depth,
            repairs: Some(repairs),
        }
    }

    pub(super) fn repairs(&self) -> Repairs {
        self.repairs.unwrap_or_default()
    }

    /// Remembers that something glued to the value was dropped.
    pub(super) fn glue(&mut self) {
        self.repair(Code::RepairedConcatenation);
    }

    /// Whether only white space (and, where lenient, comments) is left.
    pub(super) fn at_end(&mut self) -> Result<bool, Fault> {
        self.space()?;
        Ok(self.peek().is_none())
    }

    pub(super) fn end(&mut self) -> Result<(), Fault> {
        if self.at_end()? {
            Ok(())
        } else {
            Err(self.fault(FaultKind::Trailing))
        }
    }

    pub(super) fn value(&mut self) -> Result<Value, Fault> {
        self.space()?;
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string(b'"').map(Value::String),
            Some(b'\'') if self.repair(Code::RepairedQuotes) => self.string(b'\'').map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() => self.literal(),
            Some(_) => Err(self.fault(FaultKind::Expected("a value"))),
            None => Err(self.fault(FaultKind::EndsBefore("a value"))),
        }
    }

    pub(super) fn fault(&self, kind: FaultKind) -> Fault {
        self.fault_at(kind, self.at)
    }

    fn fault_at(&self, kind: FaultKind, offset: usize) -> Fault {
        Fault::new(kind, self.text, offset)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Takes a deviation where lenient, and remembers it.
    fn repair(&mut self, code: Code) -> bool {
        match &mut self.repairs {
            Some(repairs) => {
                repairs.add(code);
                true
            }
            None => false,
        }
    }

    fn nested(&mut self, body: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        self.depth_left = self
            .depth_left
            .checked_sub(1)
            .ok_or_else(|| self.fault(FaultKind::TooDeep))?;
        self.at += 1;
        let value = body(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut map = Map::new();
        loop {
            self.space()?;
            match self.peek() {
                Some(b'}') if map.is_empty() || self.repair(Code::RepairedTrailingComma) => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                _ => {}
            }
            let start = self.at;
            let key = self.key()?;
            self.space()?;
            self.expect(b':', "a colon")?;
            let value = self.value()?;
            self.insert(&mut map, key, value, start)?;
            if self.closes(b'}', "a comma or the end of the object")? {
                return Ok(Value::Object(map));
            }
        }
    }

    fn insert(&mut self, map: &mut Map<String, Value>, key: String, value: Value, start: usize) -> Result<(), Fault> {
        match map.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(value);
                Ok(())
            }
            Entry::Occupied(entry) if *entry.get() == value => {
                if self.repair(Code::RepairedDuplicateKey) {
                    Ok(())
                } else {
                    Err(self.fault_at(FaultKind::RepeatedKey, start))
                }
            }
            Entry::Occupied(_) => Err(self.fault_at(FaultKind::ConflictingKey, start)),
        }
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        loop {
            self.space()?;
            if self.peek() == Some(b']') && (items.is_empty() || self.repair(Code::RepairedTrailingComma)) {
                self.at += 1;
                return Ok(Value::Array(items));
            }
            items.push(self.value()?);
            if self.closes(b']', "a comma or the end of the array")? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// After an item: the closing bracket, or a comma before the next.
    fn closes(&mut self, close: u8, what: &'static str) -> Result<bool, Fault> {
        self.space()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Err(self.fault(FaultKind::Expected(what))),
            None => Err(self.fault(FaultKind::EndsBefore(what))),
        }
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Fault> {
        match self.peek() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.fault(FaultKind::Expected(what))),
            None => Err(self.fault(FaultKind::EndsBefore(what))),
        }
    }

    fn key(&mut self) -> Result<String, Fault> {
        match self.peek() {
            Some(b'"') => self.string(b'"'),
            Some(b'\'') if self.repair(Code::RepairedQuotes) => self.string(b'\''),
            Some(byte) if (byte.is_ascii_alphabetic() || byte == b'_') && self.repair(Code::RepairedBareKey) => {
                Ok(self.word().to_owned())
            }
            Some(_) => Err(self.fault(FaultKind::Expected("a key in double quotes"))),
            None => Err(self.fault(FaultKind::EndsBefore("a key or the end of the object"))),
        }
    }

    /// Letters, digits and underscores from here on, bounded.
    fn word(&mut self) -> &'t str {
        let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = self.rest().iter().take(MAX_WORD).take_while(word).count();
        let found = self.text.get(self.at..self.at + length).unwrap_or_default();
        self.at += length;
        found
    }

    fn literal(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        match self.word() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            "True" if self.repair(Code::RepairedPythonLiteral) => Ok(Value::Bool(true)),
            "False" if self.repair(Code::RepairedPythonLiteral) => Ok(Value::Bool(false)),
            "None" if self.repair(Code::RepairedPythonLiteral) => Ok(Value::Null),
            word if self.peek().is_none() && is_start_of_literal(word) => {
                Err(self.fault(FaultKind::EndsBefore("the end of a value")))
            }
            _ => Err(self.fault_at(FaultKind::Expected("a value; text belongs in double quotes"), start)),
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let bytes = self.rest();
        let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let mut length = usize::from(bytes.first() == Some(&b'-'));
        let whole = digits(length);
        let leading_zero = whole > 1 && bytes.get(length) == Some(&b'0');
        length += whole;
        let mut sound = whole > 0 && !leading_zero;
        if bytes.get(length) == Some(&b'.') {
            let fraction = digits(length + 1);
            sound &= fraction > 0;
            length += 1 + fraction;
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            sound &= exponent > 0;
            length += 1 + sign + exponent;
        }
        sound &= !bytes
            .get(length)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
        let number = self
            .text
            .get(start..start + length)
            .and_then(|digits| digits.parse::<Number>().ok());
        match number {
            Some(number) if sound => {
                self.at += length;
                Ok(Value::Number(number))
            }
            _ => Err(self.fault_at(FaultKind::Number, start)),
        }
    }

    /// A string from its opening delimiter on. In the other delimiter than `"`, and wherever a repair was taken, a
    /// closing delimiter that is followed by what cannot follow a string shows by the fault of the caller.
    fn string(&mut self, delimiter: u8) -> Result<String, Fault> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let bytes = self.rest();
            let plain = bytes
                .iter()
                .position(|byte| *byte == delimiter || *byte == b'\\' || *byte < 0x20)
                .ok_or_else(|| self.fault_at(FaultKind::EndsBefore("the end of a string"), self.text.len()))?;
            out.push_str(self.text.get(self.at..self.at + plain).unwrap_or_default());
            self.at += plain;
            match bytes.get(plain) {
                Some(b'\\') => self.escape(delimiter, &mut out)?,
                Some(byte) if *byte == delimiter => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(byte) if self.repair(Code::RepairedControlChar) => {
                    out.push(char::from(*byte));
                    self.at += 1;
                }
                _ => return Err(self.fault(FaultKind::ControlCharacter)),
            }
        }
    }

    fn escape(&mut self, delimiter: u8, out: &mut String) -> Result<(), Fault> {
        let start = self.at;
        self.at += 2;
        let character = match self.text.as_bytes().get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'\'') if delimiter == b'\'' => '\'',
            Some(b'u') => self.unicode(start)?,
            Some(_) => return Err(self.fault_at(FaultKind::Escape, start)),
            None => return Err(self.fault_at(FaultKind::EndsBefore("the end of a string"), start)),
        };
        out.push(character);
        Ok(())
    }

    /// After `\u`: one unit, or a pair of surrogates.
    fn unicode(&mut self, start: usize) -> Result<char, Fault> {
        let unit = self.hex(start)?;
        if !(0xD800..0xE000).contains(&unit) {
            return char::from_u32(unit).ok_or_else(|| self.fault_at(FaultKind::LoneSurrogate, start));
        }
        let pair = unit < 0xDC00 && self.rest().starts_with(b"\\u");
        if !pair {
            return Err(self.fault_at(FaultKind::LoneSurrogate, start));
        }
        self.at += 2;
        let low = self.hex(start)?;
        if !(0xDC00..0xE000).contains(&low) {
            return Err(self.fault_at(FaultKind::LoneSurrogate, start));
        }
        let point = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        char::from_u32(point).ok_or_else(|| self.fault_at(FaultKind::LoneSurrogate, start))
    }

    fn hex(&mut self, start: usize) -> Result<u32, Fault> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let digits = digits.ok_or_else(|| self.fault_at(FaultKind::EndsBefore("the end of a string"), start))?;
        let mut unit = 0;
        for digit in digits {
            let value = char::from(*digit)
                .to_digit(16)
                .ok_or_else(|| self.fault_at(FaultKind::Escape, start))?;
            unit = unit * 16 + value;
        }
        self.at += 4;
        Ok(unit)
    }

    fn space(&mut self) -> Result<(), Fault> {
        loop {
            let blank = self
                .rest()
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
                .count();
            self.at += blank;
            if self.peek() != Some(b'/') || self.repairs.is_none() {
                return Ok(());
            }
            self.comment()?;
        }
    }

    fn comment(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let length = match rest.get(1) {
            Some(b'/') => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            Some(b'*') => {
                let body = rest.get(2..).unwrap_or_default();
                let end = memchr::memmem::find(body, b"*/");
                end.ok_or_else(|| self.fault(FaultKind::EndsBefore("the end of a comment")))? + 4
            }
            _ => return Err(self.fault(FaultKind::Expected("a value"))),
        };
        self.repair(Code::RepairedComment);
        self.at += length;
        Ok(())
    }
}

/// Whether a word that the text ends with may be the start of a literal.
fn is_start_of_literal(word: &str) -> bool {
    !word.is_empty()
        && ["true", "false", "null"]
            .iter()
            .any(|literal| literal.starts_with(word))
}
