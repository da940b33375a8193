//! Policies: what a file means, what is wrong with it, and that a stricter word never loosens.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot be set up has failed"
)]

use std::{fs, path::Path};

use proptest::prelude::*;
use serde_json::json;
use toolward_core::{
    code::{Action, Code, Layer},
    policy::{Access, ArgumentSource, Effect, FallbackRule, Mode, OnFault, Policy, Role, Stages},
};

fn policy(toml: &str) -> Policy {
    match Policy::parse(toml) {
        Ok((policy, warnings)) => {
            assert_eq!(warnings, [], "{toml}");
            policy
        }
        Err(faults) => panic!("{toml}\n{faults:?}"),
    }
}

fn faults(toml: &str) -> Vec<String> {
    Policy::parse(toml)
        .expect_err(toml)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn warnings(toml: &str) -> Vec<String> {
    Policy::parse(toml)
        .expect(toml)
        .1
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn every_example_loads_without_a_warning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/policies");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("UTF-8");
        let (_, warnings) = Policy::parse(&text).unwrap_or_else(|faults| panic!("{}: {faults:?}", path.display()));
        assert_eq!(warnings, [], "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 4, "{seen} examples");
}

#[test]
fn the_default_file_says_the_defaults() {
    let written = policy(include_str!("../../config/policies/default.toml"));
    let default = Policy::default();
    assert_eq!(written.revision(), default.revision());
    assert_eq!(policy("").revision(), default.revision());
    assert_eq!(default.revision().len(), 16);
}

#[test]
fn defaults_are_those_of_the_layers() {
    let policy = Policy::default();
    for layer in Layer::ALL {
        assert_eq!(policy.layer_mode(layer), Mode::Enforce);
        let open = layer == Layer::Semantic;
        assert_eq!(
            policy.on_fault(layer),
            if open { OnFault::Open } else { OnFault::Closed }
        );
    }
    assert_eq!(policy.max_attempts(), 3);
    assert!(matches!(policy.default_fallback(), FallbackRule::Text(_)));
    assert_eq!(
        policy.stages(Code::LoopNoProgress),
        Stages {
            note: 3,
            correct: 4,
            stop: 5
        }
    );
    assert_eq!(
        policy.stages(Code::RetryStorm),
        Stages {
            note: u32::MAX,
            correct: 1,
            stop: 4
        }
    );
    assert_eq!(policy.stages(Code::WrongType), Stages::NEVER);
    assert_eq!(policy.value().loopback, Access::Allow);
    assert!(policy.judges());
    let view = policy.for_tool("any");
    assert_eq!(view.ruling(Code::ResultOffIntent, "").mode, Mode::Shadow);
    assert_eq!(view.ruling(Code::ResultUnjudged, "").mode, Mode::Shadow);
    for code in Code::ALL
        .iter()
        .filter(|code| !matches!(code, Code::ResultOffIntent | Code::ResultUnjudged))
    {
        assert_eq!(view.ruling(*code, "/a").mode, Mode::Enforce, "{code:?}");
        assert_eq!(view.ruling(*code, "/a").action, None, "{code:?}");
    }
    assert!(view.allowed());
    assert_eq!((view.polls(), view.effect(), view.fallback()), (None, None, None));
    assert_eq!(view.argument_rules().count(), 0);
}

#[test]
fn the_revision_names_the_meaning() {
    let a = policy("[retry]\nmax_attempts = 2 # two\n[layers.value]\nmode = \"shadow\"");
    let b = policy("layers = { value = { mode = \"shadow\" } }\n[retry]\nmax_attempts = 2");
    let c = policy("[retry]\nmax_attempts = 1\n[layers.value]\nmode = \"shadow\"");
    assert_eq!(a.revision(), b.revision());
    assert_ne!(a.revision(), c.revision());
}

#[test]
fn the_more_particular_word_holds() {
    let policy = policy(
        r#"
        [codes.placeholder]
        mode = "shadow"
        action = "fallback"

        [[tools]]
        match = "mail_*"
        codes.placeholder = { mode = "enforce" }

        [[tools.arguments]]
        pointer = "/to/*"
        codes.placeholder = { mode = "off" }

        [[tools]]
        match = "mail_draft"
        codes.placeholder = { action = "note" }
        "#,
    );
    let ruling = |tool: &str, pointer: &str| {
        let ruling = policy.for_tool(tool).ruling(Code::Placeholder, pointer);
        (ruling.mode, ruling.action)
    };
    assert_eq!(ruling("other", "/to/0"), (Mode::Shadow, Some(Action::Fallback)));
    assert_eq!(ruling("mail_send", "/body"), (Mode::Enforce, Some(Action::Fallback)));
    assert_eq!(ruling("mail_send", "/to/0"), (Mode::Off, Some(Action::Fallback)));
    assert_eq!(
        ruling("mail_send", "/to/0/address"),
        (Mode::Off, Some(Action::Fallback))
    );
    assert_eq!(ruling("mail_send", "/to"), (Mode::Enforce, Some(Action::Fallback)));
    // A later entry wins key by key.
    assert_eq!(ruling("mail_draft", "/body"), (Mode::Enforce, Some(Action::Note)));
    assert_eq!(ruling("mail_draft", "/to/3"), (Mode::Off, Some(Action::Note)));
    assert_eq!(ruling("", ""), (Mode::Shadow, Some(Action::Fallback)));
}

#[test]
fn a_weak_layer_is_not_overruled() {
    let (policy, warnings) = Policy::parse(
        r#"
        layers.value.mode = "shadow"
        layers.cascade.mode = "off"
        codes.placeholder.mode = "enforce"
        semantic.judge = "shadow"
        codes.result_off_intent.mode = "enforce"
        [[tools]]
        match = "*"
        codes.ssrf_target = { mode = "enforce" }
        codes.loop_cycle = { mode = "shadow" }
        codes.wrong_type = { mode = "off" }
        "#,
    )
    .expect("a policy");
    let view = policy.for_tool("t");
    assert_eq!(view.ruling(Code::Placeholder, "/a").mode, Mode::Shadow);
    assert_eq!(view.ruling(Code::SsrfTarget, "/a").mode, Mode::Shadow);
    assert_eq!(view.ruling(Code::LoopCycle, "").mode, Mode::Off);
    assert_eq!(view.ruling(Code::ResultOffIntent, "").mode, Mode::Shadow);
    assert_eq!(view.ruling(Code::WrongType, "/a").mode, Mode::Off);
    let keys: Vec<&str> = warnings.iter().map(|warning| warning.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "codes.placeholder",
            "tools[0].codes.loop_cycle",
            "tools[0].codes.ssrf_target"
        ]
    );
}

#[test]
fn a_list_of_what_is_allowed_is_a_denial_and_exceptions() {
    let policy = policy(include_str!("../../config/policies/strict.toml"));
    for (tool, allowed) in [
        ("search_web", true),
        ("read_file", true),
        ("read_files", false),
        ("delete", false),
    ] {
        assert_eq!(policy.for_tool(tool).allowed(), allowed, "{tool}");
    }
    assert_eq!(policy.for_tool("search_web").effect(), Some(Effect::ReadOnly));
    assert_eq!(
        policy.for_tool("pay").ruling(Code::RepairedUnknownKey, "").action,
        Some(Action::Retry)
    );
}

#[test]
fn rules_of_single_tools() {
    let policy = policy(include_str!("../../config/policies/tools.toml"));
    assert_eq!(policy.for_tool("deployment_status").polls(), Some(true));
    let pay = policy.for_tool("pay_invoice");
    assert_eq!(pay.effect(), Some(Effect::Once));
    assert_eq!(
        pay.stages(Code::DuplicateSideEffect),
        Stages {
            note: u32::MAX,
            correct: u32::MAX,
            stop: 1
        }
    );
    assert_eq!(policy.stages(Code::DuplicateSideEffect).stop, 2);
    assert!(matches!(pay.fallback(), Some(FallbackRule::AskUser(_))));
    let Some(FallbackRule::Tool { name, arguments }) = policy.for_tool("fetch_page").fallback() else {
        panic!("no fallback tool")
    };
    assert_eq!(name, "search_web");
    let mut arguments = arguments.clone();
    arguments.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        arguments,
        [
            ("limit".to_owned(), ArgumentSource::Constant(json!(3))),
            ("query".to_owned(), ArgumentSource::Intent),
        ]
    );
    let template = policy.for_tool("save_template");
    let rule = template.argument_rules().next().expect("a rule");
    assert_eq!(rule.role(), Some(Role::Template));
    assert!(rule.covers("/text") && !rule.covers("/text/0") && !rule.covers(""));
}

#[test]
fn argument_rules_reach_every_value_of_a_pattern() {
    let policy = policy("[[tools]]\nmatch = \"t\"\n[[tools.arguments]]\npointer = \"/a/*/b~1c\"\nmax_length = 3");
    let view = policy.for_tool("t");
    let rule = view.argument_rules().next().expect("a rule");
    let arguments = json!({"a": [{"b/c": "x"}, 7, {"d": 1}, {"b/c": null}]});
    let found: Vec<String> = rule
        .values(&arguments, 100)
        .into_iter()
        .map(|(pointer, _)| pointer)
        .collect();
    assert_eq!(found, ["/a/0/b~1c", "/a/3/b~1c"]);
    assert_eq!(rule.values(&arguments, 1).len(), 1);
}

#[test]
fn all_faults_are_told_at_once() {
    let told = faults(
        r#"
        layer.value.mode = "off"
        [layers.valeu]
        mode = "off"
        [layers.schema]
        mode = "warn"
        onfault = "open"
        [codes.placehodler]
        mode = "off"
        [codes.repaired_fence]
        action = "note"
        [codes.loop_cycle]
        action = "note"
        [retry]
        max_attempts = 21
        [fallback]
        text = "a"
        stop = "b"
        [cascade]
        max_poll_ms = "1s"
        loop_cycle = { note = -1, correct = "sometimes", halt = 3 }
        wrong_type = { stop = 1 }
        [value]
        loopback = true
        allowed_hosts = ["ok.example", "not a host"]
        path_roots = ["relative", "/a/../b"]
        [semantic]
        max_result_chars = 10
        [[tools]]
        acess = "deny"
        [[tools]]
        match = "[a"
        poll = true
        [tools.fallback]
        arguments = { q = { form = "/q" } }
        [[tools.arguments]]
        pointer = "path"
        pattern = "(?=x)"
        role = "paths"
        minimum = 2
        maximum = 1
        cidr = ["10.0.0.0/33"]
        one_of = []
        "#,
    );
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn broken_toml_is_told_with_its_line() {
    assert!(faults("[retry]\nmax_attempts = = 3")[0].starts_with("line 2: "));
    assert!(faults("[retry]\n\n[retry]")[0].starts_with("line 3: "));
    let huge = format!("# {}", "x".repeat(2 << 20));
    assert_eq!(faults(&huge).len(), 1);
}

#[test]
fn rules_without_effect_are_warnings() {
    let told = warnings(
        r#"
        [cascade]
        loop_cycle = { note = 9, correct = 5, stop = 4 }
        [codes.wrong_type]
        [[tools]]
        match = "a"
        access = "deny"
        [[tools]]
        match = "b"
        [tools.fallback]
        tool = "b"
        [[tools]]
        match = "c"
        [[tools]]
        match = "d"
        codes.tool_choice_unmet = { mode = "off" }
        [[tools.arguments]]
        pointer = "/x"
        [[tools.arguments]]
        pointer = "/y"
        pattern = "^a"
        one_of = ["b", "c"]
        [[tools]]
        match = "*"
        access = "allow"
        "#,
    );
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn never_is_zero_or_the_word() {
    let policy = policy("[cascade]\nloop_cycle = { note = 0, correct = \"never\" }");
    assert_eq!(
        policy.stages(Code::LoopCycle),
        Stages {
            note: u32::MAX,
            correct: u32::MAX,
            stop: 4
        }
    );
}

const ACTIONS: [&str; 3] = ["note", "retry", "fallback"];

/// A policy with one action for a code in general, one for a tool and one for an argument; 3: nothing said.
fn with_actions(code: Code, general: usize, tool: usize, argument: usize) -> Policy {
    let said = |it: usize| {
        ACTIONS
            .get(it)
            .map_or(String::new(), |action| format!("action = \"{action}\""))
    };
    let name = code.as_str();
    let toml = format!(
        "[codes.{name}]\n{}\n[[tools]]\nmatch = \"t*\"\n[tools.codes.{name}]\n{}\n[[tools.arguments]]\npointer = \"/a\"\n[tools.arguments.codes.{name}]\n{}\n",
        said(general),
        said(tool),
        said(argument),
    );
    Policy::parse(&toml).expect(&toml).0
}

proptest! {
    /// Saying a stricter action in one place, whichever, never makes any finding's action milder.
    #[test]
    fn a_stricter_action_never_loosens(
        code in prop::sample::select(Code::ALL.iter().copied().filter(|it| it.default_action() != Action::Repair && Policy::default().stages(*it) == Stages::NEVER).collect::<Vec<_>>()),
        said in prop::array::uniform3(0_usize..3),
        place in 0_usize..3,
    ) {
        let mut stricter = said;
        stricter[place] = (said[place] + 1).min(2);
        let before = with_actions(code, said[0], said[1], said[2]);
        let after = with_actions(code, stricter[0], stricter[1], stricter[2]);
        for (tool, pointer) in [("t1", "/a"), ("t1", "/b"), ("u", "/a"), ("", "")] {
            let before = before.for_tool(tool).ruling(code, pointer);
            let after = after.for_tool(tool).ruling(code, pointer);
            prop_assert!(after.action >= before.action, "{code:?} {tool} {pointer}");
            prop_assert_eq!(after.mode, before.mode);
        }
    }

    /// Whatever a file holds, reading it ends with a policy or with faults.
    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,80}", key in "[a-z_.\\[\\]]{1,20}") {
        let _ = Policy::parse(&text);
        let _ = Policy::parse(&format!("{key} = {text}"));
        let _ = Policy::parse(&format!("[[tools]]\nmatch = '''{text}'''\n[[tools.arguments]]\npointer = '''{text}'''\npattern = '''{text}'''"));
    }
}
