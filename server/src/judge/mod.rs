//! Who is asked whether a result answers the intent.
//!
//! The cache comes first; what is not known is put to the backend within a deadline and a bound on questions in
//! flight. Every fault is a cause for `degraded`: nothing that is not a clear YES or NO counts as one, and a fault is
//! never kept.

mod cache;
mod openai;
mod retry;

use std::sync::Arc;

use futures::{StreamExt, stream};
use tokio::time::timeout_at;
use toolward_core::{
    check::{Answer, Degraded},
    layers::semantic::Question,
};

use crate::{config::JudgeSettings, limits::Deadline, telemetry::Metrics};

use cache::Verdicts;
use openai::Openai;

pub use openai::JudgeError;

/// Questions of one check that are asked at once.
const MAX_PER_CHECK: usize = 8;

/// The judge.
#[derive(Debug)]
pub enum Judge {
    /// There is none.
    Off,
    /// A model behind an OpenAI-compatible endpoint.
    Openai(Box<Asking>),
}

/// A backend with its verdicts.
#[derive(Debug)]
pub struct Asking {
    backend: Openai,
    verdicts: Verdicts,
}

impl Judge {
    /// The judge of the configuration.
    ///
    /// # Errors
    /// The HTTP client cannot be set up.
    pub fn new(settings: &JudgeSettings, metrics: &Arc<Metrics>) -> Result<Self, JudgeError> {
        match settings {
            JudgeSettings::Off => Ok(Judge::Off),
            JudgeSettings::Openai(settings) => Ok(Judge::Openai(Box::new(Asking {
                backend: Openai::new(settings, Arc::clone(metrics))?,
                verdicts: Verdicts::new(settings.cache_capacity, settings.cache_ttl, Arc::clone(metrics)),
            }))),
        }
    }

    /// An answer for each question, in their order, at the latest at the deadline.
    pub async fn answer(&self, questions: &[Question], deadline: Deadline) -> Vec<Answer> {
        match self {
            Judge::Off => vec![Answer::NotAsked; questions.len()],
            Judge::Openai(asking) => {
                stream::iter(questions).map(|question| asking.answer(question, deadline)).buffered(MAX_PER_CHECK).collect().await
            }
        }
    }
}

impl Asking {
    async fn answer(&self, question: &Question, deadline: Deadline) -> Answer {
        let known = self.verdicts.get_or_ask(question.key, self.backend.ask(question));
        match timeout_at(deadline.instant(), known).await {
            Ok(Ok(true)) => Answer::Yes,
            Ok(Ok(false)) => Answer::No,
            Ok(Err(cause)) => Answer::Degraded(cause),
            Err(_) => Answer::Degraded(Degraded::Timeout),
        }
    }
}
