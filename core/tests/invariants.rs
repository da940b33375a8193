//! What must hold for every input: valid calls pass byte for byte, repairs are valid and final, shadow mode changes
//! nothing, messages and session agree, and nothing panics.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use proptest::prelude::*;
use serde_json::{Value, json};
use toolward_core::{
    check::{CheckedStep, Clock, Context, Options, Outcome, Request, ResultBody, ToolChoice, ToolResult, inspect},
    decide::Decision,
    limits::Limits,
    policy::Policy,
    tools::ToolSet,
    trajectory::{Conversation, Session, Trajectory},
    turn::{Body, Candidate, WireFormat},
};

struct Stopped;

impl Clock for Stopped {
    fn now_ns(&self) -> u64 {
        0
    }
}

fn tools() -> ToolSet {
    let tools = json!([
        {"type": "function", "function": {"name": "find_room", "description": "Find a free meeting room", "parameters": {
            "type": "object", "additionalProperties": false, "required": ["seats"], "properties": {
                "seats": {"type": "integer", "minimum": 1, "maximum": 40},
                "floor": {"type": "string", "enum": ["ground", "first", "second"]},
                "screen": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "note": {"type": "string"}}}}},
        {"type": "function", "function": {"name": "list_bookings", "description": "List bookings", "parameters": {
            "type": "object", "properties": {"day": {"type": "string"}}}}},
    ]);
    ToolSet::read(tools.to_string().as_bytes(), &Limits::default()).expect("tools")
}

fn call(name: &str, arguments: &str) -> Vec<u8> {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]})
    .to_string()
    .into_bytes()
}

fn judge_with(toolset: &ToolSet, body: Body<'_>, options: Options, trajectory: &Trajectory) -> Option<Outcome> {
    let (conversation, choice, policy, limits) = (
        Conversation::default(),
        ToolChoice::Auto,
        Policy::default(),
        Limits::default(),
    );
    let request = Request {
        toolset,
        context: Context {
            intent: None,
            conversation: &conversation,
            tool_choice: &choice,
            parallel: None,
            now_ms: 1_000,
        },
        trajectory,
        candidate: Some(Candidate {
            body,
            format: None,
            finish_reason: None,
        }),
        results: &[],
        earlier: &[],
        attempt: None,
        options,
    };
    inspect(&request, &policy, &limits, &Stopped)
        .ok()
        .map(|inspected| inspected.conclude(&[]))
}

fn judge(candidate: &[u8]) -> Outcome {
    judge_with(
        &tools(),
        Body::Json(candidate),
        Options::default(),
        &Trajectory::default(),
    )
    .expect("judged")
}

fn valid_arguments() -> impl Strategy<Value = Value> {
    (
        1..=40i64,
        prop::option::of(prop::sample::select(vec!["ground", "first", "second"])),
        prop::option::of(any::<bool>()),
        prop::option::of(prop::collection::vec("[a-z]{1,8}", 0..4)),
        prop::option::of("[a-zA-Z ,.]{0,40}"),
    )
        .prop_map(|(seats, floor, screen, tags, note)| {
            let mut object = serde_json::Map::new();
            object.insert("seats".into(), seats.into());
            let optional = [
                ("floor", floor.map(Value::from)),
                ("screen", screen.map(Value::from)),
                ("tags", tags.map(Value::from)),
                ("note", note.map(Value::from)),
            ];
            for (key, value) in optional {
                if let Some(value) = value {
                    object.insert(key.into(), value);
                }
            }
            Value::Object(object)
        })
}

/// Deviations that a model makes, some repairable and some not.
fn spoil(arguments: &Value, way: u8) -> String {
    let mut value = arguments.clone();
    let seats = value["seats"].to_string();
    match way {
        0 => value["seats"] = Value::String(seats),
        1 => value["floor"] = Value::Null,
        2 => value["screen"] = json!("true"),
        3 => value["tags"] = json!("[\"a\"]"),
        4 => value["floor"] = json!("GROUND"),
        5 => value["colour"] = json!("red"),
        6 => return arguments.to_string().replace('}', ",}"),
        7 => return format!("```json\n{arguments}\n```"),
        8 => return Value::String(arguments.to_string()).to_string(),
        9 => return arguments.to_string().trim_end_matches('}').to_owned(),
        10 => value["seats"] = json!("many"),
        _ => value["Seats"] = value["seats"].take(),
    }
    value.to_string()
}

proptest! {
    #[test]
    fn a_valid_call_passes_byte_for_byte(arguments in valid_arguments(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&arguments).expect("text") } else { arguments.to_string() };
        let outcome = judge(&call("find_room", &text));
        prop_assert_eq!(outcome.decision, Decision::Pass);
        prop_assert!(outcome.response.is_none());
        let cleared = outcome.calls[0].cleared.as_ref().expect("cleared");
        prop_assert_eq!(cleared.arguments(), text.as_str());
    }

    #[test]
    fn a_repaired_call_is_valid_and_stays_as_it_is(arguments in valid_arguments(), way in 0u8..12) {
        let outcome = judge(&call("find_room", &spoil(&arguments, way)));
        if outcome.decision == Decision::Repaired {
            let cleared = outcome.calls[0].cleared.as_ref().expect("cleared");
            let toolset = tools();
            prop_assert!(toolset.tools()[0].input.is_valid(&serde_json::from_str(cleared.arguments()).expect("JSON")));
            let again = judge(&call(cleared.name(), cleared.arguments()));
            prop_assert_eq!(again.decision, Decision::Pass);
            prop_assert_eq!(again.calls[0].cleared.as_ref().expect("cleared").arguments(), cleared.arguments());
            let response: Value = serde_json::from_slice(&outcome.response.expect("a response")).expect("JSON");
            let forwarded = response["tool_calls"][0]["function"]["arguments"].as_str().expect("text");
            prop_assert_eq!(forwarded, cleared.arguments());
        } else if !outcome.decision.allows() {
            prop_assert!(outcome.calls[0].cleared.is_none());
        }
    }

    #[test]
    fn shadow_mode_changes_no_answer(arguments in valid_arguments(), way in 0u8..12) {
        let text = spoil(&arguments, way);
        let candidate = call("find_room", &text);
        let enforced = judge(&candidate);
        let options = Options { shadow: true, ..Options::default() };
        let shadow = judge_with(&tools(), Body::Json(&candidate), options, &Trajectory::default()).expect("judged");
        prop_assert_eq!(shadow.decision, Decision::Pass);
        prop_assert!(!shadow.enforced);
        prop_assert_eq!(shadow.would_decide, enforced.decision);
        prop_assert!(shadow.response.is_none() && shadow.retry.is_none() && shadow.fallback.is_none());
        prop_assert_eq!(shadow.calls[0].cleared.as_ref().expect("cleared").arguments(), text.as_str());
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), format in 0usize..9) {
        let toolset = tools();
        let _ = judge_with(&toolset, Body::Json(&bytes), Options::default(), &Trajectory::default());
        let _ = judge_with(&toolset, Body::Sse(&bytes), Options::default(), &Trajectory::default());
        let text = String::from_utf8_lossy(&bytes);
        let _ = judge_with(&toolset, Body::Text(&text), Options::default(), &Trajectory::default());
        let _ = WireFormat::ALL[format].as_str();
        let _ = Conversation::read(&bytes, &Limits::default());
        let _ = ToolChoice::parse(&bytes);
        let _ = ToolSet::read(&bytes, &Limits::default());
        let _ = Policy::parse(&text);
    }

    #[test]
    fn messages_and_session_agree(picks in prop::collection::vec((0usize..2, 0usize..3), 1..12)) {
        let days = ["monday", "tuesday"];
        let answers = ["[]", "[{\"room\":\"A1\"}]", "Error: the calendar is down"];
        let toolset = tools();
        let limits = Limits::default();
        let mut session = Session::new();
        let opening = json!([{"role": "user", "content": "What is booked?"}]).to_string();
        session.begin(Some(&Conversation::read(opening.as_bytes(), &limits).expect("messages")), &[]);
        let mut messages = vec![json!({"role": "user", "content": "What is booked?"})];
        for (index, (day, answer)) in picks.iter().enumerate() {
            let id = format!("c{index}");
            let arguments = json!({"day": days[*day]}).to_string();
            let sent = json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "list_bookings", "arguments": arguments}}]});
            let text = Value::from(messages.clone()).to_string();
            let conversation = Conversation::read(text.as_bytes(), &limits).expect("messages");
            let stateless = Trajectory::stateless(&conversation, &[], &limits);
            let candidate = sent.to_string();
            let of_messages =
                judge_with(&toolset, Body::Json(candidate.as_bytes()), Options::default(), &stateless).expect("judged");
            let of_session =
                judge_with(&toolset, Body::Json(candidate.as_bytes()), Options::default(), session.trajectory())
                    .expect("judged");
            prop_assert_eq!(of_messages.decision, of_session.decision);
            prop_assert_eq!(&of_messages.calls[0].findings, &of_session.calls[0].findings);
            if !of_messages.decision.allows() {
                break;
            }
            let steps: Vec<_> = of_session
                .steps
                .iter()
                .map(CheckedStep::record)
                .collect();
            session.record(&steps, None, &limits);
            messages.push(sent);
            messages.push(json!({"role": "tool", "tool_call_id": id, "content": answers[*answer]}));
            let result = ToolResult { call_id: Some(&id), body: ResultBody::Text(answers[*answer]), is_error: None };
            session.begin(None, &[result]);
        }
    }
}
