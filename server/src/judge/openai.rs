//! The backend behind an OpenAI-compatible `/chat/completions`.
//!
//! The only socket is the one configured: no proxy, no redirect. The answer's body is bounded, its JSON read strictly,
//! and an answer that was cut off is none. One deadline holds for all tries together.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect,
};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep_until, timeout_at},
};
use toolward_core::{
    check::Degraded,
    layers::semantic::{Question, read_answer},
};

use super::retry::pause;
use crate::{
    config::JudgeConfig,
    telemetry::{
        Metrics,
        events::{JudgeEvent, JudgeRetryEvent, JudgeTokensEvent},
        labels::JudgeOutcome,
    },
};

/// Tries for one question.
const MAX_ATTEMPTS: u32 = 3;

/// Tokens that the model may write: one word, and what some models put around it.
const MAX_TOKENS: u32 = 8;

/// Why the judge cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum JudgeFault {
    /// The URL cannot carry a path.
    #[error("judge.url cannot be extended by a path")]
    Url,
    /// The key's file cannot be read.
    #[error("judge.api_key_file: {path}: {source}", path = .path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The key is no header value.
    #[error("judge.api_key_file holds no key: one line of visible ASCII is expected")]
    Key,
    /// The HTTP client cannot be built.
    #[error("the judge's HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// The backend.
#[derive(Debug)]
pub(super) struct Openai {
    client: Client,
    url: Url,
    model: String,
    max_answer_bytes: usize,
    timeout: Duration,
    places: Semaphore,
    metrics: Arc<Metrics>,
}

/// How one try failed.
enum Fault {
    /// Another try may help; after so long, if the backend says so.
    Passing(Degraded, Option<Duration>),
    /// None will.
    Lasting(Degraded),
}

#[derive(Serialize)]
struct Ask<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    max_tokens: u32,
    temperature: u32,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl Openai {
    /// A backend that has not been spoken to yet.
    pub fn new(
        config: &JudgeConfig,
        url: &str,
        model: &str,
        api_key_file: Option<&Path>,
        metrics: Arc<Metrics>,
    ) -> Result<Self, JudgeFault> {
        let mut headers = HeaderMap::new();
        if let Some(path) = api_key_file {
            headers.insert(AUTHORIZATION, bearer(path)?);
        }
        let client = Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .default_headers(headers)
            .pool_max_idle_per_host(config.max_concurrent)
            .tcp_nodelay(true)
            .build()
            .map_err(JudgeFault::Client)?;
        let mut url = Url::parse(url).map_err(|_| JudgeFault::Url)?;
        url.path_segments_mut()
            .map_err(|()| JudgeFault::Url)?
            .pop_if_empty()
            .extend(["chat", "completions"]);
        Ok(Self {
            client,
            url,
            model: model.to_owned(),
            max_answer_bytes: config.max_answer_bytes,
            timeout: Duration::from_millis(config.timeout_ms),
            places: Semaphore::new(config.max_concurrent),
            metrics,
        })
    }

    /// What the model says: yes or no, or why not.
    pub async fn ask(&self, question: &Question) -> Result<bool, Degraded> {
        let start = Instant::now();
        let verdict = match self.places.try_acquire() {
            Err(_) => Err(Degraded::Overloaded),
            Ok(_place) => self.try_until(question, start + self.timeout).await,
        };
        let outcome = match verdict {
            Ok(true) => JudgeOutcome::Yes,
            Ok(false) => JudgeOutcome::No,
            Err(Degraded::Timeout) => JudgeOutcome::Timeout,
            Err(Degraded::Unavailable) => JudgeOutcome::Unavailable,
            Err(Degraded::Unreadable) => JudgeOutcome::Unreadable,
            Err(Degraded::Overloaded) => JudgeOutcome::Overloaded,
        };
        JudgeEvent {
            outcome,
            took: start.elapsed(),
        }
        .emit(&self.metrics);
        verdict
    }

    async fn try_until(&self, question: &Question, deadline: Instant) -> Result<bool, Degraded> {
        let mut attempt = 1;
        loop {
            let tried = timeout_at(deadline, self.attempt(question))
                .await
                .map_err(|_| Degraded::Timeout)?;
            let (cause, asked) = match tried {
                Ok(verdict) => return Ok(verdict),
                Err(Fault::Lasting(cause)) => return Err(cause),
                Err(Fault::Passing(cause, asked)) => (cause, asked),
            };
            let next = Instant::now() + pause(attempt, asked);
            if attempt >= MAX_ATTEMPTS || next >= deadline {
                return Err(cause);
            }
            sleep_until(next).await;
            attempt += 1;
            JudgeRetryEvent.emit(&self.metrics);
        }
    }

    async fn attempt(&self, question: &Question) -> Result<bool, Fault> {
        let ask = Ask {
            model: &self.model,
            messages: [
                Message {
                    role: "system",
                    content: &question.system,
                },
                Message {
                    role: "user",
                    content: &question.user,
                },
            ],
            max_tokens: MAX_TOKENS,
            temperature: 0,
            stream: false,
        };
        let body = serde_json::to_vec(&ask).map_err(|_| Fault::Lasting(Degraded::Unreadable))?;
        let response = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send()
            .await
            .map_err(|_| Fault::Passing(Degraded::Unavailable, None))?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            return Err(Fault::Passing(Degraded::Unavailable, retry_after(&response)));
        }
        if !status.is_success() {
            return Err(Fault::Lasting(Degraded::Unavailable));
        }
        let body = self.read(response).await?;
        self.verdict(&body).ok_or(Fault::Lasting(Degraded::Unreadable))
    }

    /// The body, up to the limit.
    async fn read(&self, mut response: Response) -> Result<Vec<u8>, Fault> {
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(None) => return Ok(body),
                Ok(Some(chunk)) if body.len() + chunk.len() > self.max_answer_bytes => {
                    return Err(Fault::Lasting(Degraded::Unreadable));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Err(_) => return Err(Fault::Passing(Degraded::Unavailable, None)),
            }
        }
    }

    /// Yes or no, if the answer is exactly one of them. What it cost counts in any case.
    fn verdict(&self, body: &[u8]) -> Option<bool> {
        let completion: Completion = serde_json::from_slice(body).ok()?;
        if let Some(usage) = &completion.usage {
            let (input, output) = (usage.prompt_tokens, usage.completion_tokens);
            JudgeTokensEvent { input, output }.emit(&self.metrics);
        }
        let [choice] = completion.choices.as_slice() else {
            return None;
        };
        // Cut off, a "NO" may be the beginning of "NOT SURE".
        if choice.finish_reason.as_deref() == Some("length") {
            return None;
        }
        read_answer(choice.message.content.as_deref()?)
    }
}

/// The header that carries the key.
fn bearer(path: &Path) -> Result<HeaderValue, JudgeFault> {
    let text = fs::read_to_string(path).map_err(|source| JudgeFault::KeyFile {
        path: path.to_owned(),
        source,
    })?;
    let key = text.trim();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(JudgeFault::Key);
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| JudgeFault::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Whole seconds; a date is not looked at.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds: u64 = response
        .headers()
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}
