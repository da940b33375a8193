//! Arguments against schemas, on `cases/fit.jsonl`: what passes as it is, what is repaired, what is told; and what must
//! hold for any arguments.
//!
//! A case: `schema`, `arguments`, `fit` (`as_received`, `unusable`, or the arguments as they are forwarded), `codes` of
//! the findings in order (`:note` where only noted), and optionally a finding's `pointer`, `expected`, `received`,
//! `suggestion`.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test says so when it is wrong"
)]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolward_core::{
    code::{Action, Code},
    finding::Finding,
    layers::schema::{Fit, fit},
    limits::Limits,
    tools::{ToolKind, ToolSet},
    turn::{Arguments, Call, Reading},
};

fn toolset(parameters: &Value) -> ToolSet {
    let tools = json!([{"name": "tool", "parameters": parameters}]);
    ToolSet::read(tools.to_string().as_bytes(), &Limits::default()).expect("tools")
}

fn call(received: &str, reading: Reading) -> Call<'_> {
    Call {
        id: "call_1".into(),
        id_given: true,
        name: "tool".into(),
        arguments: Arguments {
            received: received.into(),
            reading,
        },
        findings: Vec::new(),
    }
}

fn fitted(tools: &ToolSet, reading: Reading, repair: bool) -> (Fit, Vec<Finding>) {
    let mut findings = Vec::new();
    let tool = &tools.tools()[0];
    let fit = fit(&call("", reading), tool, repair, &Limits::default(), &mut findings);
    (fit, findings)
}

/// The code, with the action where it is not the default.
fn named(finding: &Finding) -> String {
    match finding.action == finding.code.default_action() && finding.code != Code::ToolSchemaInvalid {
        true => finding.code.as_str().to_owned(),
        false => format!("{}:{}", finding.code.as_str(), finding.action.as_str()),
    }
}

fn check(case: &Value) {
    let name = case["case"].as_str().expect("a case");
    let tools = toolset(&case["schema"]);
    let (fit, findings) = fitted(&tools, Reading::Strict(case["arguments"].clone()), true);
    let found = match &fit {
        Fit::AsReceived => json!("as_received"),
        Fit::Unusable => json!("unusable"),
        Fit::Changed(value) => value.clone(),
    };
    assert_eq!(found, case["fit"], "{name}: {findings:?}");
    let codes: Vec<String> = findings.iter().map(named).collect();
    assert_eq!(json!(codes), case["codes"], "{name}: {findings:?}");
    for (key, get) in [
        (
            "pointer",
            &(|f: &Finding| Some(f.pointer.clone())) as &dyn Fn(&Finding) -> Option<String>,
        ),
        ("expected", &|f: &Finding| f.expected.clone()),
        ("received", &|f: &Finding| f.received.clone()),
        ("suggestion", &|f: &Finding| f.suggestion.clone()),
    ] {
        if let Some(wanted) = case[key].as_str() {
            let told = findings.iter().any(|finding| get(finding).as_deref() == Some(wanted));
            assert!(told, "{name}: no {key} {wanted:?} in {findings:?}");
        }
    }
    without_repair(name, &tools, &case["arguments"], &fit);
}

/// With repair off nothing strict is changed, and what fitted still does.
fn without_repair(name: &str, tools: &ToolSet, arguments: &Value, with: &Fit) {
    let (fit, findings) = fitted(tools, Reading::Strict(arguments.clone()), false);
    let expected = match with {
        Fit::AsReceived => Fit::AsReceived,
        Fit::Changed(_) | Fit::Unusable => Fit::Unusable,
    };
    assert_eq!(fit, expected, "{name} without repair");
    assert!(
        findings.iter().all(|finding| finding.action != Action::Repair),
        "{name}"
    );
}

#[test]
fn cases() {
    let cases = include_str!("cases/fit.jsonl");
    for line in cases.lines() {
        check(&serde_json::from_str(line).expect(line));
    }
}

#[test]
fn nothing_sent_means_no_arguments_only_where_none_is_required() {
    let none = toolset(&json!({"type": "object", "properties": {}}));
    let (fit, findings) = fitted(&none, Reading::Absent, true);
    assert_eq!(fit, Fit::Changed(json!({})));
    assert_eq!(findings[0].code, Code::RepairedEmptyArguments);
    let (fit, findings) = fitted(&none, Reading::Absent, false);
    assert_eq!(fit, Fit::Unusable);
    assert_eq!(findings[0].code, Code::NotAnObject);
    let one = toolset(&json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}));
    let (fit, findings) = fitted(&one, Reading::Absent, true);
    assert_eq!(fit, Fit::Unusable);
    assert_eq!(findings[0].code, Code::MissingRequired);
}

#[test]
fn what_was_rescued_is_forwarded_as_it_was_read() {
    let tools = toolset(&json!({"type": "object", "properties": {"a": {"type": "integer"}}}));
    let (fit, findings) = fitted(&tools, Reading::Rescued(json!({"a": 1})), true);
    assert_eq!((fit, findings.len()), (Fit::Changed(json!({"a": 1})), 0));
    let (fit, findings) = fitted(&tools, Reading::Failed, true);
    assert_eq!((fit, findings.len()), (Fit::Unusable, 0));
}

#[test]
fn arguments_that_are_not_ours_are_left_alone() {
    let tools = br#"[{"type": "custom", "name": "shell"}, {"type": "web_search"}]"#;
    let tools = ToolSet::read(tools, &Limits::default()).expect("tools");
    for (tool, kind) in tools.tools().iter().zip([ToolKind::Custom, ToolKind::Hosted]) {
        let mut findings = Vec::new();
        let fit = fit(
            &call("ls -l", Reading::Failed),
            tool,
            true,
            &Limits::default(),
            &mut findings,
        );
        assert_eq!((tool.kind, fit, findings.len()), (kind, Fit::AsReceived, 0));
    }
}

#[test]
fn size_and_depth_are_bounded() {
    let tools = toolset(&json!({"type": "object", "properties": {"v": {}}}));
    let limits = Limits {
        max_arguments_bytes: 10,
        max_arguments_depth: 3,
        ..Limits::default()
    };
    for (received, value, code) in [
        ("{\"v\": \"0123456789\"}", json!({"v": "0123456789"}), Code::TooLarge),
        ("", json!({"v": [[[1]]]}), Code::TooDeep),
    ] {
        let mut findings = Vec::new();
        let call = call(received, Reading::Strict(value));
        let fit = fit(&call, &tools.tools()[0], true, &limits, &mut findings);
        assert_eq!((fit, findings[0].code), (Fit::Unusable, code));
    }
    let mut findings = Vec::new();
    let call = call("", Reading::Strict(json!({"v": [[1]]})));
    assert_eq!(
        fit(&call, &tools.tools()[0], true, &limits, &mut findings),
        Fit::AsReceived
    );
}

#[test]
fn findings_are_few_whatever_is_wrong() {
    let tools = toolset(&json!({"type": "object", "additionalProperties": {"type": "integer"}}));
    let many: Map<String, Value> = (0..1000).map(|n| (format!("k{n}"), json!("x".repeat(500)))).collect();
    let (fit, findings) = fitted(&tools, Reading::Strict(Value::Object(many)), true);
    assert_eq!(fit, Fit::Unusable);
    assert!(findings.len() <= 16, "{}", findings.len());
    assert!(findings.iter().all(|finding| finding.message.len() < 200));
}

fn schema() -> Value {
    json!({"type": "object", "required": ["count"], "properties": {
        "count": {"type": "integer", "minimum": 0},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "unit_name": {"type": "string", "enum": ["metric", "imperial"]},
        "day": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "at": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": false},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}})
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-20_i64..20).prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "null",
            "5",
            "-3",
            "2.50",
            "true",
            "False",
            "metric",
            "Imperial",
            "a, b",
            "word",
            "[1]",
            "[\"a\"]",
            "{\"x\": \"4\"}",
            "2025-01-31",
        ])
        .prop_map(Value::from),
    ]
}

fn arguments() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec![
        "count",
        "Count",
        "ratio",
        "deep",
        "unit_name",
        "unitName",
        "day",
        "tags",
        "at",
        "either",
        "x",
        "other",
    ]);
    let value = scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map(prop::sample::select(vec!["x", "X", "y"]), inner, 0..3)
                .prop_map(|map| map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    });
    prop::collection::hash_map(key, value, 0..6)
        .prop_map(|map| map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

proptest! {
    /// A valid call is never changed, a repaired one is valid, and repairing it again changes nothing.
    #[test]
    fn repairs_are_valid_and_final(arguments in arguments()) {
        let tools = toolset(&schema());
        let input = &tools.tools()[0].input;
        let (fit, findings) = fitted(&tools, Reading::Strict(arguments.clone()), true);
        match fit {
            Fit::AsReceived => prop_assert!(input.is_valid(&arguments)),
            Fit::Changed(repaired) => {
                prop_assert!(!input.is_valid(&arguments));
                prop_assert!(input.is_valid(&repaired), "{repaired}");
                prop_assert!(findings.iter().any(|finding| finding.action == Action::Repair));
                let (again, _) = fitted(&tools, Reading::Strict(repaired), true);
                prop_assert_eq!(again, Fit::AsReceived);
            }
            Fit::Unusable => {
                prop_assert!(!input.is_valid(&arguments));
                prop_assert!(findings.iter().any(|finding| finding.action == Action::Retry));
                prop_assert!(findings.iter().all(|finding| finding.action != Action::Repair));
            }
        }
    }
}
