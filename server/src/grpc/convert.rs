//! Messages to the core's types, borrowed, and the core's outcome to the answer.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use toolward_core::{
    check::{LayerReport, Options, Outcome, ResultBody, ToolResult},
    decide::{CallOutcome, Fallback, ResultOutcome, Retry},
    finding::Finding,
    limits::Reason,
    trajectory::HistoryStep,
    turn::{Body, Candidate, ProposedCall},
};
use toolward_proto::v1;
use uuid::Uuid;

use super::words;
use crate::{chain::refusal, error::Error};

/// A request's parts, borrowed from the message.
#[derive(Debug)]
pub struct Parts<'a> {
    /// What the user asked, where the caller says it.
    pub intent: Option<&'a str>,
    /// The conversation as JSON.
    pub messages: Option<&'a [u8]>,
    /// Earlier steps.
    pub history: Vec<HistoryStep<'a>>,
    /// The tool choice as JSON.
    pub tool_choice: Option<&'a [u8]>,
    /// Results.
    pub results: Vec<ToolResult<'a>>,
    /// How to judge.
    pub options: Options,
    /// The time of the check, in milliseconds since 1970.
    pub now_ms: i64,
    candidate: Option<&'a v1::Candidate>,
    calls: Vec<ProposedCall<'a>>,
}

impl<'a> Parts<'a> {
    /// Takes a message apart. `clock_ms` is the service's clock, where the caller has none.
    ///
    /// # Errors
    /// A refusal where a part has no meaning.
    pub fn read(message: &'a v1::CheckRequest, clock_ms: i64) -> Result<Self, Error> {
        let conversation = message.conversation.as_ref();
        let now_ms = message.now.as_deref().map_or(Ok(clock_ms), parse_now)?;
        let calls = match message.candidate.as_ref().and_then(|candidate| candidate.body.as_ref()) {
            Some(v1::candidate::Body::Calls(calls)) => calls.calls.iter().map(proposed).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            intent: conversation
                .and_then(|it| it.intent.as_deref())
                .filter(|intent| !intent.is_empty()),
            messages: conversation.and_then(|it| it.messages_json.as_deref()),
            history: conversation.map_or(Ok(Vec::new()), |it| it.history.iter().map(step).collect())?,
            tool_choice: message.tool_choice_json.as_deref(),
            results: message.results.iter().map(result).collect(),
            options: options(message.options.as_ref())?,
            now_ms,
            candidate: message.candidate.as_ref(),
            calls,
        })
    }

    /// The candidate, where one was sent.
    pub fn candidate(&self) -> Option<Candidate<'_>> {
        let candidate = self.candidate?;
        let body = match candidate.body.as_ref()? {
            v1::candidate::Body::ResponseJson(json) => Body::Json(json),
            v1::candidate::Body::Text(text) => Body::Text(text),
            v1::candidate::Body::Sse(bytes) => Body::Sse(bytes),
            v1::candidate::Body::Calls(_) => Body::Calls(&self.calls),
        };
        Some(Candidate {
            body,
            format: words::format(candidate.format()),
            finish_reason: candidate.finish_reason.as_deref(),
        })
    }
}

fn parse_now(now: &str) -> Result<i64, Error> {
    let parsed = OffsetDateTime::parse(now, &Rfc3339).map_err(|_| {
        refusal(
            Reason::NowInvalid,
            "`now` is not a time as in RFC 3339, like 2026-03-01T10:00:00Z",
        )
    })?;
    Ok(i64::try_from(parsed.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX))
}

fn proposed(call: &v1::ProposedCall) -> ProposedCall<'_> {
    ProposedCall {
        id: call.id.as_deref(),
        name: &call.name,
        arguments: &call.arguments_json,
    }
}

fn step(step: &v1::Step) -> Result<HistoryStep<'_>, Error> {
    let call = step
        .call
        .as_ref()
        .ok_or_else(|| refusal(Reason::HistoryInvalid, "a step of the history has no call"))?;
    Ok(HistoryStep {
        call: proposed(call),
        result: step.result.as_ref().map(result),
        t_ms: step.t_ms,
    })
}

fn result(result: &v1::ToolResult) -> ToolResult<'_> {
    let body = match &result.body {
        Some(v1::tool_result::Body::Content(text)) => ResultBody::Text(text),
        Some(v1::tool_result::Body::ContentValueJson(json)) => ResultBody::Value(json),
        Some(v1::tool_result::Body::ContentJson(json)) => ResultBody::Encoded(json),
        None => ResultBody::Absent,
    };
    ToolResult {
        call_id: result.call_id.as_deref(),
        body,
        is_error: result.is_error,
    }
}

fn options(options: Option<&v1::CheckOptions>) -> Result<Options, Error> {
    let mut read = Options::default();
    let Some(options) = options else { return Ok(read) };
    let repair = v1::RepairMode::try_from(options.repair).map_err(|_| Error::OptionsInvalid("no such repair mode"))?;
    read.repair = match repair {
        v1::RepairMode::Unspecified | v1::RepairMode::Safe => true,
        v1::RepairMode::Off => false,
    };
    let mode = v1::RunMode::try_from(options.mode).map_err(|_| Error::OptionsInvalid("no such mode"))?;
    read.shadow = match mode {
        v1::RunMode::Unspecified | v1::RunMode::Enforce => false,
        v1::RunMode::Shadow => true,
    };
    if !options.layers.is_empty() {
        read.layers = [false; 5];
        for layer in &options.layers {
            let layer = v1::Layer::try_from(*layer).ok().and_then(words::asked_layer);
            let layer = layer.ok_or(Error::OptionsInvalid("no such layer"))?;
            if let Some(asked) = read.layers.get_mut(layer.index()) {
                *asked = true;
            }
        }
    }
    Ok(read)
}

/// The answer to a request.
pub fn response(
    outcome: Outcome,
    request: &v1::CheckRequest,
    decision_id: Uuid,
    revision: &str,
    toolset: &str,
) -> v1::CheckResponse {
    let options = request.options.as_ref();
    let explain = options.is_some_and(|options| options.explain);
    let changed_only = options.is_some_and(|options| options.arguments() == v1::ArgumentsEcho::Changed);
    let clean = outcome.response.is_none() && outcome.decision.allows();
    let left_out = outcome.text.is_empty() || (changed_only && clean);
    let text = (!left_out).then_some(outcome.text);
    let would = if outcome.enforced {
        v1::Decision::Unspecified
    } else {
        words::decision(outcome.would_decide)
    };
    v1::CheckResponse {
        request_id: request
            .request_id
            .clone()
            .filter(|id| !id.is_empty())
            .unwrap_or_else(new_id),
        decision_id: decision_id.simple().to_string(),
        policy_revision: revision.to_owned(),
        toolset_ref: toolset.to_owned(),
        decision: words::decision(outcome.decision).into(),
        enforced: outcome.enforced,
        would_decide: would.into(),
        error: None,
        calls: outcome
            .calls
            .into_iter()
            .map(|call| call_verdict(call, changed_only))
            .collect(),
        duplicates: outcome
            .duplicates
            .into_iter()
            .map(|it| v1::DuplicateCall {
                id: it.id,
                name: it.name,
                duplicate_of: it.duplicate_of,
            })
            .collect(),
        findings: outcome.findings.into_iter().map(finding).collect(),
        text,
        results: outcome.results.into_iter().map(result_verdict).collect(),
        retry: outcome.retry.map(retry),
        fallback: outcome.fallback.map(fallback),
        response_json: outcome.response.map(Into::into),
        layers: outcome
            .layers
            .iter()
            .map(|report| layer_report(report, explain))
            .collect(),
    }
}

/// An id of ours: 128 bits, ordered by time.
pub fn new_id() -> String {
    Uuid::now_v7().simple().to_string()
}

fn call_verdict(call: CallOutcome, changed_only: bool) -> v1::CallVerdict {
    let arguments = call
        .cleared
        .as_ref()
        .filter(|cleared| cleared.changed() || !changed_only);
    v1::CallVerdict {
        arguments_json: arguments.map(|cleared| cleared.arguments().to_owned().into_bytes().into()),
        id: call.id,
        name: call.name,
        decision: words::decision(call.decision).into(),
        findings: call.findings.into_iter().map(finding).collect(),
        patch_json: call.patch.map(|patch| patch.to_string().into_bytes().into()),
    }
}

fn finding(finding: Finding) -> v1::Finding {
    v1::Finding {
        layer: words::layer(finding.layer()).into(),
        code: finding.code.as_str().to_owned(),
        severity: words::severity(finding.severity()).into(),
        enforced: finding.enforced,
        pointer: finding.pointer,
        message: finding.message.into_owned(),
        expected: finding.expected,
        received: finding.received,
        suggestion: finding.suggestion,
    }
}

fn result_verdict(result: ResultOutcome) -> v1::ResultVerdict {
    v1::ResultVerdict {
        call_id: result.call_id,
        decision: words::decision(result.decision).into(),
        findings: result.findings.into_iter().map(finding).collect(),
    }
}

fn retry(retry: Retry) -> v1::Retry {
    v1::Retry {
        attempt: retry.attempt,
        max_attempts: retry.max_attempts,
        feedback_json: retry.feedback.to_string().into_bytes().into(),
        feedback_text: retry.feedback_text,
    }
}

fn fallback(fallback: Fallback) -> v1::Fallback {
    let in_words = |kind: v1::FallbackKind, text: String| v1::Fallback {
        kind: kind.into(),
        tool: None,
        arguments_json: None,
        text: Some(text),
    };
    match fallback {
        Fallback::Tool { name, arguments } => v1::Fallback {
            kind: v1::FallbackKind::Tool.into(),
            tool: Some(name),
            arguments_json: Some(arguments.to_string().into_bytes().into()),
            text: None,
        },
        Fallback::Text(text) => in_words(v1::FallbackKind::Text, text),
        Fallback::AskUser(text) => in_words(v1::FallbackKind::AskUser, text),
        Fallback::Stop(text) => in_words(v1::FallbackKind::Stop, text),
    }
}

fn layer_report(report: &LayerReport, explain: bool) -> v1::LayerReport {
    let (outcome, reason) = words::outcome(report.outcome);
    v1::LayerReport {
        layer: words::layer(report.layer).into(),
        outcome: outcome.into(),
        reason: reason.map(str::to_owned),
        duration_us: explain.then_some(report.duration_ns / 1_000),
    }
}
