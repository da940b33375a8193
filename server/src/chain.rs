//! One check from message to message: state is fetched, the core decides, the judge is asked between its halves, the
//! session remembers. gRPC and HTTP both come through here, so they cannot differ.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use toolward_core::{
    check::{CheckedStep, Clock, Context, Outcome, Request, ResultBody, ToolChoice, inspect},
    limits::{Limits, Reason, Refusal},
    policy::Policy,
    tools::ToolSet,
    trajectory::{Answer, Conversation, Session, Trajectory},
    turn::Body,
};
use toolward_proto::v1;
use uuid::Uuid;

use crate::{
    error::Error,
    grpc::convert::{self, Parts},
    judge::Judge,
    limits::{Admission, Deadline},
    policies::Policies,
    session::{Place, Sessions},
    telemetry::{
        Metrics,
        events::{CheckEvent, RefusalEvent},
    },
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
    /// Bytes of one message or body.
    pub max_message_bytes: usize,
    /// How much is worked on at once.
    pub admission: Admission,
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
    /// When a check that begins now must be done; the header is the caller's `grpc-timeout`.
    pub fn deadline(&self, header: Option<&str>) -> Deadline {
        Deadline::new(self.timeout, header)
    }

    /// Takes a request's place among those of its session; requests are judged in the order of their places. `None`:
    /// the request has no session.
    ///
    /// # Errors
    /// A name is too long.
    pub fn queue(&self, request: &v1::CheckRequest) -> Result<Option<Place>, Error> {
        let Some(id) = request.session_id.as_deref().filter(|id| !id.is_empty()) else {
            return Ok(None);
        };
        self.sessions
            .queue(request.tenant.as_deref().unwrap_or_default(), id)
            .map(Some)
    }

    /// Judges one request that has been admitted. Every refusal is counted.
    ///
    /// # Errors
    /// An [`Error`] where it cannot be judged; a bad call is an answer.
    pub async fn check(
        &self,
        request: &v1::CheckRequest,
        place: Option<Place>,
        deadline: Deadline,
    ) -> Result<v1::CheckResponse, Error> {
        let started = Instant::now();
        let answer = tokio::select! {
            biased;
            answer = deadline.bound(self.judged(request, place, deadline, started)) => answer.and_then(|answer| answer),
            () = self.admission.abandoned().cancelled() => Err(Error::Draining),
        };
        if let Err(error) = &answer {
            RefusalEvent { error }.emit(&self.metrics);
        }
        answer
    }

    async fn judged(
        &self,
        message: &v1::CheckRequest,
        place: Option<Place>,
        deadline: Deadline,
        started: Instant,
    ) -> Result<v1::CheckResponse, Error> {
        let parts = Parts::read(message, now_ms())?;
        let policy = self
            .policies
            .get(message.policy.as_deref())
            .ok_or(Error::PolicyUnknown)?;
        // Held to the end: what this request leaves behind is whole before the next one looks.
        let mut session = match place {
            Some(place) => Some(place.wait(deadline).await?),
            None => None,
        };
        let toolset = self.toolset(message, session.as_deref(), deadline).await?;
        let conversation = match parts.messages {
            Some(json) => Some(Conversation::read(json, &self.limits)?),
            None => None,
        };
        let (tool_choice, parallel) = match parts.tool_choice {
            Some(json) => ToolChoice::parse(json)?,
            None => (ToolChoice::default(), None),
        };
        let past = self.past(session.as_deref_mut(), conversation.as_ref(), &parts);
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
        let outcome = self.decided(&request, policy, deadline, started).await?;
        if let Some(session) = session.as_deref_mut() {
            remember(session, &outcome, toolset.reference(), parts.now_ms, &self.limits);
        }
        let decision_id = Uuid::now_v7();
        CheckEvent {
            outcome: &outcome,
            policy,
            decision_id,
            took: started.elapsed(),
        }
        .emit(&self.metrics);
        Ok(convert::response(
            outcome,
            message,
            decision_id,
            policy.revision(),
            toolset.reference(),
        ))
    }

    async fn decided(
        &self,
        request: &Request<'_>,
        policy: &Policy,
        deadline: Deadline,
        started: Instant,
    ) -> Result<Outcome, Error> {
        let work = || inspect(request, policy, &self.limits, &Monotonic(started));
        let inspected = if is_heavy(request) { aside(work)? } else { work()? };
        let answers = if inspected.questions().is_empty() {
            Vec::new()
        } else {
            self.judge.answer(inspected.questions(), deadline).await
        };
        Ok(inspected.conclude(&answers))
    }

    async fn toolset(
        &self,
        message: &v1::CheckRequest,
        session: Option<&Session>,
        deadline: Deadline,
    ) -> Result<Arc<ToolSet>, Error> {
        match &message.tools {
            Some(v1::check_request::Tools::ToolsJson(json)) => self.toolsets.read(json, deadline).await,
            Some(v1::check_request::Tools::ToolsetRef(reference)) => self.toolsets.by_reference(reference),
            None => match session
                .and_then(Session::toolset)
                .filter(|reference| !reference.is_empty())
            {
                Some(reference) => self.toolsets.by_reference(reference),
                None => Ok(self.toolsets.empty()),
            },
        }
    }

    fn past(&self, session: Option<&mut Session>, conversation: Option<&Conversation<'_>>, parts: &Parts<'_>) -> Past {
        match session {
            Some(session) => {
                let earlier = session.begin(conversation, &parts.results);
                if let Some(intent) = parts.intent {
                    session.set_intent(intent);
                }
                let mut trajectory = session.trajectory().clone();
                if trajectory.steps.is_empty() && !parts.history.is_empty() {
                    trajectory = Trajectory::from_history(&parts.history, &self.limits);
                }
                Past {
                    trajectory,
                    earlier,
                    intent: session.intent().map(str::to_owned),
                }
            }
            None => {
                let empty = Conversation::default();
                let conversation = conversation.unwrap_or(&empty);
                let mut trajectory = Trajectory::stateless(conversation, &parts.history, &self.limits);
                let earlier = trajectory.answer(&parts.results);
                Past {
                    trajectory,
                    earlier,
                    intent: None,
                }
            }
        }
    }
}

fn remember(session: &mut Session, outcome: &Outcome, toolset: &str, now_ms: i64, limits: &Limits) {
    if !toolset.is_empty() {
        session.set_toolset(toolset);
    }
    let steps: Vec<_> = outcome.steps.iter().map(CheckedStep::record).collect();
    if !steps.is_empty() {
        session.record(&steps, Some(now_ms), limits);
    } else if outcome.retry.is_some() {
        session.record_refused_text();
    }
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

/// Bytes above which a check may take long enough for others to notice.
const HEAVY_BYTES: usize = 256 << 10;

fn is_heavy(request: &Request<'_>) -> bool {
    let candidate = request.candidate.as_ref().map_or(0, |candidate| match candidate.body {
        Body::Json(bytes) | Body::Sse(bytes) => bytes.len(),
        Body::Text(text) => text.len(),
        Body::Calls(calls) => calls.iter().map(|call| call.arguments.len()).sum(),
    });
    let results = request.results.iter().map(|result| match result.body {
        ResultBody::Text(text) => text.len(),
        ResultBody::Value(bytes) | ResultBody::Encoded(bytes) => bytes.len(),
        ResultBody::Absent => 0,
    });
    candidate.saturating_add(results.sum()) > HEAVY_BYTES
}

/// Runs work that takes long so that other requests go on meanwhile, where the runtime has threads for it.
fn aside<T>(work: impl FnOnce() -> T) -> T {
    let runtime = tokio::runtime::Handle::current();
    match runtime.runtime_flavor() {
        tokio::runtime::RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        _ => work(),
    }
}
