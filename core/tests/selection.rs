//! Selection: tool choices of every API, names, and what may be called.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot be set up has failed"
)]

use std::borrow::Cow;

use serde_json::{Value, json};
use toolward_core::{
    check::{Context, ToolChoice},
    finding::Finding,
    layers::{Inspection, selection},
    limits::{Limits, Reason},
    policy::Policy,
    tools::ToolSet,
    trajectory::{Conversation, Fingerprint, Trajectory},
    turn::{Arguments, Call, Finish, Reading, Turn, WireFormat},
};

fn named(name: &str) -> ToolChoice {
    ToolChoice::Named(name.to_owned())
}

fn allowed(names: &[&str], required: bool) -> ToolChoice {
    ToolChoice::Allowed {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        required,
    }
}

#[test]
fn tool_choices_of_every_api_are_read() {
    let f = |name: &str| json!({"type": "function", "function": {"name": name}});
    let cases = [
        (json!(null), ToolChoice::Auto, None),
        // OpenAI
        (json!("auto"), ToolChoice::Auto, None),
        (json!("none"), ToolChoice::None, None),
        (json!("required"), ToolChoice::Required, None),
        (f("a"), named("a"), None),
        (json!({"type": "function", "name": "a"}), named("a"), None),
        (json!({"type": "custom", "custom": {"name": "a"}}), named("a"), None),
        (json!({"type": "web_search_preview"}), ToolChoice::Auto, None),
        (
            json!({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [f("a"), f("b")]}}),
            allowed(&["a", "b"], true),
            None,
        ),
        (
            json!({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "a"}, {"type": "image_generation"}]}),
            allowed(&["a", "image_generation"], false),
            None,
        ),
        // Anthropic
        (json!({"type": "auto"}), ToolChoice::Auto, None),
        (
            json!({"type": "any", "disable_parallel_tool_use": true}),
            ToolChoice::Required,
            Some(false),
        ),
        (
            json!({"type": "tool", "name": "a", "disable_parallel_tool_use": false}),
            named("a"),
            Some(true),
        ),
        (json!({"type": "none"}), ToolChoice::None, None),
        // Gemini
        (
            json!({"functionCallingConfig": {"mode": "AUTO"}}),
            ToolChoice::Auto,
            None,
        ),
        (
            json!({"functionCallingConfig": {"mode": "NONE", "allowedFunctionNames": ["a"]}}),
            ToolChoice::None,
            None,
        ),
        (
            json!({"function_calling_config": {"mode": "any"}}),
            ToolChoice::Required,
            None,
        ),
        (
            json!({"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a"]}}}),
            allowed(&["a"], true),
            None,
        ),
        (
            json!({"functionCallingConfig": {"mode": "VALIDATED", "allowedFunctionNames": ["a"]}}),
            allowed(&["a"], false),
            None,
        ),
        (json!({"mode": "VALIDATED"}), ToolChoice::Auto, None),
    ];
    for (json, choice, parallel) in cases {
        assert_eq!(
            ToolChoice::parse(json.to_string().as_bytes()),
            Ok((choice, parallel)),
            "{json}"
        );
    }
}

#[test]
fn other_tool_choices_are_refused() {
    let long = format!("\"{}\"", "a".repeat(300 << 10));
    for json in [
        "",
        "{",
        "true",
        "7",
        "[]",
        "{}",
        "\"get_weather\"",
        "{\"type\": \"function\"}",
        "{\"type\": \"function\", \"function\": {\"name\": \"\"}}",
        "{\"type\": \"something\"}",
        "{\"type\": \"allowed_tools\", \"mode\": \"often\", \"tools\": []}",
        "{\"type\": \"allowed_tools\", \"mode\": \"auto\", \"tools\": [7]}",
        "{\"functionCallingConfig\": {\"mode\": \"SOMETIMES\"}}",
        "{\"functionCallingConfig\": {\"mode\": \"ANY\", \"allowedFunctionNames\": [1]}}",
        &long,
    ] {
        let refusal = ToolChoice::parse(json.as_bytes()).expect_err(json);
        assert_eq!(refusal.reason, Reason::ToolChoiceInvalid, "{json}");
        assert!(!refusal.message.contains("get_weather"), "{}", refusal.message);
    }
}

fn toolset(names: &[&str]) -> ToolSet {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .collect();
    ToolSet::read(Value::Array(tools).to_string().as_bytes(), &Limits::default()).expect("tools")
}

fn turn(names: &[&str]) -> Turn<'static> {
    let call = |name: &&str| Call {
        id: Cow::Owned(format!("id_{name}")),
        id_given: true,
        name: Cow::Owned((*name).to_owned()),
        arguments: Arguments {
            received: "{}".into(),
            reading: Reading::Strict(json!({})),
        },
        findings: Vec::new(),
    };
    Turn {
        format: WireFormat::OpenaiChat,
        text: "".into(),
        calls: names.iter().map(call).collect(),
        finish: Finish::ToolCalls,
        findings: Vec::new(),
        origin: Default::default(),
    }
}

/// What is found of the turn, then of each call: `code` or `code: expected`.
fn inspect(
    offered: &[&str],
    called: &[&str],
    choice: &ToolChoice,
    parallel: Option<bool>,
    policy: &str,
) -> (Vec<String>, Vec<Vec<String>>) {
    let (toolset, turn, conversation) = (toolset(offered), turn(called), Conversation::default());
    let policy = Policy::parse(policy).expect("a policy").0;
    let context = Context {
        intent: None,
        conversation: &conversation,
        tool_choice: choice,
        parallel,
        now_ms: 0,
    };
    let trajectory = Trajectory::default();
    let mut of_calls: Vec<Vec<Finding>> = vec![Vec::new(); called.len()];
    let resolved: Vec<Option<usize>> = turn
        .calls
        .iter()
        .zip(&mut of_calls)
        .map(|(call, findings)| selection::resolve(call, &toolset, findings))
        .collect();
    let mut of_turn = Vec::new();
    selection::inspect_turn(&turn, &context, &resolved, &toolset, &mut of_turn);
    for (index, findings) in of_calls.iter_mut().enumerate() {
        let tool = resolved[index].and_then(|it| toolset.tools().get(it));
        let view = policy.for_tool(tool.map_or(called[index], |tool| &tool.name));
        let inspection = Inspection {
            index,
            turn: &turn,
            toolset: &toolset,
            tool,
            arguments: turn.calls[index].arguments.reading.value(),
            fingerprint: Fingerprint::default(),

            fingerprints: &[],
            trajectory: &trajectory,
            policy: &view,
            context: &context,
        };
        selection::inspect_call(&inspection, findings);
    }
    let told = |findings: &Vec<Finding>| -> Vec<String> {
        findings
            .iter()
            .map(|finding| match &finding.expected {
                Some(expected) => format!("{}: {expected}", finding.code.as_str()),
                None => finding.code.as_str().to_owned(),
            })
            .collect()
    };
    (told(&of_turn), of_calls.iter().map(told).collect())
}

/// One call, or none: what is found of it and of the turn.
fn check(offered: &[&str], called: &[&str], choice: &ToolChoice, expected: &[&str]) {
    let (turn, calls) = inspect(offered, called, choice, None, "");
    let found: Vec<String> = turn.into_iter().chain(calls.into_iter().flatten()).collect();
    assert_eq!(found, expected, "{called:?} of {offered:?} under {choice:?}");
}

#[test]
fn a_call_where_no_tool_was_offered() {
    check(&[], &["a"], &ToolChoice::Auto, &["no_tools_offered"]);
    check(&[], &[], &ToolChoice::Auto, &[]);
    check(&[], &[], &ToolChoice::Required, &[]);
}

#[test]
fn the_policy_decides_what_may_be_called() {
    let policy = "[[tools]]\nmatch = \"*\"\naccess = \"deny\"\n[[tools]]\nmatch = \"get_*\"\naccess = \"allow\"";
    let (_, calls) = inspect(
        &["get_a", "set_a"],
        &["get_a", "set_a"],
        &ToolChoice::Auto,
        None,
        policy,
    );
    assert_eq!(calls, [vec![], vec!["tool_not_allowed".to_owned()]]);
}

#[test]
fn the_tool_choice_decides_what_may_be_called() {
    let offered = ["a", "b", "c"];
    check(&offered, &["a"], &ToolChoice::Auto, &[]);
    check(&offered, &["a"], &ToolChoice::Required, &[]);
    check(&offered, &["a"], &ToolChoice::None, &["tool_not_allowed"]);
    check(&offered, &["a"], &named("a"), &[]);
    check(&offered, &["b"], &named("a"), &["tool_not_allowed: a"]);
    check(
        &offered,
        &["b"],
        &allowed(&["c", "a"], false),
        &["tool_not_allowed: a, c"],
    );
    check(&offered, &["c"], &allowed(&["c", "a"], true), &[]);
}

#[test]
fn a_call_that_had_to_come_and_did_not() {
    let offered = ["a", "b"];
    check(&offered, &[], &ToolChoice::Auto, &[]);
    check(&offered, &[], &ToolChoice::None, &[]);
    check(&offered, &[], &ToolChoice::Required, &["tool_choice_unmet"]);
    check(&offered, &[], &named("a"), &["tool_choice_unmet: a"]);
    check(&offered, &[], &allowed(&["a"], true), &["tool_choice_unmet: a"]);
    check(&offered, &[], &allowed(&["a"], false), &[]);
}

#[test]
fn one_call_at_a_time_leaves_the_first() {
    let surplus = vec!["parallel_not_allowed".to_owned()];
    let (turn, calls) = inspect(&["a", "b"], &["a", "b", "a"], &ToolChoice::Auto, Some(false), "");
    assert_eq!((turn, calls), (vec![], vec![vec![], surplus.clone(), surplus]));
    for parallel in [None, Some(true)] {
        let (_, calls) = inspect(&["a", "b"], &["a", "b"], &ToolChoice::Auto, parallel, "");
        assert_eq!(calls, [Vec::<String>::new(), vec![]]);
    }
}

#[test]
fn names_are_resolved_and_never_guessed() {
    let auto = ToolChoice::Auto;
    check(
        &["get_weather"],
        &["Get_Weather"],
        &auto,
        &["repaired_tool_name: get_weather"],
    );
    check(
        &["delete_user", "delete_users"],
        &["delete_userz"],
        &auto,
        &["unknown_tool: delete_user, delete_users"],
    );
    check(&["Read", "read"], &["READ"], &auto, &["unknown_tool: Read, read"]);
}

#[test]
fn a_choice_may_be_spelt_otherwise_too() {
    check(
        &["get_weather", "b"],
        &["get_weather"],
        &named("functions.get_weather"),
        &[],
    );
}

#[test]
fn few_names_are_listed_and_none_at_length() {
    let names: Vec<String> = (0..500).map(|index| format!("tool_{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let set = toolset(&names);
    let long = format!("tool_{}", "7".repeat(10_000));
    let finding = selection::unknown(&turn(&[&long]).calls[0], &set);
    assert!(finding.received.expect("the name").chars().count() <= 81);
    let near = selection::unknown(&turn(&["tool_50O"]).calls[0], &set)
        .expected
        .expect("names");
    assert!(near.split(", ").count() <= 5 && near.contains("tool_50"), "{near}");
    let far = selection::unknown(&turn(&["Öffne"]).calls[0], &set);
    assert_eq!(far.expected, None);
    let of_few = selection::unknown(&turn(&["Read"]).calls[0], &toolset(&["view", "edit"]));
    assert_eq!(of_few.expected.as_deref(), Some("edit, view"));
}

#[test]
fn a_choice_of_a_tool_that_was_not_offered_is_a_contradiction() {
    let set = toolset(&["a", "b"]);
    for (choice, fits) in [
        (ToolChoice::Auto, true),
        (ToolChoice::Required, true),
        (named("a"), true),
        (named("c"), false),
        (allowed(&["c", "a"], true), true),
        (allowed(&["c"], true), false),
        (allowed(&["c"], false), true),
    ] {
        assert_eq!(choice.fits(&set).is_ok(), fits, "{choice:?}");
    }
    assert!(named("c").fits(&ToolSet::empty()).is_ok());
}
