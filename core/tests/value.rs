//! Values: what is caught, and the look-alike that passes.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolward_core::{
    check::{Context, ToolChoice},
    code::Code,
    finding::Finding,
    layers::{Inspection, value},
    limits::Limits,
    policy::Policy,
    tools::ToolSet,
    trajectory::{Conversation, Fingerprint, Trajectory},
    turn::{Arguments, Call, Finish, Reading, Turn, WireFormat},
};

/// The findings for one call of a tool `t`. Of a case: `args`, `says`, `turns`, `steps`, `policy`, `tool`.
fn inspect(case: &Value) -> Vec<Finding> {
    let policy = Policy::parse(case["policy"].as_str().unwrap_or_default())
        .expect("a policy")
        .0;
    let tools = case.get("tool").map_or_else(|| json!([]), |tool| json!([tool]));
    let toolset = ToolSet::read(tools.to_string().as_bytes(), &Limits::default()).expect("tools");
    let conversation = Conversation {
        last_user_text: case["says"].as_str().map(Cow::Borrowed),
        user_turns: case["turns"]
            .as_u64()
            .map_or(1, |turns| u32::try_from(turns).expect("a count")),
        has_steps: case["steps"].as_bool().unwrap_or_default(),
        steps: Vec::new(),
        ..Conversation::default()
    };
    let context = Context {
        intent: None,
        conversation: &conversation,
        tool_choice: &ToolChoice::Auto,
        parallel: None,
        now_ms: 0,
    };
    let arguments = &case["args"];
    let call = Call {
        id: "c".into(),
        id_given: true,
        name: "t".into(),
        arguments: Arguments {
            received: Cow::Owned(arguments.to_string()),
            reading: Reading::Strict(arguments.clone()),
        },
        findings: Vec::new(),
    };
    let turn = Turn {
        format: WireFormat::OpenaiChat,
        text: "".into(),
        calls: vec![call],
        finish: Finish::ToolCalls,
        findings: Vec::new(),
        origin: Default::default(),
    };
    let trajectory = Trajectory::default();
    let view = policy.for_tool("t");
    let inspection = Inspection {
        index: 0,
        turn: &turn,
        toolset: &toolset,
        tool: toolset.tools().first(),
        arguments: Some(arguments),
        fingerprint: Fingerprint::default(),

        fingerprints: &[],
        trajectory: &trajectory,
        policy: &view,
        context: &context,
    };
    let mut findings = Vec::new();
    value::inspect(&inspection, &mut findings);
    findings
}

fn check(case: &Value) -> Option<String> {
    let found: Vec<String> = inspect(case)
        .iter()
        .map(|finding| format!("{}@{}", finding.code.as_str(), finding.pointer))
        .collect();
    let expected: Vec<&str> = case["expect"]
        .as_array()
        .expect("expect")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    (found != expected).then(|| format!("{}: {} gave {found:?}, not {expected:?}", case["why"], case["args"]))
}

#[test]
fn values_are_caught_and_their_look_alikes_pass() {
    let files = [
        include_str!("cases/value.jsonl"),
        include_str!("cases/value_schema.jsonl"),
    ];
    let cases: Vec<Value> = files
        .iter()
        .flat_map(|file| file.lines())
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    let wrong: Vec<String> = cases.iter().filter_map(check).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn findings_are_few_however_many_values_are_wrong() {
    let ids: Vec<&str> = std::iter::repeat_n("<some_id>", 5_000).collect();
    assert!(inspect(&json!({"args": {"ids": ids}})).len() <= 64);
}

#[test]
fn nothing_is_quoted_at_length() {
    let long = format!("../../{}", "a".repeat(9_000));
    let found = inspect(&json!({"args": {"path": long}}));
    assert_eq!(found.len(), 1);
    assert!(
        found
            .iter()
            .filter_map(|finding| finding.received.as_deref())
            .all(|text| text.chars().count() <= 81)
    );
}

proptest! {
    /// No text in no field breaks a rule, and what is found has a place in the arguments.
    #[test]
    fn no_value_breaks_a_rule(
        name in "(path|url|host|city|user_id|email|x|[a-zA-Z_~/]{0,12})",
        text in "(\\PC{0,40}|[%./\\\\a-f0-9:@\\[\\]<>'\"$(){}|;& \n-]{0,60}|(http|file|x)://\\PC{0,30})",
    ) {
        let arguments = json!({name: [text]});
        for finding in inspect(&json!({"args": arguments})) {
            prop_assert!(arguments.pointer(&finding.pointer).is_some(), "{finding:?}");
            prop_assert_ne!(finding.code, Code::PolicyViolation);
        }
    }
}
