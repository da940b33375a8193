//! From findings to what the caller gets: attempts and their budget, corrections, fallbacks, partial turns, results.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use toolward_core::{
    check::{
        Answer, CheckedStep, Clock, Context, Degraded, LayerOutcome, Options, Outcome, Request, ResultBody, ToolChoice,
        ToolResult, inspect,
    },
    code::{Code, Layer},
    decide::{Decision, Fallback},
    limits::Limits,
    policy::Policy,
    tools::ToolSet,
    trajectory::{Conversation, Session, Trajectory},
    turn::{Body, Candidate},
};

struct Stopped;

impl Clock for Stopped {
    fn now_ns(&self) -> u64 {
        0
    }
}

struct Bench {
    toolset: ToolSet,
    policy: Policy,
}

impl Bench {
    fn new(policy: &str) -> Self {
        let tools = json!([
            {"name": "book_room", "parameters": {"type": "object", "required": ["seats"],
                "properties": {"seats": {"type": "integer"}, "url": {"type": "string", "format": "uri"}}}},
            {"name": "find_text", "description": "Search", "parameters": {"type": "object", "required": ["query"],
                "properties": {"query": {"type": "string"}}}},
        ]);
        let toolset = ToolSet::read(tools.to_string().as_bytes(), &Limits::default()).expect("tools");
        let policy = Policy::parse(policy).expect("a policy").0;
        Self { toolset, policy }
    }

    fn check(
        &self,
        calls: &[(&str, &str)],
        trajectory: &Trajectory,
        results: &[ToolResult<'_>],
        answers: &[Answer],
    ) -> Outcome {
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(index, (name, arguments))| {
                json!({"id": format!("c{index}"), "type": "function", "function": {"name": name, "arguments": arguments}})
            })
            .collect();
        let candidate =
            json!({"role": "assistant", "content": null, "tool_calls": calls, "finish_reason": "tool_calls"})
                .to_string();
        let (conversation, choice, limits) = (Conversation::default(), ToolChoice::Auto, Limits::default());
        let request = Request {
            toolset: &self.toolset,
            context: Context {
                intent: Some("Find me a room for ten people"),
                conversation: &conversation,
                tool_choice: &choice,
                parallel: None,
                now_ms: 0,
            },
            trajectory,
            candidate: Some(Candidate {
                body: Body::Json(candidate.as_bytes()),
                format: None,
                finish_reason: None,
            }),
            results,
            earlier: &[],
            attempt: None,
            options: Options::default(),
        };
        inspect(&request, &self.policy, &limits, &Stopped)
            .expect("judged")
            .conclude(answers)
    }

    fn call(&self, name: &str, arguments: &str) -> Outcome {
        self.check(&[(name, arguments)], &Trajectory::default(), &[], &[])
    }
}

fn result(text: &str) -> ToolResult<'_> {
    ToolResult {
        call_id: Some("c0"),
        body: ResultBody::Text(text),
        is_error: None,
    }
}

fn response(outcome: &Outcome) -> Value {
    serde_json::from_slice(outcome.response.as_ref().expect("a response")).expect("JSON")
}

#[test]
fn attempts_are_counted_and_the_budget_ends_them() {
    let bench = Bench::new("[retry]\nmax_attempts = 2");
    let mut session = Session::new();
    let mut seen = Vec::new();
    for seats in ["\"ten\"", "\"a few\"", "\"about ten\""] {
        let arguments = format!("{{\"seats\": {seats}}}");
        let outcome = bench.check(&[("book_room", &arguments)], session.trajectory(), &[], &[]);
        seen.push((outcome.decision, outcome.retry.as_ref().map(|retry| retry.attempt)));
        let steps: Vec<_> = outcome.steps.iter().map(CheckedStep::record).collect();
        session.record(&steps, None, &Limits::default());
    }
    let retry = |attempt| (Decision::Retry, Some(attempt));
    assert_eq!(seen, [retry(1), retry(2), (Decision::Fallback, None)]);
}

#[test]
fn a_correction_says_what_where_and_what_next() {
    let outcome = Bench::new("").call("book_room", "{\"seats\": \"ten\"}");
    let retry = outcome.retry.as_ref().expect("a retry");
    for part in [
        "[toolward] schema/wrong_type:",
        "`book_room`",
        "/seats",
        "integer",
        "2 attempts left",
    ] {
        assert!(retry.feedback_text.contains(part), "{part}: {}", retry.feedback_text);
    }
    let messages = retry.feedback.as_array().expect("messages");
    assert_eq!(messages[0]["role"], "assistant");
    assert_eq!(
        (&messages[1]["role"], &messages[1]["tool_call_id"]),
        (&json!("tool"), &json!("c0"))
    );
    assert!(outcome.calls[0].cleared.is_none() && outcome.response.is_none());
}

#[test]
fn one_bad_call_spoils_only_itself() {
    let calls = [("book_room", "{\"seats\": 4}"), ("find_text", "{}")];
    let outcome = Bench::new("").check(&calls, &Trajectory::default(), &[], &[]);
    assert_eq!(outcome.decision, Decision::Retry);
    assert_eq!(outcome.calls[0].decision, Decision::Pass);
    assert_eq!(
        outcome.calls[0].cleared.as_ref().expect("cleared").arguments(),
        "{\"seats\": 4}"
    );
    assert!(outcome.calls[1].cleared.is_none());
    let left = response(&outcome);
    assert_eq!(left["tool_calls"].as_array().map(Vec::len), Some(1));
    assert_eq!(left["tool_calls"][0]["function"]["name"], "book_room");
}

const TO_SEARCH: &str =
    "[[tools]]\nmatch = 'book_*'\nfallback = { tool = 'find_text', arguments = { query = { intent = true } } }";
const INSIDE: &str = "{\"seats\": 4, \"url\": \"http://169.254.169.254/latest\"}";

#[test]
fn a_simpler_tool_takes_the_place() {
    let outcome = Bench::new(TO_SEARCH).call("book_room", INSIDE);
    assert_eq!(outcome.decision, Decision::Fallback);
    let arguments = json!({"query": "Find me a room for ten people"});
    assert_eq!(
        outcome.fallback,
        Some(Fallback::Tool {
            name: "find_text".to_owned(),
            arguments: arguments.clone()
        })
    );
    let call = &response(&outcome)["tool_calls"][0]["function"];
    assert_eq!(call["name"], "find_text");
    let forwarded: Value = serde_json::from_str(call["arguments"].as_str().expect("text")).expect("JSON");
    assert_eq!(forwarded, arguments);
}

#[test]
fn a_fallback_tool_that_cannot_be_called_becomes_words() {
    for policy in [
        "[[tools]]\nmatch = 'book_*'\nfallback = { tool = 'find_text', arguments = { query = { from = '/nowhere' } } }",
        "[[tools]]\nmatch = 'book_*'\nfallback = { tool = 'not_offered', arguments = {} }",
        "[[tools]]\nmatch = 'book_*'\nfallback = { tool = 'find_text', arguments = { query = { value = 5 } } }",
    ] {
        let outcome = Bench::new(policy).call("book_room", INSIDE);
        assert!(
            matches!(outcome.fallback, Some(Fallback::Text(_))),
            "{policy}: {:?}",
            outcome.fallback
        );
        let message = response(&outcome);
        assert!(
            message
                .get("tool_calls")
                .is_none_or(|calls| calls.as_array().is_none_or(Vec::is_empty)),
            "{message}"
        );
        assert!(
            message["content"].as_str().is_some_and(|text| !text.is_empty()),
            "{message}"
        );
        assert_ne!(message["finish_reason"], "tool_calls");
    }
}

#[test]
fn the_policy_rules_on_each_code() {
    let bad = "{\"seats\": \"ten\"}";
    let shadow = Bench::new("[codes.wrong_type]\nmode = 'shadow'").call("book_room", bad);
    assert_eq!(shadow.decision, Decision::Pass);
    assert!(
        shadow.calls[0]
            .findings
            .iter()
            .any(|finding| finding.code == Code::WrongType && !finding.enforced)
    );
    let off = Bench::new("[codes.wrong_type]\nmode = 'off'").call("book_room", bad);
    assert!(off.calls[0].findings.is_empty() && off.decision == Decision::Pass);
    let strict = Bench::new("[codes.wrong_type]\naction = 'fallback'").call("book_room", bad);
    assert_eq!(strict.decision, Decision::Fallback);
}

#[test]
fn a_repair_that_the_policy_withholds_is_not_made() {
    let text = "{\"seats\": \"4\"}";
    assert_eq!(Bench::new("").call("book_room", text).decision, Decision::Repaired);
    let withheld = Bench::new("[codes.repaired_number_text]\nmode = 'off'").call("book_room", text);
    assert_eq!(withheld.decision, Decision::Retry);
    assert!(withheld.calls[0].cleared.is_none());
    let respelt = Bench::new("[codes.repaired_tool_name]\nmode = 'shadow'").call("Book_Room", "{\"seats\": 4}");
    assert_eq!(respelt.decision, Decision::Retry);
    let rescued = Bench::new("[codes.repaired_trailing_comma]\nmode = 'off'").call("book_room", "{\"seats\": 4,}");
    assert_eq!(rescued.decision, Decision::Retry);
    assert!(rescued.calls[0].cleared.is_none());
}

#[test]
fn an_unanswered_question_is_a_pass_only_where_the_policy_says_open() {
    let lost = [Answer::Degraded(Degraded::Timeout)];
    let results = [result("[{\"room\": \"A1\", \"seats\": 12}]")];
    let calls = [("book_room", "{\"seats\": 4}")];
    let open = Bench::new("").check(&calls, &Trajectory::default(), &results, &lost);
    assert_eq!(open.decision, Decision::Pass);
    let closed = "[layers]\nsemantic = { on_fault = 'closed' }\n[semantic]\njudge = 'enforce'";
    let closed = Bench::new(closed).check(&calls, &Trajectory::default(), &results, &lost);
    assert_eq!(closed.decision, Decision::Fallback);
    for outcome in [&open, &closed] {
        let report = outcome
            .layers
            .iter()
            .find(|report| report.layer == Layer::Semantic)
            .expect("a report");
        assert_eq!(report.outcome, LayerOutcome::Degraded(Degraded::Timeout));
    }
}

#[test]
fn the_judges_verdict_is_in_shadow_unless_enforced() {
    let results = [result("[{\"room\": \"A1\", \"seats\": 12}]")];
    let calls = [("book_room", "{\"seats\": 4}")];
    let shadow = Bench::new("").check(&calls, &Trajectory::default(), &results, &[Answer::No]);
    assert_eq!(shadow.decision, Decision::Pass);
    assert!(
        shadow.results[0]
            .findings
            .iter()
            .any(|it| it.code == Code::ResultOffIntent && !it.enforced)
    );
    let enforce = Bench::new("[semantic]\njudge = 'enforce'");
    let no = enforce.check(&calls, &Trajectory::default(), &results, &[Answer::No]);
    assert_eq!(no.decision, Decision::Fallback);
    let yes = enforce.check(&calls, &Trajectory::default(), &results, &[Answer::Yes]);
    assert_eq!(yes.decision, Decision::Pass);
}

#[test]
fn a_failed_result_is_corrected_as_a_result() {
    let results = [result("Error: seats must be even")];
    let outcome = Bench::new("").check(
        &[("book_room", "{\"seats\": 5}")],
        &Trajectory::default(),
        &results,
        &[],
    );
    assert_eq!(outcome.decision, Decision::Retry);
    let text = &outcome.retry.as_ref().expect("a retry").feedback_text;
    assert!(text.contains("The result of `book_room` cannot be used"), "{text}");
}
