//! Documents of one session are judged one after the other: each waits for the one before it.

use std::collections::HashMap;

use tokio::sync::oneshot::{self, error::TryRecvError};
use toolward_document::Document;

/// Whose turn it is, session by session. Sessions that nobody waits for are forgotten.
#[derive(Debug)]
pub(super) struct Sessions {
    last: HashMap<(Option<String>, String), oneshot::Receiver<()>>,
    sweep_at: usize,
}

/// A document's place in its session. Dropped: the next one may go.
#[derive(Debug)]
pub(super) struct Turn {
    before: Option<oneshot::Receiver<()>>,
    _after: Option<oneshot::Sender<()>>,
}

const SWEEP_AT: usize = 1024;

impl Sessions {
    pub(super) fn new() -> Self {
        Self {
            last: HashMap::new(),
            sweep_at: SWEEP_AT,
        }
    }

    /// The next place in the document's session.
    pub(super) fn turn(&mut self, document: &Document) -> Turn {
        let Some(session) = document.session_id.clone() else {
            return Turn {
                before: None,
                _after: None,
            };
        };
        if self.last.len() >= self.sweep_at {
            self.last.retain(|_, last| last.try_recv() == Err(TryRecvError::Empty));
            self.sweep_at = SWEEP_AT.max(self.last.len() * 2);
        }
        let (after, done) = oneshot::channel();
        Turn {
            before: self.last.insert((document.tenant.clone(), session), done),
            _after: Some(after),
        }
    }
}

impl Turn {
    /// Waits for the document before.
    pub(super) async fn come(&mut self) {
        if let Some(before) = self.before.take() {
            // Nothing is ever sent: the sender's end is the word.
            let _over = before.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(tenant: Option<&str>, session: Option<&str>) -> Document {
        Document {
            tenant: tenant.map(str::to_owned),
            session_id: session.map(str::to_owned),
            ..Document::default()
        }
    }

    #[test]
    fn each_waits_for_the_one_before_it() {
        let mut sessions = Sessions::new();
        let mut first = sessions.turn(&document(None, Some("s")));
        let second = sessions.turn(&document(None, Some("s")));
        assert!(first.before.is_none());
        let waits = |turn: &mut Turn| turn.before.as_mut().map(|before| before.try_recv());
        let mut second = second;
        assert_eq!(waits(&mut second), Some(Err(TryRecvError::Empty)));
        drop(first);
        assert_eq!(waits(&mut second), Some(Err(TryRecvError::Closed)));
        assert!(sessions.turn(&document(Some("t"), Some("s"))).before.is_none());
        assert!(sessions.turn(&document(None, None)).before.is_none());
        first = sessions.turn(&document(None, Some("s")));
        assert!(first.before.is_some());
    }

    #[test]
    fn sessions_that_are_over_are_forgotten() {
        let mut sessions = Sessions::new();
        let held = sessions.turn(&document(None, Some("held")));
        for number in 0..10_000 {
            sessions.turn(&document(None, Some(&number.to_string())));
        }
        assert!(sessions.last.len() <= SWEEP_AT);
        assert!(sessions.turn(&document(None, Some("held"))).before.is_some());
        drop(held);
    }
}
