//! Enumerations of the wire and of the core, one exhaustive `match` each.

use toolward_core::{check::LayerOutcome, code::Layer, decide::Decision, finding::Severity, turn::WireFormat};
use toolward_proto::v1;

pub(super) fn decision(decision: Decision) -> v1::Decision {
    match decision {
        Decision::Pass => v1::Decision::Pass,
        Decision::Repaired => v1::Decision::Repaired,
        Decision::Retry => v1::Decision::Retry,
        Decision::Fallback => v1::Decision::Fallback,
    }
}

pub(super) fn layer(layer: Layer) -> v1::Layer {
    match layer {
        Layer::Schema => v1::Layer::Schema,
        Layer::Selection => v1::Layer::Selection,
        Layer::Value => v1::Layer::Value,
        Layer::Semantic => v1::Layer::Semantic,
        Layer::Cascade => v1::Layer::Cascade,
    }
}

/// `None`: unset.
pub(super) fn asked_layer(layer: v1::Layer) -> Option<Layer> {
    match layer {
        v1::Layer::Unspecified => None,
        v1::Layer::Schema => Some(Layer::Schema),
        v1::Layer::Selection => Some(Layer::Selection),
        v1::Layer::Value => Some(Layer::Value),
        v1::Layer::Semantic => Some(Layer::Semantic),
        v1::Layer::Cascade => Some(Layer::Cascade),
    }
}

pub(super) fn severity(severity: Severity) -> v1::Severity {
    match severity {
        Severity::Info => v1::Severity::Info,
        Severity::Warn => v1::Severity::Warn,
        Severity::Block => v1::Severity::Block,
    }
}

pub(super) fn outcome(outcome: LayerOutcome) -> (v1::LayerOutcome, Option<&'static str>) {
    match outcome {
        LayerOutcome::Pass => (v1::LayerOutcome::Pass, None),
        LayerOutcome::Fail => (v1::LayerOutcome::Fail, None),
        LayerOutcome::Skipped(why) => (v1::LayerOutcome::Skipped, Some(why.as_str())),
        LayerOutcome::Degraded(why) => (v1::LayerOutcome::Degraded, Some(why.as_str())),
    }
}

/// `None`: recognised from the shape.
pub(super) fn format(format: v1::WireFormat) -> Option<WireFormat> {
    match format {
        v1::WireFormat::Unspecified => None,
        v1::WireFormat::OpenaiChat => Some(WireFormat::OpenaiChat),
        v1::WireFormat::OpenaiResponses => Some(WireFormat::OpenaiResponses),
        v1::WireFormat::OpenaiSse => Some(WireFormat::OpenaiSse),
        v1::WireFormat::Anthropic => Some(WireFormat::Anthropic),
        v1::WireFormat::Gemini => Some(WireFormat::Gemini),
        v1::WireFormat::Mcp => Some(WireFormat::Mcp),
        v1::WireFormat::Ollama => Some(WireFormat::Ollama),
        v1::WireFormat::JsonMode => Some(WireFormat::JsonMode),
        v1::WireFormat::Text => Some(WireFormat::Text),
    }
}
