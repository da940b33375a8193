//! Who is asked whether a result answers the intent.
//!
//! The cache comes first; what is not known is put to the backend within a deadline and a bound on questions in
//! flight. Every fault is a cause for `degraded`: nothing that is not a clear YES or NO counts as one, and a fault is
//! never kept.

mod cache;
mod openai;
mod retry;

use std::sync::Arc;

use futures::future::join_all;
use tokio::time::timeout_at;
use toolward_core::{
    check::{Answer, Degraded},
    layers::semantic::Question,
};

use crate::{
    config::{JudgeBackend, JudgeConfig},
    limits::Deadline,
    telemetry::Metrics,
};

use cache::Verdicts;
use openai::Openai;

pub use openai::JudgeFault;

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
    pub fn new(config: &JudgeConfig, metrics: &Arc<Metrics>) -> Result<Self, JudgeFault> {
        match &config.backend {
            JudgeBackend::Off => Ok(Judge::Off),
            JudgeBackend::OpenAi {
                url,
                model,
                api_key_file,
            } => Ok(Judge::Openai(Box::new(Asking {
                backend: Openai::new(config, url, model, api_key_file.as_deref(), Arc::clone(metrics))?,
                verdicts: Verdicts::new(config, Arc::clone(metrics)),
            }))),
        }
    }

    /// An answer for each question, in their order, at the latest at the deadline.
    pub async fn answer(&self, questions: &[Question], deadline: Deadline) -> Vec<Answer> {
        match self {
            Judge::Off => vec![Answer::NotAsked; questions.len()],
            Judge::Openai(asking) => {
                let mut answers = Vec::with_capacity(questions.len());
                for batch in questions.chunks(MAX_PER_CHECK) {
                    let asked: Vec<_> = batch.iter().map(|question| asking.answer(question, deadline)).collect();
                    answers.extend(join_all(asked).await);
                }
                answers
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
