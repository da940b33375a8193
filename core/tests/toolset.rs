//! Tool definitions: every shape, every dialect (`cases/dialects.jsonl`), names (`cases/names.jsonl`), and the hostile
//! ones that must cost little.

#![expect(clippy::expect_used, reason = "a test says so when it is wrong")]

use std::{thread, time::Duration};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolward_core::{
    limits::{Limits, Reason},
    tools::{Affordable, DiagnosticCode, Resolution, Schema, Shape, ToolKind, ToolSet},
};

fn read(tools: &Value) -> ToolSet {
    ToolSet::read(tools.to_string().as_bytes(), &Limits::default()).expect("tools")
}

fn names(tools: &ToolSet) -> Vec<&str> {
    tools.tools().iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn every_shape_says_the_same() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let (name, about) = ("count", "Counts");
    for (definition, shape) in [
        (
            json!({"type": "function", "function": {"name": name, "description": about, "parameters": schema}}),
            Shape::OpenaiChat,
        ),
        (
            json!({"type": "function", "name": name, "description": about, "parameters": schema, "strict": true}),
            Shape::OpenaiResponses,
        ),
        (
            json!({"name": name, "description": about, "input_schema": schema}),
            Shape::Anthropic,
        ),
        (
            json!({"type": "custom", "name": name, "description": about, "input_schema": schema}),
            Shape::Anthropic,
        ),
        (
            json!({"functionDeclarations": [{"name": name, "description": about, "parameters": schema}]}),
            Shape::Gemini,
        ),
        (
            json!({"name": name, "description": about, "parametersJsonSchema": schema}),
            Shape::Gemini,
        ),
        (
            json!({"name": name, "description": about, "inputSchema": schema}),
            Shape::Mcp,
        ),
        (
            json!({"toolSpec": {"name": name, "description": about, "inputSchema": {"json": schema}}}),
            Shape::Bedrock,
        ),
        (
            json!({"name": name, "description": about, "parameters": schema}),
            Shape::Bare,
        ),
    ] {
        let tools = read(&json!([definition]));
        assert_eq!(names(&tools), [name], "{definition}");
        let tool = &tools.tools()[0];
        assert_eq!(tool.description, about, "{definition}");
        assert_eq!(tool.kind, ToolKind::Function, "{definition}");
        assert_eq!(tool.shape, shape, "{definition}");
        assert_eq!(tool.input.source(), &schema, "{definition}");
        assert!(tool.requires("n") && !tool.requires("m"));
        assert_eq!(tool.property("n"), Some(&json!({"type": "integer"})));
        assert_eq!(tool.properties().count(), 1);
    }
}

#[test]
fn lists_are_found_in_their_wrappers() {
    let tool = json!({"name": "a", "inputSchema": {"type": "object"}});
    for wrapped in [
        json!([tool]),
        json!({"tools": [tool]}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool], "nextCursor": "x"}}),
        json!({"functionDeclarations": [tool]}),
        json!([{"tools": [tool]}]),
    ] {
        assert_eq!(names(&read(&wrapped)), ["a"], "{wrapped}");
    }
}

#[test]
fn mcp_tools_bring_hints_and_an_output_schema() {
    let tools = read(&json!([{"name": "a", "inputSchema": {"type": "object"},
        "outputSchema": {"type": "object", "required": ["ok"]},
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": "yes"}}]));
    let tool = &tools.tools()[0];
    assert_eq!(
        (tool.hints.read_only, tool.hints.destructive, tool.hints.idempotent),
        (Some(true), Some(false), None)
    );
    let output = tool.output.as_ref().expect("an output schema");
    assert!(output.is_valid(&json!({"ok": 1})) && !output.is_valid(&json!({})));
}

#[test]
fn tools_without_a_schema_have_their_kind() {
    for (definition, name, kind) in [
        (
            json!({"type": "custom", "name": "sh", "format": {"type": "text"}}),
            "sh",
            ToolKind::Custom,
        ),
        (
            json!({"type": "custom", "custom": {"name": "sh"}}),
            "sh",
            ToolKind::Custom,
        ),
        (json!({"type": "web_search"}), "web_search", ToolKind::Hosted),
        (
            json!({"type": "web_search_20250305", "name": "web_search"}),
            "web_search",
            ToolKind::Hosted,
        ),
        (
            json!({"type": "bash_20250124", "name": "bash"}),
            "bash",
            ToolKind::Function,
        ),
        (json!({"googleSearch": {}}), "googleSearch", ToolKind::Hosted),
        (
            json!({"type": "function", "function": {"name": "now"}}),
            "now",
            ToolKind::Function,
        ),
    ] {
        let tools = read(&json!([definition]));
        assert_eq!(names(&tools), [name], "{definition}");
        assert_eq!(tools.tools()[0].kind, kind, "{definition}");
    }
}

#[test]
fn an_unreadable_definition_spoils_only_itself() {
    let deep = format!(
        "{{\"name\": \"deep\", \"parameters\": {}1{}}}",
        "[".repeat(500),
        "]".repeat(500)
    );
    let text = format!(r#"[{{"name": "a"}}, 7, {{}}, {{"name": ""}}, {{"name": 1}}, {deep}, {{"name": "b"}}]"#);
    let tools = ToolSet::read(text.as_bytes(), &Limits::default()).expect("tools");
    assert_eq!(names(&tools), ["a", "b"]);
    let unread: Vec<usize> = tools
        .diagnose()
        .iter()
        .filter(|found| found.code == DiagnosticCode::DefinitionUnreadable)
        .map(|found| found.index)
        .collect();
    assert_eq!(unread, [1, 2, 3, 4, 5]);
}

#[test]
fn what_is_no_list_is_refused_and_so_is_too_much() {
    for text in [
        "7",
        "\"tools\"",
        "{}",
        "{\"tools\": 1}",
        "[",
        "[{]",
        "\u{feff}[]",
        "nul",
    ] {
        let refusal = ToolSet::read(text.as_bytes(), &Limits::default()).expect_err(text);
        assert_eq!(refusal.reason, Reason::ToolsInvalid, "{text}");
    }
    assert_eq!(
        ToolSet::read(b"[\"\xff\"]", &Limits::default())
            .expect_err("bytes")
            .reason,
        Reason::ToolsInvalid
    );
    let limits = Limits {
        max_tools: 2,
        max_tools_bytes: 60,
        ..Limits::default()
    };
    for (text, reason) in [
        (r#"[{"name":"a"},{"name":"b"},{"name":"c"}]"#, Reason::TooManyTools),
        (
            r#"[{"functionDeclarations":[{"name":"a"},{},{}]}]"#,
            Reason::TooManyTools,
        ),
        (
            r#"[{"name":"a","description":"0123456789012345678901234567890123456789"}]"#,
            Reason::ToolsTooLarge,
        ),
    ] {
        assert_eq!(ToolSet::read(text.as_bytes(), &limits).expect_err(text).reason, reason);
    }
    assert_eq!(
        ToolSet::read(br#"[{"name":"a"},{"name":"b"}]"#, &limits)
            .expect("tools")
            .tools()
            .len(),
        2
    );
}

#[test]
fn the_reference_is_the_content() {
    for text in ["", " ", "null", "[]", "{\"tools\": []}"] {
        let tools = ToolSet::read(text.as_bytes(), &Limits::default()).expect("no tools");
        assert_eq!((tools.reference(), tools.tools().len()), ("", 0), "{text}");
    }
    let reference = |text: &str| {
        ToolSet::read(text.as_bytes(), &Limits::default())
            .expect("tools")
            .reference()
            .to_owned()
    };
    let one = reference(r#"[{"name":"a"}]"#);
    assert!(one.len() == 35 && one.starts_with("ts_"), "{one}");
    assert_eq!(one, reference(r#"[{"name":"a"}]"#));
    assert_ne!(one, reference(r#"[{"name":"b"}]"#));
}

#[test]
fn dialects() {
    for line in include_str!("cases/dialects.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect(line);
        let tools = read(&json!([{"name": "t", "parameters": case["parameters"]}]));
        let input = &tools.tools()[0].input;
        assert_eq!(input.fault(), None, "{case}");
        for value in case["fits"].as_array().expect("fits") {
            assert!(
                input.is_valid(value),
                "{} should take {value}: {}",
                case["case"],
                input.source()
            );
        }
        for value in case["breaks"].as_array().expect("breaks") {
            assert!(
                !input.is_valid(value),
                "{} should not take {value}: {}",
                case["case"],
                input.source()
            );
        }
    }
}

#[test]
fn resolution() {
    for line in include_str!("cases/names.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect(line);
        let listed = case["tools"].as_array().expect("tools");
        let tools = read(&listed.iter().map(|name| json!({"name": name})).collect());
        let found = match tools.resolve(case["name"].as_str().expect("a name")) {
            Resolution::Exact(at) => json!(["exact", tools.tools()[at].name]),
            Resolution::Respelt(at) => json!(["respelt", tools.tools()[at].name]),
            Resolution::Ambiguous(among) if among.len() > 1 => json!(["ambiguous"]),
            Resolution::Ambiguous(among) => panic!("{case}: ambiguous among {among:?}"),
            Resolution::Unknown => json!(["unknown"]),
        };
        assert_eq!(found, case["is"], "{case}");
    }
}

#[test]
fn near_names_are_told() {
    let many: Vec<Value> = (0..10_000)
        .map(|n| json!({"name": format!("tool_{n}_of_many")}))
        .collect();
    let tools = read(&Value::Array(
        [
            many,
            vec![json!({"name": "get_weather"}), json!({"name": "get_whether"})],
        ]
        .concat(),
    ));
    assert_eq!(tools.nearest("get_wether", 2), ["get_weather", "get_whether"]);
    assert!(tools.nearest("zzzzzz", 3).is_empty());
    assert!(ToolSet::empty().nearest("a", 3).is_empty());
}

#[test]
fn duplicates_look_alikes_and_bad_schemas_are_diagnosed() {
    let tools = read(&json!([
        {"name": "a_b"}, {"name": "a_b"}, {"name": "A-B"},
        {"name": "c", "parameters": {"type": "object", "properties": {"p": {"type": "string", "pattern": "("}}}},
        {"name": "d", "parameters": {"$ref": "https://example.com/d.json"}}, {"name": "e"}]));
    let found: Vec<(usize, DiagnosticCode)> = tools.diagnose().iter().map(|found| (found.index, found.code)).collect();
    assert_eq!(
        found,
        [
            (1, DiagnosticCode::DuplicateName),
            (2, DiagnosticCode::AmbiguousName),
            (3, DiagnosticCode::SchemaInvalid),
            (4, DiagnosticCode::SchemaInvalid),
        ]
    );
    assert_eq!(tools.resolve("a_b"), Resolution::Exact(0));
}

fn schema(schema: Value) -> Schema {
    let bytes = schema.to_string().len();
    Schema::new(schema, bytes, &Limits::default())
}

/// `$defs` in which each of `levels` schemas is made of the next.
fn chain(levels: usize, link: impl Fn(Value) -> Value) -> Value {
    let mut definitions = Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        definitions.insert(format!("l{level}"), link(next));
    }
    definitions.insert(format!("l{levels}"), json!({"type": "integer"}));
    json!({"$ref": "#/$defs/l0", "$defs": definitions})
}

#[test]
fn schemas_that_multiply_are_refused() {
    for combinator in ["anyOf", "oneOf", "allOf"] {
        let bomb = |levels| chain(levels, |next| json!({ combinator: [next.clone(), next] }));
        assert_eq!(schema(bomb(8)).fault(), None, "{combinator}");
        assert!(schema(bomb(32)).fault().is_some(), "{combinator}");
        assert!(schema(bomb(32)).validator().is_none(), "{combinator}");
    }
    let by_property = chain(
        32,
        |next| json!({"anyOf": [{"properties": {"a": next}}, {"properties": {"a": next}}]}),
    );
    assert!(matches!(
        schema(by_property).affordable(30, 30),
        Affordable::TooDeep { .. }
    ));
    // Many properties that share schemas cost nothing: each is visited for its own property only.
    let wide = chain(30, |next| json!({"properties": {"a": next, "b": next, "c": next}}));
    assert_eq!(schema(wide).fault(), None);
}

#[test]
fn a_recursive_schema_that_multiplies_bounds_the_depth() {
    let twice = schema(json!({"$ref": "#/$defs/n", "$defs": {"n": {"anyOf": [
        {"type": "object", "properties": {"k": {"$ref": "#/$defs/n"}, "a": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"k": {"$ref": "#/$defs/n"}, "b": {"type": "string"}}, "required": ["b"]}]}}}));
    assert_eq!(twice.fault(), None);
    assert_eq!(twice.affordable(5, 10), Affordable::Yes);
    assert!(matches!(twice.affordable(60, 60), Affordable::TooDeep { .. }));
    let tree = schema(
        json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {
        "kids": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}}}),
    );
    assert_eq!(tree.affordable(100, 10_000), Affordable::Yes);
}

#[test]
fn long_chains_do_not_exhaust_the_stack() {
    let links: [fn(Value) -> Value; 3] = [
        |next| next,
        |next| json!({"properties": {"a": next}}),
        |next| json!({"allOf": [next]}),
    ];
    for link in links {
        for levels in [10, 35, 70, 150, 20_000] {
            let run = move || {
                let schema = schema(chain(levels, link));
                let mut value = json!("x");
                for _ in 0..levels.min(100) {
                    value = json!({ "a": value });
                }
                schema.is_valid(&value);
                schema.fault().is_none()
            };
            let thread = thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread");
            let usable = thread.join().expect("no overflow");
            assert!(!usable || levels < 20_000, "{levels}");
        }
    }
}

#[test]
fn deep_values_of_recursive_schemas_do_not_exhaust_the_stack() {
    let run = || {
        let mut recursive = json!({"properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["b"]});
        for _ in 0..18 {
            recursive = json!({"allOf": [recursive], "type": "object"});
        }
        let schema = schema(json!({"$ref": "#/$defs/n", "$defs": {"n": recursive}}));
        let mut value = json!({});
        for _ in 0..100 {
            value = json!({"a": value, "b": 1});
        }
        let errors = schema
            .validator()
            .map(|validator| validator.iter_errors(&value).count());
        (schema.is_valid(&value), errors)
    };
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread");
    assert_eq!(thread.join().expect("no overflow"), (false, Some(1)));
}

#[test]
fn cycles_end() {
    for cycle in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"properties": {"a": {"$ref": "#"}}, "anyOf": [{"$ref": "#"}, {"$ref": "#"}]}),
    ] {
        let schema = schema(cycle);
        schema.is_valid(&json!({"a": {"a": {}}}));
    }
}

#[test]
fn patterns_are_bounded() {
    let pattern = |pattern: &str| schema(json!({"properties": {"s": {"pattern": pattern}}}));
    let long = json!({"s": format!("{}!", "a".repeat(50_000))});
    let start = std::time::Instant::now();
    for hostile in [
        "^(a+)+$",
        "^(a|aa)+\\1$",
        "^(?=(a+)+$)a+b$",
        "(a{1000}){1000}",
        "(((((a*)*)*)*)*)*$",
    ] {
        pattern(hostile).is_valid(&long);
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(pattern("^(a+)+$").validator().is_some());
    assert!(!pattern("^(a+)+$").is_valid(&long));
    assert!(pattern(&"a".repeat(5000)).fault().is_some());
    let many: Map<String, Value> = (0..500).map(|n| (format!("p{n}"), json!({"pattern": "^a$"}))).collect();
    assert!(schema(json!({ "properties": many })).fault().is_some());
}

#[test]
fn numbers_of_any_size_are_compared() {
    let bounded = schema(json!({"properties": {"n": {"type": "integer", "maximum": 10, "multipleOf": 3}}}));
    for (text, fits) in [
        (r#"{"n": 9}"#, true),
        (r#"{"n": 1e999999999}"#, false),
        (r#"{"n": 36893488147419103233}"#, false),
        (r#"{"n": -36893488147419103233}"#, true),
    ] {
        let value: Value = serde_json::from_str(text).expect(text);
        assert_eq!(bounded.is_valid(&value), fits, "{text}");
    }
}

proptest! {
    /// Any JSON as a list of tools, or as a schema, is read without a panic.
    #[test]
    fn any_json_is_read(schemas in prop::collection::vec(any_schema(), 0..4)) {
        let list: Vec<Value> = schemas.iter().map(|schema| json!({"name": "t", "parameters": schema})).collect();
        let tools = read(&Value::Array(list));
        tools.diagnose();
        for tool in tools.tools() {
            tool.input.is_valid(&json!({"a": [1, "x", null], "type": "b"}));
        }
        let _ = ToolSet::read(Value::Array(schemas).to_string().as_bytes(), &Limits::default());
    }

    /// Bringing a schema to the standard twice changes nothing more.
    #[test]
    fn the_standard_form_is_final(any in any_schema()) {
        let once = schema(any).source().clone();
        let twice = schema(once.clone());
        prop_assert_eq!(twice.source(), &once);
    }
}

fn any_schema() -> impl Strategy<Value = Value> {
    let words = vec![
        "string",
        "dict",
        "INTEGER",
        "any",
        "list[str]",
        "object",
        "#/$defs/a",
        "#",
        "^a+$",
        "(",
        "date",
        "a",
        "true",
        "3",
        "http://json-schema.org/draft-04/schema#",
    ];
    let keys = vec![
        "type",
        "properties",
        "items",
        "required",
        "enum",
        "const",
        "nullable",
        "exclusiveMinimum",
        "minimum",
        "anyOf",
        "allOf",
        "oneOf",
        "not",
        "$ref",
        "$defs",
        "a",
        "pattern",
        "format",
        "additionalProperties",
        "$schema",
        "$id",
        "default",
        "name",
        "function",
        "parameters",
        "prefixItems",
        "additionalItems",
        "maxItems",
        "description",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..9).prop_map(Value::from),
        prop::sample::select(words).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(prop::sample::select(keys.clone()), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}
