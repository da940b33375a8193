//! Reading what happened before: messages of every API on `cases/conversations.jsonl`, sessions, and that with and
//! without a session the same steps are known.

#![expect(clippy::expect_used, reason = "a test says so when it is wrong")]

use proptest::prelude::*;
use serde_json::{Value, json};
use toolward_core::{
    check::{ResultBody, ToolResult},
    code::Layer,
    limits::Limits,
    trajectory::{Answer, Conversation, HistoryStep, ReadResult, Session, Step, StepOutcome, Trajectory, canonical},
    turn::ProposedCall,
};

fn kind(outcome: &StepOutcome) -> String {
    match outcome {
        StepOutcome::Open => "open".to_owned(),
        StepOutcome::Done(_) => "done".to_owned(),
        StepOutcome::Pending(_) => "pending".to_owned(),
        StepOutcome::Empty(_) => "empty".to_owned(),
        StepOutcome::Failed { .. } => "failed".to_owned(),
        StepOutcome::Rejected { by } => format!("rejected by {}", by.as_str()),
    }
}

fn raw_messages(line: &str) -> &str {
    // As written, so that repeated keys survive.
    let from = line.find("\"messages\": ").expect("messages") + 12;
    let mut stream = serde_json::Deserializer::from_str(&line[from..]).into_iter::<&serde_json::value::RawValue>();
    stream.next().expect("a value").expect("JSON").get()
}

#[test]
fn conversations() {
    let mut wrong = Vec::new();
    for line in include_str!("cases/conversations.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        let read = Conversation::read(raw_messages(line).as_bytes(), &Limits::default());
        let found = match &read {
            Err(refusal) => json!({"refused": refusal.reason.as_str()}),
            Ok(read) => json!({
                "said": read.last_user_text,
                "turns": read.user_turns,
                "has_steps": read.has_steps,
                "steps": read.steps.iter().map(|step| json!([*step.call_id, *step.tool, kind(&step.outcome), step.batch])).collect::<Vec<_>>(),
                "corrections": read.corrections,
                "unmatched": read.unmatched,
            }),
        };
        let expected = match &case["refused"] {
            Value::String(reason) => json!({"refused": reason}),
            _ => json!({
                "said": case["said"],
                "turns": case["turns"],
                "has_steps": case.get("has_steps").unwrap_or(&json!(true)),
                "steps": case["steps"],
                "corrections": case.get("corrections").unwrap_or(&json!(0)),
                "unmatched": case.get("unmatched").unwrap_or(&json!(0)),
            }),
        };
        if found != expected {
            wrong.push(format!("{}:\n  expected {expected}\n  found    {found}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn messages_have_limits() {
    let limits = Limits {
        max_messages_bytes: 10,
        ..Limits::default()
    };
    let refusal = Conversation::read(br#"[{"role":"user"}]"#, &limits).expect_err("too large");
    assert_eq!(refusal.reason.as_str(), "MESSAGES_TOO_LARGE");

    let call = |n: usize| json!({"role": "assistant", "tool_calls": [{"id": format!("c{n}"), "function": {"name": "a", "arguments": "{}"}}]});
    let messages = serde_json::to_vec(&(0..2_000).map(call).collect::<Vec<_>>()).expect("JSON");
    let limits = Limits {
        max_steps: 5,
        ..Limits::default()
    };
    let read = Conversation::read(&messages, &limits).expect("messages");
    assert_eq!(read.steps.len(), 5);
    assert_eq!(&*read.steps[4].call_id, "c1999");
}

#[test]
fn nothing_is_copied_that_need_not_be() {
    let json = br#"[{"role":"user","content":"plain words"}]"#;
    let read = Conversation::read(json, &Limits::default()).expect("messages");
    assert!(matches!(
        read.last_user_text,
        Some(std::borrow::Cow::Borrowed("plain words"))
    ));
}

fn text(call_id: Option<&'static str>, body: &'static str) -> ToolResult<'static> {
    ToolResult {
        call_id,
        body: ResultBody::Text(body),
        is_error: None,
    }
}

fn open(
    id: &'static str,
    tool: &'static str,
) -> (
    &'static str,
    &'static str,
    toolward_core::trajectory::Fingerprint,
    StepOutcome,
) {
    (id, tool, canonical::nothing(), StepOutcome::Open)
}

fn kinds(trajectory: &Trajectory) -> Vec<String> {
    trajectory.steps.iter().map(|step| kind(&step.outcome)).collect()
}

#[test]
fn results_find_their_calls() {
    let mut session = Session::new();
    let limits = Limits::default();
    session.record(&[open("c1", "get_a"), open("c2", "get_b")], Some(5), &limits);
    let answers = session.begin(
        None,
        &[
            text(None, "a"),
            text(Some("c2"), "b"),
            text(Some("c2"), "b"),
            text(Some("c9"), "x"),
            text(Some(""), "a"),
        ],
    );
    let call = |tool: &str| Answer::Call { tool: tool.into() };
    assert_eq!(
        answers,
        [
            Answer::Unknown,
            call("get_b"),
            Answer::Again { tool: "get_b".into() },
            Answer::Unknown,
            call("get_a")
        ],
        "two wait, so the first without an id is nobody's; then one waits"
    );
    assert_eq!(kinds(session.trajectory()), ["done", "done"]);
    assert_eq!(session.trajectory().steps[0].batch, session.trajectory().steps[1].batch);
}

#[test]
fn a_refused_call_stays_refused() {
    let mut session = Session::new();
    let refused = (
        "c1",
        "get_a",
        canonical::nothing(),
        StepOutcome::Rejected { by: Layer::Schema },
    );
    session.record(&[refused], None, &Limits::default());
    assert_eq!(session.attempt(), 2);
    session.begin(None, &[text(Some("c1"), "[toolward] schema/wrong_type")]);
    assert_eq!(kinds(session.trajectory()), ["rejected by schema"]);
    assert_eq!(session.trajectory().rejections("get_a", Layer::Schema), 1);
    assert_eq!(session.trajectory().rejections("get_a", Layer::Value), 0);
    session.record(&[open("c2", "get_a")], None, &Limits::default());
    assert_eq!(session.attempt(), 1);
}

fn read(messages: &Value) -> (Vec<u8>, Limits) {
    (serde_json::to_vec(messages).expect("JSON"), Limits::default())
}

#[test]
fn a_new_user_message_begins_a_new_turn() {
    let mut session = Session::new();
    let user = |text: &str| json!({"role": "user", "content": text});
    let begin = |messages: Value, session: &mut Session| {
        let (bytes, limits) = read(&messages);
        let conversation = Conversation::read(&bytes, &limits).expect("messages");
        session.begin(Some(&conversation), &[]);
    };
    begin(json!([user("one")]), &mut session);
    session.record(&[open("c1", "get_a")], None, &Limits::default());
    begin(json!([user("one")]), &mut session);
    assert_eq!(session.trajectory().steps.len(), 1, "the same conversation again");
    begin(
        json!([user("one"), {"role": "assistant", "content": "hm"}]),
        &mut session,
    );
    assert_eq!(session.trajectory().steps.len(), 1, "only the model spoke");
    begin(json!([user("one"), user("go on")]), &mut session);
    assert_eq!(session.trajectory().steps.len(), 0, "the user spoke");
    assert_eq!(session.intent(), Some("go on"));
    session.record(&[open("c2", "get_a")], None, &Limits::default());
    begin(json!([user("one"), user("go on"), user("go on")]), &mut session);
    assert_eq!(session.trajectory().steps.len(), 0, "the same words once more");
    session.record(&[open("c3", "get_a")], None, &Limits::default());
    begin(json!([user("go on")]), &mut session);
    assert_eq!(session.trajectory().steps.len(), 1, "the conversation was shortened");
    begin(json!([user("something else")]), &mut session);
    assert_eq!(session.trajectory().steps.len(), 0, "shortened, and the user spoke");
}

#[test]
fn messages_with_steps_win_and_refusals_stay() {
    let mut session = Session::new();
    let limits = Limits::default();
    session.record(&[open("c1", "get_a")], Some(1), &limits);
    session.record(
        &[(
            "c2",
            "get_a",
            canonical::nothing(),
            StepOutcome::Rejected { by: Layer::Value },
        )],
        Some(2),
        &limits,
    );
    session.record(&[open("c3", "get_b")], Some(3), &limits);
    let messages = json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "get_a", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "a"},
        {"role": "assistant", "tool_calls": [{"id": "c3", "function": {"name": "get_b", "arguments": "{}"}}]},
    ]);
    let mut known = session.clone();
    let (bytes, limits) = read(&messages);
    let conversation = Conversation::read(&bytes, &limits).expect("messages");
    // The first words of a user make the turn new where steps were known before them.
    known.begin(Some(&conversation), &[]);
    assert_eq!(kinds(known.trajectory()), ["done", "open"]);
    let again = known.begin(Some(&conversation), &[text(Some("c3"), "b")]);
    assert_eq!(again, [Answer::Call { tool: "get_b".into() }]);
    assert_eq!(kinds(known.trajectory()), ["done", "done"]);

    let (bytes, limits) = read(&json!([{"role": "user", "content": "hi"}]));
    let first = Conversation::read(&bytes, &limits).expect("messages");
    let mut session = Session::new();
    session.begin(Some(&first), &[]);
    session.record(&[open("c1", "get_a")], Some(1), &limits);
    session.record(
        &[(
            "c2",
            "get_a",
            canonical::nothing(),
            StepOutcome::Rejected { by: Layer::Value },
        )],
        Some(2),
        &limits,
    );
    session.record(&[open("c3", "get_b")], Some(3), &limits);
    session.begin(Some(&conversation), &[]);
    assert_eq!(kinds(session.trajectory()), ["done", "rejected by value", "open"]);
    assert_eq!(session.trajectory().steps[2].t_ms, Some(3));
}

#[test]
fn a_session_is_small_and_bounded() {
    assert!(size_of::<Step>() <= 104, "{}", size_of::<Step>());
    let limits = Limits {
        max_steps: 8,
        ..Limits::default()
    };
    let mut session = Session::new();
    for _ in 0..100 {
        session.record(&[open("c", "get_a"), open("d", "get_a")], None, &limits);
    }
    assert_eq!(session.trajectory().steps.len(), 8);
}

#[derive(Debug, Clone)]
struct Event {
    tool: usize,
    argument: u8,
    result: usize,
}

const TOOLS: [&str; 4] = ["get_rate", "send_message", "run_shell", "job_status"];
const RESULTS: [(&str, bool); 7] = [
    ("1.08", false),
    ("", false),
    ("{\"error\":\"not found\"}", false),
    ("Error: timeout after 30s", true),
    ("{\"status\":\"running\"}", false),
    ("[toolward] schema/wrong_type: no", false),
    ("{\"a\":[1,2,{\"at\":\"2024-05-01T10:00:00Z\"}]}", false),
];

fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(
        (0..TOOLS.len(), 0u8..3, 0..RESULTS.len()).prop_map(|(tool, argument, result)| Event {
            tool,
            argument,
            result,
        }),
        0..20,
    )
}

fn plain(trajectory: &Trajectory) -> Vec<(String, u64, StepOutcome, u32)> {
    trajectory
        .steps
        .iter()
        .map(|step| {
            (
                step.tool.to_string(),
                step.arguments.0,
                step.outcome.clone(),
                step.batch,
            )
        })
        .collect()
}

proptest! {
    /// Messages, history and session tell the same of the same steps.
    #[test]
    fn with_and_without_a_session(events in events()) {
        let limits = Limits::default();
        let ids: Vec<String> = (0..events.len()).map(|n| format!("c{n}")).collect();
        let arguments: Vec<String> = events.iter().map(|event| format!("{{\"x\": {}}}", event.argument)).collect();
        let result = |n: usize| ToolResult {
            call_id: Some(&ids[n]),
            body: ResultBody::Text(RESULTS[events[n].result].0),
            is_error: RESULTS[events[n].result].1.then_some(true),
        };

        let history: Vec<HistoryStep<'_>> = events
            .iter()
            .enumerate()
            .map(|(n, event)| HistoryStep {
                call: ProposedCall { id: Some(&ids[n]), name: TOOLS[event.tool], arguments: arguments[n].as_bytes() },
                result: Some(result(n)),
                t_ms: None,
            })
            .collect();
        let from_history = Trajectory::from_history(&history, &limits);

        let mut session = Session::new();
        for (n, event) in events.iter().enumerate() {
            session.record(&[(&ids[n], TOOLS[event.tool], canonical::arguments_text(arguments[n].as_bytes()), StepOutcome::Open)], None, &limits);
            session.begin(None, &[result(n)]);
        }

        let mut messages = vec![json!({"role": "user", "content": "do it"})];
        for (n, event) in events.iter().enumerate() {
            messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": ids[n], "name": TOOLS[event.tool], "input": serde_json::from_str::<Value>(&arguments[n]).expect("JSON")}]}));
            let (text, failed) = RESULTS[event.result];
            let mut block = json!({"type": "tool_result", "tool_use_id": ids[n], "content": text});
            if failed {
                block["is_error"] = json!(true);
            }
            messages.push(json!({"role": "user", "content": [block]}));
        }
        let bytes = serde_json::to_vec(&messages).expect("JSON");
        let conversation = Conversation::read(&bytes, &limits).expect("messages");

        prop_assert_eq!(plain(&from_history), plain(session.trajectory()));
        prop_assert_eq!(plain(&from_history), plain(&conversation.trajectory()));

        // And a session that is sent the messages as well knows no more than they tell.
        session.begin(Some(&conversation), &[]);
        prop_assert_eq!(plain(&from_history), plain(session.trajectory()));
    }

    /// No bytes make a reader panic.
    #[test]
    fn readers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,200}") {
        let limits = Limits::default();
        let _ = Conversation::read(&bytes, &limits);
        let _ = canonical::arguments_text(&bytes);
        for body in [ResultBody::Value(&bytes), ResultBody::Encoded(&bytes), ResultBody::Text(&text)] {
            for is_error in [None, Some(true)] {
                let _ = ReadResult::read(&ToolResult { call_id: None, body, is_error }).outcome(&text);
            }
        }
    }

    /// The order of keys makes no difference, a changed value does.
    #[test]
    fn fingerprints(pairs in prop::collection::btree_map("[a-z]{1,6}", any::<i64>(), 1..8)) {
        let forward: serde_json::Map<String, Value> = pairs.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let backward: serde_json::Map<String, Value> = pairs.iter().rev().map(|(key, value)| (key.clone(), json!(value))).collect();
        prop_assert_eq!(canonical::arguments(&Value::Object(forward.clone())), canonical::arguments(&Value::Object(backward)));
        let mut other = forward.clone();
        let (key, value) = pairs.iter().next().expect("one");
        other.insert(key.clone(), json!(value.wrapping_add(1)));
        prop_assert_ne!(canonical::arguments(&Value::Object(forward)), canonical::arguments(&Value::Object(other)));
    }
}
