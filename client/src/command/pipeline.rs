//! From input to output: many checks in flight, answers in the order of the input, memory bounded.
//!
//! A thread reads and parses; a task gives every document its place and starts its check; the caller writes. Between
//! them stand queues with a bound, and a budget of bytes that a document holds until its answer is written.

use std::{
    fs::File,
    io::{self, BufReader, IsTerminal, Read},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinHandle,
};
use toolward_document::{Answer, Document, DocumentError, Line, Tools};

use super::{
    records::{MAX_TEXT, Records},
    service::Service,
    sessions::Sessions,
    toolsets::Toolsets,
};

/// Documents between reading and writing. More than checks in flight, so that one long session does not hold up others.
const WINDOW: usize = 1024;

/// Kibibytes of input between reading and writing. Has room for several documents of the largest size.
const BUDGET_KIB: usize = 512 << 10;

const READ_BUFFER: usize = 256 << 10;

/// One input.
pub(super) struct Input {
    name: String,
    source: Box<dyn Read + Send>,
    whole: bool,
}

/// What is written.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) answer: Answer,
    /// `None`: the document never got to the service.
    pub(super) latency: Option<Duration>,
}

/// An answer to come, and its share of the budget.
pub(super) struct Pending {
    answer: Ahead,
    _share: Option<OwnedSemaphorePermit>,
}

enum Ahead {
    Known(Box<Answered>),
    Judged(JoinHandle<Answered>),
}

struct Item {
    line: Line,
    share: Option<OwnedSemaphorePermit>,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self {
                name: "standard input".to_owned(),
                source: Box::new(io::stdin()),
                whole: false,
            });
        }
        let file = File::open(path)?;
        let regular = file.metadata()?.is_file();
        Ok(Self {
            name: path.display().to_string(),
            whole: regular && !file.is_terminal(),
            source: Box::new(file),
        })
    }

    /// Opens all.
    pub(super) fn open_all(paths: &[PathBuf]) -> Result<Vec<Self>, String> {
        let open = |path: &PathBuf| Self::open(path).map_err(|error| format!("{}: {error}", path.display()));
        paths.iter().map(open).collect()
    }
}

/// Starts; the answers come in the order of the input.
pub(super) fn start(inputs: Vec<Input>, service: Service) -> mpsc::Receiver<Pending> {
    let (items, read) = mpsc::channel(WINDOW);
    let (pending, answers) = mpsc::channel(WINDOW);
    let handle = Handle::current();
    // Not a task: a read of standard input cannot be called off, and must not hold up the end of the runtime.
    thread::spawn(move || read_all(inputs, &items, &handle));
    tokio::spawn(dispatch(read, Arc::new(service), pending));
    answers
}

fn read_all(inputs: Vec<Input>, items: &mpsc::Sender<Item>, handle: &Handle) {
    let budget = Arc::new(Semaphore::new(BUDGET_KIB));
    let several = inputs.len() > 1;
    for Input { name, source, whole } in inputs {
        let mut records = Records::new(BufReader::with_capacity(READ_BUFFER, source), whole);
        loop {
            let (line, size) = match records.next() {
                Ok(None) => break,
                Ok(Some(record)) => {
                    let place = if several {
                        format!("{name} line {}", record.line)
                    } else {
                        format!("line {}", record.line)
                    };
                    let size = record.text.as_ref().map_or(0, Vec::len);
                    (read(record.text, &place), size)
                }
                Err(error) => (invalid("INPUT_UNREADABLE", format!("{name}: {error}")), 0),
            };
            let unreadable = matches!(&line, Line::Invalid { error, .. } if error.reason == "INPUT_UNREADABLE");
            let kib = u32::try_from(size / 1024 + 1).unwrap_or(u32::MAX);
            let share = handle.block_on(Arc::clone(&budget).acquire_many_owned(kib)).ok();
            if items.blocking_send(Item { line, share }).is_err() {
                return;
            }
            if unreadable {
                break;
            }
        }
    }
}

/// Reads a text; a fault that has no id to be known by is told with its place.
fn read(text: Option<Vec<u8>>, place: &str) -> Line {
    let Some(text) = text else {
        let message = format!("{place}: a document of more than {} MiB", MAX_TEXT >> 20);
        return invalid("DOCUMENT_TOO_LARGE", message);
    };
    match Line::read(&text) {
        Line::Invalid { id: None, error } => invalid(error.reason, format!("{place}: {}", error.message)),
        line => line,
    }
}

fn invalid(reason: &'static str, message: String) -> Line {
    Line::Invalid {
        id: None,
        error: DocumentError { reason, message },
    }
}

async fn dispatch(mut items: mpsc::Receiver<Item>, service: Arc<Service>, pending: mpsc::Sender<Pending>) {
    let mut sessions = Sessions::new();
    let mut toolsets = Toolsets::default();
    while let Some(Item { line, share }) = items.recv().await {
        let answer = match line {
            Line::Document(document) => start_check(*document, &mut sessions, &toolsets, &service),
            Line::Toolset { name, tools } => {
                if toolsets.declare(name.clone(), tools) {
                    continue;
                }
                let message = format!("no room for the toolset `{name}`: more than 1 GiB of tools are declared");
                refused(
                    None,
                    DocumentError {
                        reason: "TOOLS_TOO_LARGE",
                        message,
                    },
                )
            }
            Line::Invalid { id, error } => refused(id, error),
        };
        if pending.send(Pending { answer, _share: share }).await.is_err() {
            return;
        }
    }
}

fn refused(id: Option<String>, error: DocumentError) -> Ahead {
    Ahead::Known(Box::new(Answered {
        answer: Answer::refused(id, error),
        latency: None,
    }))
}

fn start_check(document: Document, sessions: &mut Sessions, toolsets: &Toolsets, service: &Arc<Service>) -> Ahead {
    let turn = sessions.turn(&document);
    let toolset = match &document.tools {
        // A name that no line declared may be a reference that the service knows; if not, it says so.
        Some(Tools::Named(name)) => toolsets.get(name),
        Some(Tools::Inline(_)) | None => None,
    };
    let service = Arc::clone(service);
    Ahead::Judged(tokio::spawn(async move {
        let (answer, latency) = service.answer(document, toolset, turn).await;
        Answered {
            answer,
            latency: Some(latency),
        }
    }))
}

impl Pending {
    /// Whether waiting for it would be a wait.
    pub(super) fn is_ready(&self) -> bool {
        match &self.answer {
            Ahead::Known(_) => true,
            Ahead::Judged(task) => task.is_finished(),
        }
    }

    /// Waits for the answer.
    pub(super) async fn wait(self) -> Answered {
        match self.answer {
            Ahead::Known(answered) => *answered,
            Ahead::Judged(task) => task.await.unwrap_or_else(|_| Answered {
                answer: Answer::error(None, "INTERNAL", "the check ended without an answer"),
                latency: None,
            }),
        }
    }
}
