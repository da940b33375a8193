//! Responses of the contract to answers, and back.

use bytes::Bytes;
use toolward_proto::v1;

use crate::{
    answer::{
        Answer, AnswerError, CallAnswer, DuplicateAnswer, FallbackAnswer, Finding, LayerAnswer, ResponseAnswer,
        ResultAnswer, RetryAnswer,
    },
    json::Json,
    words::{Decision, FallbackKind, Layer, LayerOutcome, Severity},
};

/// Bytes of the response that are said to be JSON and are not.
struct NotJson(&'static str);

impl Answer {
    /// The answer that says the same as a response. A response that breaks the contract (JSON that is none) becomes an
    /// error answer: nothing of it may be forwarded.
    pub fn from_response(response: v1::CheckResponse) -> Self {
        let id = response.request_id.clone();
        Self::read(response).unwrap_or_else(|NotJson(field)| {
            let message = format!("`{field}` of the service's answer is not JSON");
            Self::error(Some(id), "ANSWER_INVALID", message)
        })
    }

    fn read(response: v1::CheckResponse) -> Result<Self, NotJson> {
        let decision = match response.error {
            Some(_) => Decision::Unspecified,
            None => Decision::from_wire(response.decision).unwrap_or(Decision::Unspecified),
        };
        let (rewritten, response_text) = rewritten(response.response_json, decision)?;
        Ok(Self {
            id: Some(response.request_id),
            decision_id: response.decision_id,
            policy_revision: response.policy_revision,
            toolset_ref: response.toolset_ref,
            decision,
            enforced: response.enforced,
            would_decide: Decision::from_wire(response.would_decide)
                .filter(|decision| *decision != Decision::Unspecified),
            error: response.error.map(|error| AnswerError {
                reason: error.reason,
                message: error.message,
            }),
            calls: response
                .calls
                .into_iter()
                .map(CallAnswer::read)
                .collect::<Result<_, _>>()?,
            duplicates: response
                .duplicates
                .into_iter()
                .map(DuplicateAnswer::from_wire)
                .collect(),
            findings: findings(response.findings),
            text: response.text,
            results: response.results.into_iter().map(ResultAnswer::from_wire).collect(),
            retry: response.retry.map(RetryAnswer::read).transpose()?,
            fallback: response.fallback.map(FallbackAnswer::read).transpose()?,
            response: rewritten,
            response_text,
            layers: response.layers.into_iter().map(LayerAnswer::from_wire).collect(),
        })
    }

    /// The response that says the same.
    pub fn into_response(self) -> v1::CheckResponse {
        let rewritten = match self.response {
            ResponseAnswer::Json(json) => Some(json.into_bytes()),
            ResponseAnswer::AsReceived | ResponseAnswer::Nothing => self.response_text.map(Bytes::from),
        };
        v1::CheckResponse {
            request_id: self.id.unwrap_or_default(),
            decision_id: self.decision_id,
            policy_revision: self.policy_revision,
            toolset_ref: self.toolset_ref,
            decision: self.decision.wire(),
            enforced: self.enforced,
            would_decide: self.would_decide.map_or(0, Decision::wire),
            error: self.error.map(|error| v1::CheckError {
                reason: error.reason,
                message: error.message,
            }),
            calls: self.calls.into_iter().map(CallAnswer::into_wire).collect(),
            duplicates: self.duplicates.into_iter().map(DuplicateAnswer::into_wire).collect(),
            findings: self.findings.into_iter().map(Finding::into_wire).collect(),
            text: self.text,
            results: self.results.into_iter().map(ResultAnswer::into_wire).collect(),
            retry: self.retry.map(RetryAnswer::into_wire),
            fallback: self.fallback.map(FallbackAnswer::into_wire),
            response_json: rewritten,
            layers: self.layers.into_iter().map(LayerAnswer::into_wire).collect(),
        }
    }
}

/// `response` and `response_text`. Unset means "as received" only where the decision lets that pass.
fn rewritten(bytes: Option<Bytes>, decision: Decision) -> Result<(ResponseAnswer, Option<String>), NotJson> {
    let Some(bytes) = bytes else {
        return Ok(match decision {
            Decision::Pass | Decision::Unspecified => (ResponseAnswer::AsReceived, None),
            Decision::Repaired | Decision::Retry | Decision::Fallback => (ResponseAnswer::Nothing, None),
        });
    };
    match Json::from_bytes(&bytes) {
        Some(json) if json.get() != "null" => Ok((ResponseAnswer::Json(json), None)),
        Some(_) | None => {
            let text = std::str::from_utf8(&bytes).map_err(|_| NotJson("response_json"))?;
            Ok((ResponseAnswer::AsReceived, Some(text.to_owned())))
        }
    }
}

fn json(bytes: Option<Bytes>, field: &'static str) -> Result<Option<Json>, NotJson> {
    bytes
        .map(|bytes| Json::from_bytes(&bytes).ok_or(NotJson(field)))
        .transpose()
}

fn findings(wire: Vec<v1::Finding>) -> Vec<Finding> {
    wire.into_iter().map(Finding::from_wire).collect()
}

impl CallAnswer {
    fn read(wire: v1::CallVerdict) -> Result<Self, NotJson> {
        Ok(Self {
            id: wire.id,
            name: wire.name,
            arguments: json(wire.arguments_json, "arguments_json")?,
            decision: Decision::from_wire(wire.decision).unwrap_or(Decision::Unspecified),
            findings: findings(wire.findings),
            patch: json(wire.patch_json, "patch_json")?,
        })
    }

    fn into_wire(self) -> v1::CallVerdict {
        v1::CallVerdict {
            id: self.id,
            name: self.name,
            arguments_json: self.arguments.map(Json::into_bytes),
            decision: self.decision.wire(),
            findings: self.findings.into_iter().map(Finding::into_wire).collect(),
            patch_json: self.patch.map(Json::into_bytes),
        }
    }
}

impl DuplicateAnswer {
    fn from_wire(wire: v1::DuplicateCall) -> Self {
        Self {
            id: wire.id,
            name: wire.name,
            duplicate_of: wire.duplicate_of,
        }
    }

    fn into_wire(self) -> v1::DuplicateCall {
        v1::DuplicateCall {
            id: self.id,
            name: self.name,
            duplicate_of: self.duplicate_of,
        }
    }
}

impl ResultAnswer {
    fn from_wire(wire: v1::ResultVerdict) -> Self {
        Self {
            call_id: wire.call_id,
            decision: Decision::from_wire(wire.decision).unwrap_or(Decision::Unspecified),
            findings: findings(wire.findings),
        }
    }

    fn into_wire(self) -> v1::ResultVerdict {
        v1::ResultVerdict {
            call_id: self.call_id,
            decision: self.decision.wire(),
            findings: self.findings.into_iter().map(Finding::into_wire).collect(),
        }
    }
}

impl Finding {
    fn from_wire(wire: v1::Finding) -> Self {
        Self {
            layer: Layer::from_wire(wire.layer),
            code: wire.code,
            // What a later version adds is read as the gravest that it can be.
            severity: Severity::from_wire(wire.severity).unwrap_or(Severity::Block),
            enforced: wire.enforced,
            pointer: wire.pointer,
            message: wire.message,
            expected: wire.expected,
            received: wire.received,
            suggestion: wire.suggestion,
        }
    }

    fn into_wire(self) -> v1::Finding {
        v1::Finding {
            layer: self.layer.map_or(0, Layer::wire),
            code: self.code,
            severity: self.severity.wire(),
            enforced: self.enforced,
            pointer: self.pointer,
            message: self.message,
            expected: self.expected,
            received: self.received,
            suggestion: self.suggestion,
        }
    }
}

impl RetryAnswer {
    fn read(wire: v1::Retry) -> Result<Self, NotJson> {
        let feedback = Some(wire.feedback_json).filter(|bytes| !bytes.is_empty());
        Ok(Self {
            attempt: wire.attempt,
            max_attempts: wire.max_attempts,
            feedback: json(feedback, "feedback_json")?,
            feedback_text: wire.feedback_text,
        })
    }

    fn into_wire(self) -> v1::Retry {
        v1::Retry {
            attempt: self.attempt,
            max_attempts: self.max_attempts,
            feedback_json: self.feedback.map(Json::into_bytes).unwrap_or_default(),
            feedback_text: self.feedback_text,
        }
    }
}

impl FallbackAnswer {
    fn read(wire: v1::Fallback) -> Result<Self, NotJson> {
        Ok(Self {
            kind: FallbackKind::from_wire(wire.kind).unwrap_or(FallbackKind::Stop),
            tool: wire.tool,
            arguments: json(wire.arguments_json, "arguments_json")?,
            text: wire.text,
        })
    }

    fn into_wire(self) -> v1::Fallback {
        v1::Fallback {
            kind: self.kind.wire(),
            tool: self.tool,
            arguments_json: self.arguments.map(Json::into_bytes),
            text: self.text,
        }
    }
}

impl LayerAnswer {
    fn from_wire(wire: v1::LayerReport) -> Self {
        Self {
            layer: Layer::from_wire(wire.layer),
            outcome: LayerOutcome::from_wire(wire.outcome).unwrap_or(LayerOutcome::Degraded),
            reason: wire.reason,
            duration_us: wire.duration_us,
        }
    }

    fn into_wire(self) -> v1::LayerReport {
        v1::LayerReport {
            layer: self.layer.map_or(0, Layer::wire),
            outcome: self.outcome.wire(),
            reason: self.reason,
            duration_us: self.duration_us,
        }
    }
}
