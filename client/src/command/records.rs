//! Cuts input into the texts of documents: JSON Lines, pretty-printed documents, or one array of documents.
//!
//! Nothing is held but the text at hand, at most [`MAX_TEXT`] of it; a longer one is skipped and told. What is cut may
//! be broken: whoever reads it says so, and the rest of the input is still read.

use std::{
    collections::VecDeque,
    io::{self, BufRead, Read},
};

/// Bytes of one document.
pub(super) const MAX_TEXT: usize = 64 << 20;

/// One text of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// The line on which it begins, from 1.
    pub(super) line: u64,
    /// `None`: longer than [`MAX_TEXT`].
    pub(super) text: Option<Vec<u8>>,
}

/// The texts of one input.
#[derive(Debug)]
pub(super) struct Records<R> {
    source: R,
    /// A whole file: a document may be spread over lines in any way. A pipe that somebody writes to line by line waits
    /// for answers; there only a line `{` opens such a document.
    whole: bool,
    started: bool,
    in_array: bool,
    /// Lines read so far.
    lines: u64,
    /// Lines that were read ahead, in vain.
    ahead: VecDeque<Record>,
    max: usize,
}

impl<R: BufRead> Records<R> {
    pub(super) fn new(source: R, whole: bool) -> Self {
        Self {
            source,
            whole,
            started: false,
            in_array: false,
            lines: 0,
            ahead: VecDeque::new(),
            max: MAX_TEXT,
        }
    }

    /// The next text. `None`: the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        if !self.started {
            self.start()?;
        }
        if self.in_array
            && let Some(element) = self.element()?
        {
            return Ok(Some(element));
        }
        while let Some(record) = self.line()? {
            let Some(text) = &record.text else {
                return Ok(Some(record));
            };
            if text.is_empty() {
                continue;
            }
            return if self.opens(text) {
                self.spread(record).map(Some)
            } else {
                Ok(Some(record))
            };
        }
        Ok(None)
    }

    /// Skips white space and a byte order mark; an array's bracket is taken.
    fn start(&mut self) -> io::Result<()> {
        self.started = true;
        let skipped = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF);
        let first = self.skip(skipped)?;
        if first == Some(b'[') {
            self.in_array = true;
            self.source.consume(1);
        }
        Ok(())
    }

    /// Skips bytes and counts their lines; the byte that stays is given.
    fn skip(&mut self, skipped: impl Fn(u8) -> bool) -> io::Result<Option<u8>> {
        loop {
            let bytes = fill(&mut self.source)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let rest = bytes.iter().position(|byte| !skipped(*byte));
            let count = rest.unwrap_or(bytes.len());
            let ends = bytes.iter().take(count).filter(|byte| **byte == b'\n').count();
            let found = bytes.get(count).copied();
            self.lines += ends as u64;
            self.source.consume(count);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// The next line without its end and the white space around it.
    fn line(&mut self) -> io::Result<Option<Record>> {
        if let Some(record) = self.ahead.pop_front() {
            return Ok(Some(record));
        }
        let mut text = Vec::new();
        let limit = self.max as u64 + 1;
        let read = self.source.by_ref().take(limit).read_until(b'\n', &mut text)?;
        if read == 0 {
            return Ok(None);
        }
        self.lines += 1;
        let line = self.lines;
        if text.last() != Some(&b'\n') && text.len() > self.max {
            self.source.skip_until(b'\n')?;
            return Ok(Some(Record { line, text: None }));
        }
        text.truncate(text.trim_ascii_end().len());
        Ok(Some(Record { line, text: Some(text) }))
    }

    /// Whether a line opens a document that goes on below it.
    fn opens(&self, text: &[u8]) -> bool {
        text == b"{" || (self.whole && text.starts_with(b"{") && Nesting::default().goes_on(text))
    }

    /// Reads on until the document closes. Where it does not (a line of JSON Lines follows, or the end), every line
    /// stands for itself.
    fn spread(&mut self, first: Record) -> io::Result<Record> {
        let line = first.line;
        let mut nesting = Nesting::default();
        let mut all = Vec::new();
        let mut lines = VecDeque::new();
        let mut next = Some(first);
        while let Some(record) = next {
            let Some(text) = &record.text else {
                lines.push_back(record);
                break;
            };
            let other = !lines.is_empty() && text.starts_with(b"{") && text != b"{";
            if other || all.len() + text.len() > self.max {
                lines.push_back(record);
                break;
            }
            all.extend_from_slice(text);
            all.push(b'\n');
            let goes_on = nesting.goes_on(text);
            lines.push_back(record);
            if !goes_on {
                if nesting.closed() {
                    return Ok(Record { line, text: Some(all) });
                }
                break;
            }
            next = self.line()?;
        }
        let first = lines.pop_front();
        while let Some(record) = lines.pop_back() {
            // Empty ones say nothing.
            if record.text.as_ref().is_none_or(|text| !text.is_empty()) {
                self.ahead.push_front(record);
            }
        }
        Ok(first.unwrap_or(Record { line, text: None }))
    }

    /// The next element of the array. `None`: the array is closed.
    fn element(&mut self) -> io::Result<Option<Record>> {
        let between = |byte: u8| byte.is_ascii_whitespace() || byte == b',';
        match self.skip(between)? {
            Some(b']') => {
                self.source.consume(1);
                self.in_array = false;
                return Ok(None);
            }
            Some(_) => {}
            None => {
                self.in_array = false;
                return Ok(None);
            }
        }
        let line = self.lines + 1;
        let mut nesting = Nesting::default();
        let mut text = Vec::new();
        let mut short = true;
        loop {
            let bytes = fill(&mut self.source)?;
            let (count, ended) = nesting.element_in(bytes);
            let taken = bytes.get(..count).unwrap_or(bytes);
            short &= text.len() + taken.len() <= self.max;
            if short {
                text.extend_from_slice(taken);
            }
            self.lines += taken.iter().filter(|byte| **byte == b'\n').count() as u64;
            let over = ended || count == 0;
            self.source.consume(count);
            if over {
                let text = short.then_some(text);
                return Ok(Some(Record { line, text }));
            }
        }
    }
}

/// Bytes that can be looked at; interrupted reads are tried again.
fn fill(source: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match source.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // What was filled is given again, without another read.
    source.fill_buf()
}

/// Where in a JSON value a text is: how deep, and whether in a string.
#[derive(Debug, Default)]
struct Nesting {
    depth: u64,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    fn take(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Takes a line. Whether the value goes on: it is open, and not in a string, which cannot hold a line end.
    fn goes_on(&mut self, line: &[u8]) -> bool {
        line.iter().for_each(|byte| self.take(*byte));
        self.depth > 0 && !self.in_string
    }

    fn closed(&self) -> bool {
        self.depth == 0 && !self.in_string
    }

    /// How many of these bytes belong to an element of an array, and whether it ends there.
    fn element_in(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (at, byte) in bytes.iter().enumerate() {
            let nested = self.depth > 0 || self.in_string;
            if !nested && matches!(byte, b',' | b']') {
                return (at, true);
            }
            self.take(*byte);
            if nested && self.depth == 0 && matches!(byte, b'}' | b']') {
                return (at + 1, true);
            }
        }
        (bytes.len(), false)
    }
}

#[cfg(test)]
mod tests;
