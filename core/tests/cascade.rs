//! Cascade rules on `cases/cascade.jsonl`: what is caught, and the look-alike that must pass.
//!
//! A case: `intent`, `steps` (`tool`, `args`, and one of `gives`, `error`, `rejected`; `with` puts a step into the batch
//! before it; `times` repeats it), `call`, and `expect`: the findings by code with their action, and no others.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test says so when it is wrong"
)]

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::Value;
use toolward_core::{
    check::{Context, ResultBody, ToolChoice, ToolResult},
    code::{Action, Layer},
    finding::Finding,
    layers::{Inspection, cascade},
    limits::Limits,
    policy::Policy,
    tools::{Resolution, ToolSet},
    trajectory::{Conversation, Fingerprint, ReadResult, Step, StepOutcome, Trajectory, canonical},
    turn::{Arguments, Call, Finish, Reading, Turn, WireFormat},
};

fn action(name: &str) -> Action {
    [Action::Note, Action::Repair, Action::Retry, Action::Fallback]
        .into_iter()
        .find(|action| action.as_str() == name)
        .expect("an action")
}

fn outcome(step: &Value, round: u64) -> StepOutcome {
    let tool = step["tool"].as_str().expect("a tool");
    let read = |text: &str, is_error| {
        let text = text.replace("{n}", &round.to_string());
        ReadResult::read(&ToolResult {
            call_id: None,
            body: ResultBody::Text(&text),
            is_error,
        })
        .outcome(tool)
    };
    match (&step["gives"], &step["error"], &step["rejected"]) {
        (Value::String(text), _, _) => read(text, None),
        (_, Value::String(text), _) => read(text, Some(true)),
        (_, _, Value::String(layer)) => StepOutcome::Rejected {
            by: Layer::parse(layer).expect("a layer"),
        },
        _ => StepOutcome::Open,
    }
}

/// The steps of a case; a list in `steps` that starts with a number is repeated that often as a whole.
fn steps(case: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut batch = 0;
    let mut push = |step: &Value, round: u64| {
        batch += u32::from(step["with"].is_null());
        let arguments = step["args"].to_string().replace("{n}", &round.to_string());
        steps.push(Step {
            call_id: "".into(),
            tool: step["tool"].as_str().expect("a tool").into(),
            arguments: canonical::arguments_text(arguments.as_bytes()),
            outcome: outcome(step, round),
            batch,
            t_ms: step["every_ms"]
                .as_i64()
                .map(|every| every * i64::try_from(round).expect("a small number")),
        });
    };
    for entry in case["steps"].as_array().into_iter().flatten() {
        match entry {
            Value::Array(items) => {
                for round in 0..items[0].as_u64().expect("a count first") {
                    items[1..].iter().for_each(|step| push(step, round));
                }
            }
            step => (0..step["times"].as_u64().unwrap_or(1)).for_each(|round| push(step, round)),
        }
    }
    steps
}

fn call(call: &Value) -> Call<'static> {
    let arguments = call["args"].clone();
    Call {
        id: Cow::Borrowed("c"),
        id_given: true,
        name: Cow::Owned(call["tool"].as_str().expect("a tool").to_owned()),
        arguments: Arguments {
            received: Cow::Owned(arguments.to_string()),
            reading: Reading::Strict(arguments),
        },
        findings: Vec::new(),
    }
}

fn inspect(case: &Value) -> Vec<Finding> {
    let policy = Policy::default();
    let limits = Limits::default();
    let tools = serde_json::to_vec(&case["tools"]).expect("JSON");
    let toolset = match &case["tools"] {
        Value::Array(_) => ToolSet::read(&tools, &limits).expect("tools"),
        _ => ToolSet::empty(),
    };
    let calls: Vec<Call<'_>> = match &case["calls"] {
        Value::Array(items) => items.iter().map(call).collect(),
        _ => vec![call(&case["call"])],
    };
    let turn = Turn {
        format: WireFormat::OpenaiChat,
        text: Cow::Borrowed(""),
        calls,
        finish: Finish::ToolCalls,
        findings: Vec::new(),
        origin: Default::default(),
    };
    let trajectory = Trajectory {
        steps: steps(case),
        ..Trajectory::default()
    };
    let name = turn.calls[0].name.as_ref();
    let arguments = turn.calls[0].arguments.reading.value();
    let tool = match toolset.resolve(name) {
        Resolution::Exact(index) | Resolution::Respelt(index) => toolset.tools().get(index),
        Resolution::Ambiguous(_) | Resolution::Unknown => None,
    };
    let mut findings: Vec<Finding> = Vec::new();
    if let Some(code) = case["refused_for"].as_str() {
        findings.push(Finding::new(
            toolward_core::code::Code::parse(code).expect("a code"),
            "refused",
        ));
    }
    let before = findings.len();
    cascade::inspect(
        &Inspection {
            index: 0,
            turn: &turn,
            toolset: &toolset,
            tool,
            arguments,
            fingerprint: arguments.map_or(Fingerprint::default(), canonical::arguments),

            fingerprints: &[],
            trajectory: &trajectory,
            policy: &policy.for_tool(name),
            context: &Context {
                intent: case["intent"].as_str(),
                conversation: &Conversation::default(),
                tool_choice: &ToolChoice::Auto,
                parallel: None,
                now_ms: 0,
            },
        },
        &mut findings,
    );
    findings.split_off(before)
}

fn check(case: &Value) -> Result<(), String> {
    let found: BTreeMap<String, Action> = inspect(case)
        .into_iter()
        .map(|finding| (finding.code.as_str().to_owned(), finding.action))
        .collect();
    let expected: BTreeMap<String, Action> = case["expect"]
        .as_object()
        .expect("expect")
        .iter()
        .map(|(code, named)| (code.clone(), action(named.as_str().expect("a word"))))
        .collect();
    if found == expected {
        return Ok(());
    }
    Err(format!("{}: expected {expected:?}, found {found:?}", case["name"]))
}

#[test]
fn cases() {
    let results: Vec<Result<(), String>> = include_str!("cases/cascade.jsonl")
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| check(&serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))))
        .collect();
    assert!(results.len() > 50);
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_finding_says_what_else_to_try() {
    for line in include_str!("cases/cascade.jsonl")
        .lines()
        .filter(|line| !line.trim().is_empty())
    {
        let case: Value = serde_json::from_str(line).expect("JSON");
        for finding in inspect(&case) {
            assert!(
                finding.suggestion.is_some() && finding.message.len() > 20,
                "{}",
                case["name"]
            );
        }
    }
}

#[test]
fn more_of_the_same_never_loosens() {
    for line in include_str!("cases/cascade.jsonl")
        .lines()
        .filter(|line| !line.trim().is_empty())
    {
        let mut case: Value = serde_json::from_str(line).expect("JSON");
        let Some(step) = case["steps"].as_array().and_then(|steps| steps.last()).cloned() else {
            continue;
        };
        let is_repeat =
            step["tool"] == case["call"]["tool"] && step["args"] == case["call"]["args"] && step["gives"].is_string();
        if !is_repeat || step["every_ms"].is_number() || step["gives"].as_str().is_some_and(|text| text.contains("{n}"))
        {
            continue;
        }
        let worst = |case: &Value| inspect(case).iter().map(|finding| finding.action).max();
        let before = worst(&case);
        case["steps"].as_array_mut().expect("steps").push(step);
        assert!(worst(&case) >= before, "{}", case["name"]);
    }
}
