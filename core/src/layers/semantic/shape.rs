//! `result_schema_mismatch`: the result is not of the shape that the tool declares for its results.

use serde_json::Value;

use super::CallView;
use crate::{code::Code, finding::Finding, tools::Affordable, trajectory::ReadResult};

pub(super) fn inspect(result: &ReadResult<'_>, call: Option<CallView<'_>>, findings: &mut Vec<Finding>) {
    let Some(schema) = call.and_then(|call| call.tool).and_then(|tool| tool.output.as_ref()) else {
        return;
    };
    let Some(validator) = schema.validator() else { return };
    let Some(value) = &result.value else {
        if !schema.is_valid(&Value::String(result.text.clone().into_owned())) && !result.is_cut {
            findings.push(told("Text came back where the tool declares structured results", ""));
        }
        return;
    };
    let (depth, values) = measure(value);
    if schema.affordable(depth, values) != Affordable::Yes {
        return;
    }
    if let Err(error) = validator.validate(value) {
        let pointer = error.instance_path().as_str();
        findings.push(told("The result is not of the shape that the tool declares", pointer));
    }
}

fn told(message: &'static str, pointer: &str) -> Finding {
    Finding::new(Code::ResultSchemaMismatch, message)
        .at(pointer)
        .suggestion("Read it with care: what is missing or of another type may not mean what its name says.")
}

/// How deep a value is, and how many values it holds. Results were read with a bound on their depth.
fn measure(value: &Value) -> (usize, usize) {
    let mut open = vec![(value, 1)];
    let (mut deepest, mut values) = (0, 0);
    while let Some((value, depth)) = open.pop() {
        values += 1;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            Value::Array(items) => {
                deepest = deepest.max(depth);
                open.extend(items.iter().map(|item| (item, depth + 1)));
            }
            Value::Object(map) => {
                deepest = deepest.max(depth);
                open.extend(map.values().map(|item| (item, depth + 1)));
            }
        }
    }
    (deepest, values)
}
