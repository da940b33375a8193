//! The schema layer: do the arguments fit the tool's schema, and if not, is there one lossless way to make them?
//!
//! [`fit`] validates first; a call that fits is left alone, byte for byte. What does not fit is repaired only where the
//! schema leaves one reading (`"5"` where a number must stand, a key in another case), the whole is validated again,
//! and each repair is a finding. Otherwise the findings say what is wrong, where, and what would be right.

mod describe;
mod measure;
mod nested;
mod patch;
mod repair;
mod spelling;
mod unknown;
mod verdict;

pub use patch::patch;

use serde_json::{Map, Value};

use crate::{
    code::Code,
    finding::Finding,
    limits::Limits,
    tools::{Affordable, Tool, ToolKind},
    turn::{Call, Reading},
};
use measure::Measure;

/// How a call's arguments may be used.
#[derive(Debug, Clone, PartialEq)]
pub enum Fit {
    /// As they were received, byte for byte.
    AsReceived,
    /// As this value: they were rescued while reading, or repaired.
    Changed(Value),
    /// Not at all.
    Unusable,
}

/// Fits a call's arguments to its tool's schema. Repairs and faults are pushed as findings; with `repair` off nothing
/// is changed that was strict JSON.
pub fn fit(call: &Call<'_>, tool: &Tool, repair: bool, limits: &Limits, findings: &mut Vec<Finding>) -> Fit {
    match tool.kind {
        ToolKind::Function => {}
        ToolKind::Custom | ToolKind::Hosted => return Fit::AsReceived,
    }
    if call.arguments.received.len() > limits.max_arguments_bytes {
        findings.push(
            Finding::new(Code::TooLarge, "the arguments are too large")
                .expected(format!("at most {} bytes", limits.max_arguments_bytes)),
        );
        return Fit::Unusable;
    }
    match &call.arguments.reading {
        Reading::Failed => Fit::Unusable,
        Reading::Absent => absent(tool, repair, findings),
        Reading::Strict(Value::Object(_)) => check(call, tool, repair, limits, findings),
        Reading::Rescued(Value::Object(_)) => check(call, tool, repair, limits, findings),
        Reading::Strict(other) | Reading::Rescued(other) => not_an_object(other, tool, repair, limits, findings),
    }
}

/// The arguments are an object.
fn check(call: &Call<'_>, tool: &Tool, repair: bool, limits: &Limits, findings: &mut Vec<Finding>) -> Fit {
    let (value, strict) = match &call.arguments.reading {
        Reading::Strict(value) => (value, true),
        Reading::Rescued(value) => (value, false),
        Reading::Absent | Reading::Failed => return Fit::Unusable,
    };
    match judge(value, tool, repair, limits, findings) {
        Judged::Fits if strict => Fit::AsReceived,
        Judged::Fits => Fit::Changed(value.clone()),
        Judged::Repaired(repaired) => Fit::Changed(repaired),
        Judged::Unfit => Fit::Unusable,
    }
}

enum Judged {
    Fits,
    Repaired(Value),
    Unfit,
}

fn judge(value: &Value, tool: &Tool, repair: bool, limits: &Limits, findings: &mut Vec<Finding>) -> Judged {
    let measure = Measure::of(value, limits.max_arguments_depth);
    if measure.depth > limits.max_arguments_depth {
        findings.push(too_deep(limits.max_arguments_depth));
        return Judged::Unfit;
    }
    let schema = &tool.input;
    if let Some(fault) = schema.fault() {
        findings.push(Finding::new(
            Code::ToolSchemaInvalid,
            format!("the tool's own schema is at fault: {fault}"),
        ));
    }
    let Some(validator) = schema.validator() else {
        return Judged::Fits;
    };
    match schema.affordable(measure.depth, measure.values) {
        Affordable::Yes => {}
        Affordable::TooDeep { max } => {
            findings.push(too_deep(max));
            return Judged::Unfit;
        }
        Affordable::TooLarge => {
            findings.push(Finding::new(
                Code::TooLarge,
                "the arguments hold more values than this tool's schema can be checked for",
            ));
            return Judged::Unfit;
        }
    }
    if validator.is_valid(value) {
        unknown::tell(value, tool, findings);
        return Judged::Fits;
    }
    if repair && let Some(repaired) = repair::repair(value, schema, validator, limits) {
        findings.extend(repaired.findings);
        unknown::tell(&repaired.value, tool, findings);
        return Judged::Repaired(repaired.value);
    }
    verdict::tell(value, schema, validator, findings);
    Judged::Unfit
}

/// Nothing was sent: the empty object, where the tool requires nothing.
fn absent(tool: &Tool, repair: bool, findings: &mut Vec<Finding>) -> Fit {
    let empty = Value::Object(Map::new());
    if let Some(validator) = tool.input.validator()
        && !validator.is_valid(&empty)
    {
        verdict::tell(&empty, &tool.input, validator, findings);
        return Fit::Unusable;
    }
    if !repair {
        findings.push(not_object_finding("nothing"));
        return Fit::Unusable;
    }
    findings.push(Finding::new(
        Code::RepairedEmptyArguments,
        "no arguments were sent, and the tool requires none",
    ));
    Fit::Changed(empty)
}

/// JSON, but no object: usable only where it is the text of one.
fn not_an_object(value: &Value, tool: &Tool, repair: bool, limits: &Limits, findings: &mut Vec<Finding>) -> Fit {
    if repair
        && let Value::String(text) = value
        && let Some(inner @ Value::Object(_)) = nested::read(text, limits)
    {
        let before = findings.len();
        findings.push(Finding::new(
            Code::RepairedDoubleEncoding,
            "the arguments were JSON text within a JSON string",
        ));
        return match judge(&inner, tool, repair, limits, findings) {
            Judged::Fits => Fit::Changed(inner),
            Judged::Repaired(repaired) => Fit::Changed(repaired),
            Judged::Unfit => {
                // Nothing is forwarded, so nothing was repaired.
                findings.remove(before);
                Fit::Unusable
            }
        };
    }
    findings.push(not_object_finding(describe::kind(value)));
    Fit::Unusable
}

fn not_object_finding(received: &str) -> Finding {
    Finding::new(Code::NotAnObject, "the arguments must be one JSON object")
        .expected("an object with the arguments by name")
        .received(received)
}

fn too_deep(max: usize) -> Finding {
    Finding::new(Code::TooDeep, "the arguments are nested too deeply").expected(format!("at most {max} levels"))
}
