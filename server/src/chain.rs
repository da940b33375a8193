//! One check from message to message: state is fetched, the core decides, the judge is asked between its halves, the
//! session remembers. gRPC and HTTP both come through here, so they cannot differ.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use toolward_core::{
    check::{Clock, Context, Outcome, Request, ToolChoice, ToolResult, inspect},
    limits::{Limits, Reason, Refusal},
    policy::Policy,
    tools::ToolSet,
    trajectory::{Answer, Conversation, HistoryStep, Session, Trajectory},
};
use toolward_proto::v1;

use crate::{
    error::Error,
    grpc::convert::{self, Parts},
    judge::Judge,
    policies::Policies,
    session::Sessions,
    telemetry::{CheckEvent, Metrics, RefusalEvent},
    toolsets::Toolsets,
};

/// Everything that a check needs. One for the whole server.
#[derive(Debug)]
pub struct Chain {
    /// What is refused.
    pub limits: Limits,
    /// What the operator wants.
    pub policies: Policies,
    /// What was offered before.
    pub toolsets: Toolsets,
    /// What happened before.
    pub sessions: Sessions,
    /// Who answers questions.
    pub judge: Judge,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The longest that a check may take.
    pub timeout: Duration,
}

/// Layer timings come from here.
struct Monotonic(Instant);

impl Clock for Monotonic {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// What is known of the past when a check begins.
struct Past {
    trajectory: Trajectory,
    earlier: Vec<Answer>,
    intent: Option<String>,
}

impl Chain {
    /// Judges one request. Every refusal is counted.
    ///
    /// # Errors
    /// An [`Error`] where it cannot be judged; a bad call is an answer.
    pub async fn check(&self, request: v1::CheckRequest) -> Result<v1::CheckResponse, Error> {
        let started = Instant::now();
        let _in_flight = self.metrics.in_flight();
        let answer = match tokio::time::timeout(self.timeout, self.judged(&request, started)).await {
            Ok(answer) => answer,
            Err(_) => Err(Error::DeadlineExceeded),
        };
        if let Err(error) = &answer {
            RefusalEvent { reason: error.reason() }.emit(&self.metrics);
        }
        answer
    }

    async fn judged(&self, message: &v1::CheckRequest, started: Instant) -> Result<v1::CheckResponse, Error> {
        let parts = Parts::read(message, now_ms())?;
        let policy = self.policies.get(message.policy.as_deref()).ok_or(Error::PolicyUnknown)?;
        let session = message
            .session_id
            .as_deref()
            .filter(|id| !id.is_empty())
            .map(|id| self.sessions.entry(message.tenant.as_deref().unwrap_or_default(), id));
        let toolset = self.toolset(message, session.as_deref())?;
        let conversation = match parts.messages {
            Some(json) => Some(Conversation::read(json, &self.limits)?),
            None => None,
        };
        let past = self.past(session.as_deref(), conversation.as_ref(), &parts);
        let (tool_choice, parallel) = match parts.tool_choice {
            Some(json) => ToolChoice::parse(json)?,
            None => (ToolChoice::default(), None),
        };
        let empty = Conversation::default();
        let request = Request {
            toolset: &toolset,
            context: Context {
                intent: parts.intent.or(past.intent.as_deref()),
                conversation: conversation.as_ref().unwrap_or(&empty),
                tool_choice: &tool_choice,
                parallel: message.parallel_tool_calls.or(parallel),
                now_ms: parts.now_ms,
            },
            trajectory: &past.trajectory,
            candidate: parts.candidate(),
            results: &parts.results,
            earlier: &past.earlier,
            attempt: message.attempt.filter(|attempt| *attempt > 0),
            options: parts.options,
        };
        let outcome = self.decided(&request, policy, started).await?;
        if let Some(session) = &session {
            remember(session, &outcome, toolset.reference(), parts.intent, parts.now_ms, &self.limits);
        }
        CheckEvent { outcome: &outcome, policy, duration: started.elapsed() }.emit(&self.metrics);
        Ok(convert::response(outcome, message, policy.revision(), toolset.reference()))
    }

    async fn decided(&self, request: &Request<'_>, policy: &Policy, started: Instant) -> Result<Outcome, Error> {
        let inspected = inspect(request, policy, &self.limits, &Monotonic(started))?;
        let answers = if inspected.questions().is_empty() {
            Vec::new()
        } else {
            self.judge.ask(inspected.questions()).await
        };
        Ok(inspected.conclude(&answers))
    }

    fn toolset(&self, message: &v1::CheckRequest, session: Option<&Mutex<Session>>) -> Result<Arc<ToolSet>, Error> {
        match &message.tools {
            Some(v1::check_request::Tools::ToolsJson(json)) => Ok(self.toolsets.read(json)?),
            Some(v1::check_request::Tools::ToolsetRef(reference)) => {
                self.toolsets.get(reference).ok_or(Error::ToolsetUnknown)
            }
            None => {
                let remembered = session.and_then(|session| lock(session).toolset().map(str::to_owned));
                match remembered.filter(|reference| !reference.is_empty()) {
                    Some(reference) => self.toolsets.get(&reference).ok_or(Error::ToolsetUnknown),
                    None => Ok(self.toolsets.none()),
                }
            }
        }
    }

    fn past(
        &self,
        session: Option<&Mutex<Session>>,
        conversation: Option<&Conversation<'_>>,
        parts: &Parts<'_>,
    ) -> Past {
        match session {
            Some(session) => {
                let mut session = lock(session);
                let earlier = session.begin(conversation, &parts.results);
                if let Some(intent) = parts.intent {
                    session.set_intent(intent);
                }
                let mut trajectory = session.trajectory().clone();
                if trajectory.steps.is_empty() && !parts.history.is_empty() {
                    trajectory = Trajectory::from_history(&parts.history, &self.limits);
                }
                Past { trajectory, earlier, intent: session.intent().map(str::to_owned) }
            }
            None => {
                let empty = Conversation::default();
                let conversation = conversation.unwrap_or(&empty);
                let mut trajectory = Trajectory::stateless(conversation, &parts.history, &self.limits);
                let earlier = trajectory.answer(&parts.results);
                Past { trajectory, earlier, intent: None }
            }
        }
    }
}

fn remember(
    session: &Mutex<Session>,
    outcome: &Outcome,
    toolset: &str,
    intent: Option<&str>,
    now_ms: i64,
    limits: &Limits,
) {
    let mut session = lock(session);
    if !toolset.is_empty() {
        session.set_toolset(toolset);
    }
    if let Some(intent) = intent {
        session.set_intent(intent);
    }
    let steps: Vec<_> = outcome
        .steps
        .iter()
        .map(|step| (step.call_id.as_str(), step.tool.as_str(), step.arguments, step.outcome.clone()))
        .collect();
    if !steps.is_empty() {
        session.record(&steps, Some(now_ms), limits);
    } else if outcome.retry.is_some() {
        session.record_refused_text();
    }
}

/// A session is plain data: what a panicking request left behind is still a session.
fn lock(session: &Mutex<Session>) -> std::sync::MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
}

/// What a history step or result that cannot be read is refused with.
pub(crate) fn refusal(reason: Reason, message: &str) -> Error {
    Error::Refused(Refusal::new(reason, message))
}

/// The calls of a history, for the conversion.
pub(crate) type History<'a> = Vec<HistoryStep<'a>>;

/// The results of a request, for the conversion.
pub(crate) type Results<'a> = Vec<ToolResult<'a>>;
