//! Documents to requests of the contract, and back.

use bytes::Bytes;
use toolward_proto::v1;

use crate::{
    call::{Arguments, Call, Step},
    candidate::Candidate,
    document::{Document, Tools},
    error::DocumentError,
    json::{Json, Kind},
    options::Options,
    result::{ResultBody, ToolResult},
    words::{ArgumentsEcho, Format, Layer, Repair, RunMode},
};

impl Document {
    /// The request that says the same.
    ///
    /// # Errors
    /// None today: every document can be said in the contract.
    pub fn into_request(self) -> Result<v1::CheckRequest, DocumentError> {
        let surrounded = self.intent.is_some() || self.messages.is_some() || !self.history.is_empty();
        let conversation = surrounded.then(|| v1::Conversation {
            intent: self.intent,
            messages_json: self.messages.map(Json::into_bytes),
            history: self.history.into_iter().map(Step::into_wire).collect(),
        });
        Ok(v1::CheckRequest {
            request_id: self.id,
            session_id: self.session_id,
            tenant: self.tenant,
            policy: self.policy,
            tools: self.tools.map(|tools| match tools {
                Tools::Inline(json) => v1::check_request::Tools::ToolsJson(json.into_bytes()),
                Tools::Named(name) => v1::check_request::Tools::ToolsetRef(name),
            }),
            conversation,
            tool_choice_json: self.tool_choice.map(Json::into_bytes),
            parallel_tool_calls: self.parallel_tool_calls,
            candidate: candidate_into_wire(self.candidate, self.format, self.finish_reason),
            results: self.results.into_iter().map(ToolResult::into_wire).collect(),
            attempt: self.attempt,
            now: self.now,
            options: self.options.map(Options::into_wire),
        })
    }

    /// The document that says the same as a request.
    ///
    /// # Errors
    /// The request holds what the service would refuse: JSON that is none, an unknown enum number, a step without a
    /// call, a stream that is said to be of another format.
    pub fn from_request(request: &v1::CheckRequest) -> Result<Self, DocumentError> {
        let conversation = request.conversation.as_ref();
        let messages = conversation.and_then(|conversation| conversation.messages_json.as_ref());
        let history = conversation.map(|conversation| conversation.history.as_slice());
        let (candidate, format, finish_reason) = candidate_from_wire(request.candidate.as_ref())?;
        Ok(Self {
            id: request.request_id.clone(),
            tools: request.tools.as_ref().map(tools_from_wire).transpose()?,
            intent: conversation.and_then(|conversation| conversation.intent.clone()),
            messages: messages
                .map(|bytes| array(bytes, "messages_json", DocumentError::MESSAGES_INVALID))
                .transpose()?,
            history: history
                .unwrap_or_default()
                .iter()
                .map(Step::from_wire)
                .collect::<Result<_, _>>()?,
            tool_choice: request
                .tool_choice_json
                .as_ref()
                .map(tool_choice)
                .transpose()?
                .flatten(),
            parallel_tool_calls: request.parallel_tool_calls,
            format,
            candidate,
            finish_reason,
            results: request.results.iter().map(ToolResult::from_wire).collect(),
            session_id: request.session_id.clone(),
            tenant: request.tenant.clone(),
            policy: request.policy.clone(),
            // Attempts count from 1; 0 is what unset looks like to callers without optional fields.
            attempt: request.attempt.filter(|attempt| *attempt > 0),
            now: request.now.clone(),
            options: request.options.as_ref().map(Options::from_wire).transpose()?,
        })
    }
}

/// A format without a candidate is kept: it says in which shape feedback on results is wanted.
fn candidate_into_wire(
    candidate: Option<Candidate>,
    format: Option<Format>,
    finish_reason: Option<String>,
) -> Option<v1::Candidate> {
    use v1::candidate::Body;

    if candidate.is_none() && format.is_none() && finish_reason.is_none() {
        return None;
    }
    let streamed = format == Some(Format::OpenaiSse);
    let body = candidate.map(|candidate| match candidate {
        Candidate::Json(json) => Body::ResponseJson(json.into_bytes()),
        Candidate::Text(text) if streamed => Body::Sse(Bytes::from(text)),
        Candidate::Text(text) => Body::Text(text),
        Candidate::Bytes(bytes) if streamed => Body::Sse(bytes),
        Candidate::Bytes(bytes) => Body::ResponseJson(bytes),
        Candidate::Calls(calls) => Body::Calls(v1::ProposedCalls {
            calls: calls.into_iter().map(Call::into_wire).collect(),
        }),
    });
    Some(v1::Candidate {
        format: format.map_or(0, Format::wire),
        finish_reason,
        body,
    })
}

type CandidateParts = (Option<Candidate>, Option<Format>, Option<String>);

fn candidate_from_wire(candidate: Option<&v1::Candidate>) -> Result<CandidateParts, DocumentError> {
    use v1::candidate::Body;

    let Some(wire) = candidate else {
        return Ok((None, None, None));
    };
    let mut format = known(wire.format, Format::from_wire, DocumentError::FORMAT_UNKNOWN, "format")?;
    let candidate = match &wire.body {
        None => None,
        Some(Body::ResponseJson(bytes)) => Some(Candidate::from_bytes(bytes.clone()).of_format(format)),
        Some(Body::Text(text)) => Some(Candidate::Text(text.clone())),
        Some(Body::Sse(bytes)) => {
            let message = "a captured stream is of the format openai_sse";
            match format {
                None | Some(Format::OpenaiSse) => format = Some(Format::OpenaiSse),
                Some(_) => return Err(DocumentError::new(DocumentError::CANDIDATE_INVALID, message)),
            }
            Some(Candidate::from_stream(bytes.clone()))
        }
        Some(Body::Calls(calls)) => Some(Candidate::Calls(calls.calls.iter().map(Call::from_wire).collect())),
    };
    Ok((candidate, format, wire.finish_reason.clone()))
}

fn tools_from_wire(tools: &v1::check_request::Tools) -> Result<Tools, DocumentError> {
    match tools {
        v1::check_request::Tools::ToolsJson(bytes) => {
            array(bytes, "tools_json", DocumentError::TOOLS_INVALID).map(Tools::Inline)
        }
        v1::check_request::Tools::ToolsetRef(name) => Ok(Tools::Named(name.clone())),
    }
}

fn array(bytes: &Bytes, name: &str, reason: &'static str) -> Result<Json, DocumentError> {
    Json::from_bytes(bytes)
        .filter(|json| json.kind() == Kind::Array)
        .ok_or_else(|| DocumentError::new(reason, format!("`{name}` must be a JSON array")))
}

fn tool_choice(bytes: &Bytes) -> Result<Option<Json>, DocumentError> {
    let message = "`tool_choice_json` must be JSON";
    Json::from_bytes(bytes)
        .map(|json| Some(json).filter(|json| json.get() != "null"))
        .ok_or_else(|| DocumentError::new(DocumentError::TOOL_CHOICE_INVALID, message))
}

/// An enum number of the contract: 0 is unset.
fn known<T>(
    number: i32,
    read: impl Fn(i32) -> Option<T>,
    reason: &'static str,
    name: &str,
) -> Result<Option<T>, DocumentError> {
    if number == 0 {
        return Ok(None);
    }
    let message = || format!("`{name}` has a number that is not known");
    read(number)
        .map(Some)
        .ok_or_else(|| DocumentError::new(reason, message()))
}

impl Call {
    fn into_wire(self) -> v1::ProposedCall {
        v1::ProposedCall {
            id: self.id,
            name: self.name,
            arguments_json: match self.arguments {
                Arguments::Absent => Bytes::new(),
                Arguments::Json(json) => json.into_bytes(),
                Arguments::Bytes(bytes) => bytes,
            },
        }
    }

    fn from_wire(wire: &v1::ProposedCall) -> Self {
        Self {
            id: wire.id.clone(),
            name: wire.name.clone(),
            arguments: Arguments::from_bytes(wire.arguments_json.clone()),
        }
    }
}

impl Step {
    fn into_wire(self) -> v1::Step {
        v1::Step {
            call: Some(self.call.into_wire()),
            result: self.result.map(ToolResult::into_wire),
            t_ms: self.t_ms,
        }
    }

    fn from_wire(wire: &v1::Step) -> Result<Self, DocumentError> {
        let message = "a step of the history has no call";
        let missing = || DocumentError::new(DocumentError::HISTORY_INVALID, message);
        Ok(Self {
            call: wire.call.as_ref().map(Call::from_wire).ok_or_else(missing)?,
            result: wire.result.as_ref().map(ToolResult::from_wire),
            t_ms: wire.t_ms,
        })
    }
}

impl ToolResult {
    fn into_wire(self) -> v1::ToolResult {
        use v1::tool_result::Body;

        v1::ToolResult {
            call_id: self.call_id,
            is_error: self.is_error,
            body: match self.body {
                ResultBody::Absent => None,
                ResultBody::Text(text) => Some(Body::Content(text)),
                ResultBody::Value(json) => Some(Body::ContentValueJson(json.into_bytes())),
                ResultBody::Encoded(text) => Some(Body::ContentJson(Bytes::from(text))),
                ResultBody::Bytes(bytes) => Some(Body::ContentJson(bytes)),
            },
        }
    }

    fn from_wire(wire: &v1::ToolResult) -> Self {
        use v1::tool_result::Body;

        Self {
            call_id: wire.call_id.clone(),
            is_error: wire.is_error,
            body: match &wire.body {
                None => ResultBody::Absent,
                Some(Body::Content(text)) => ResultBody::Text(text.clone()),
                // A value that is no JSON is told as what it is: JSON text that may be broken.
                Some(Body::ContentValueJson(bytes)) => Json::from_bytes(bytes)
                    .map_or_else(|| ResultBody::from_encoded(bytes.clone()), ResultBody::from_json),
                Some(Body::ContentJson(bytes)) => ResultBody::from_encoded(bytes.clone()),
            },
        }
    }
}

impl Options {
    fn into_wire(self) -> v1::CheckOptions {
        v1::CheckOptions {
            repair: self.repair.map_or(0, Repair::wire),
            layers: self.layers.into_iter().map(Layer::wire).collect(),
            mode: self.mode.map_or(0, RunMode::wire),
            explain: self.explain,
            arguments: self.arguments.map_or(0, ArgumentsEcho::wire),
        }
    }

    fn from_wire(wire: &v1::CheckOptions) -> Result<Self, DocumentError> {
        let reason = DocumentError::OPTIONS_INVALID;
        let layer = |number| {
            let message = "`layers` holds a number that is not known";
            Layer::from_wire(number).ok_or_else(|| DocumentError::new(reason, message))
        };
        Ok(Self {
            repair: known(wire.repair, Repair::from_wire, reason, "repair")?,
            layers: wire.layers.iter().copied().map(layer).collect::<Result<_, _>>()?,
            mode: known(wire.mode, RunMode::from_wire, reason, "mode")?,
            explain: wire.explain,
            arguments: known(wire.arguments, ArgumentsEcho::from_wire, reason, "arguments")?,
        })
    }
}
