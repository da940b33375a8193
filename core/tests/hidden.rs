//! Calls that a format's reader does not look at are refused; what only looks like them is not.

use serde_json::Value;
use toolward_core::{
    limits::{Limits, Reason},
    tools::ToolSet,
    turn::{Body, Candidate, ReadOptions, WireFormat, read},
};

#[test]
fn no_call_goes_by_unread() {
    let limits = Limits::default();
    let toolset = ToolSet::read(br#"[{"name": "t"}]"#, &limits).expect("a tool");
    for line in include_str!("cases/hidden.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("a case");
        let name = case["name"].as_str().expect("a name");
        let text = case["raw"]
            .as_str()
            .map_or_else(|| case["candidate"].to_string(), str::to_owned);
        let format = case["format"].as_str().map(|wanted| {
            WireFormat::ALL
                .into_iter()
                .find(|format| format.as_str() == wanted)
                .expect("a format")
        });
        let candidate = Candidate {
            body: Body::Json(text.as_bytes()),
            format,
            finish_reason: None,
        };
        let turn = read(
            &candidate,
            &toolset,
            ReadOptions {
                repair: true,
                limits: &limits,
            },
        );
        match (&turn, case["refused"].as_bool().expect("refused")) {
            (Err(refusal), true) => assert_eq!(refusal.reason, Reason::CandidateInvalid, "{name}"),
            (Ok(turn), false) => {
                if let Some(calls) = case["calls"].as_u64() {
                    assert_eq!(turn.calls.len() as u64, calls, "{name}");
                }
            }
            _ => assert_eq!(turn.is_err(), case["refused"] == true, "{name}"),
        }
    }
}
