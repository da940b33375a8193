//! Writes answers as they are asked for, and tells on a terminal how far a long run is.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use super::{human::Painter, options::Format, pipeline::Answered, summary::Summary};

/// A run that is over sooner needs no progress.
const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(200);

/// Where answers go.
#[derive(Debug)]
pub(super) struct Output<W: Write> {
    target: W,
    format: Format,
    painter: Painter,
    summary: Summary,
    progress: Option<Progress>,
    began: Instant,
}

/// A line on standard error that is written over.
#[derive(Debug)]
struct Progress {
    began: Instant,
    told: Option<Instant>,
}

impl<W: Write> Output<W> {
    /// `progress`: whether there may be a progress line, on standard error.
    pub(super) fn new(target: W, format: Format, painter: Painter, progress: bool) -> Self {
        let began = Instant::now();
        let progress = progress && io::stderr().is_terminal();
        Self {
            target,
            format,
            painter,
            summary: Summary::default(),
            progress: progress.then_some(Progress { began, told: None }),
            began,
        }
    }

    /// Writes an answer.
    pub(super) fn answer(&mut self, answered: &Answered) -> io::Result<()> {
        self.summary.add(&answered.answer, answered.latency);
        if let Some(progress) = &mut self.progress {
            progress.tell(self.summary.answers);
        }
        match self.format {
            Format::Jsonl => self.target.write_all(&answered.answer.to_line()?),
            Format::Human => self.target.write_all(self.painter.answer(&answered.answer).as_bytes()),
        }
    }

    /// Hands on what is written so far.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }

    /// Ends the run.
    pub(super) fn finish(&mut self) -> io::Result<&Summary> {
        if let Some(progress) = &self.progress {
            progress.clear();
        }
        if self.format == Format::Human {
            let table = self.summary.table(self.painter, self.began.elapsed());
            self.target.write_all(table.as_bytes())?;
        }
        self.target.flush()?;
        Ok(&self.summary)
    }
}

impl Progress {
    fn tell(&mut self, answers: u64) {
        // A clock for every answer is a price that a fast run would notice.
        if !answers.is_multiple_of(64) && self.told.is_none() {
            return;
        }
        let now = Instant::now();
        let due = self.told.map_or(self.began + PATIENCE, |told| told + BETWEEN);
        if now >= due {
            self.told = Some(now);
            let rate = answers as f64 / now.duration_since(self.began).as_secs_f64();
            write_over(&format!("{answers} answered, {rate:.0} a second"));
        }
    }

    fn clear(&self) {
        if self.told.is_some() {
            write_over("");
        }
    }
}

fn write_over(text: &str) {
    // Nobody is left to be told that standard error is gone.
    let _ = write!(io::stderr(), "\r\u{1b}[K{text}");
}
