//! Schema and types name the same fields and words.

use serde_json::Value;

use crate::{
    ArgumentsEcho, Call, Decision, Document, FallbackKind, Format, Layer, LayerOutcome, Options, Repair, RunMode,
    SCHEMA, Severity, Step, ToolResult,
};

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

#[test]
fn fields_of_the_input() {
    let schema = schema();
    let check = |name: &str, expect: &[&str]| {
        let properties = schema["$defs"][name]["properties"].as_object().expect("properties");
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        assert_eq!(names, expect, "{name}");
    };
    check("document", Document::FIELDS);
    check("step", Step::FIELDS);
    check("call", Call::FIELDS);
    check("result", ToolResult::FIELDS);
    check("options", Options::FIELDS);
}

#[test]
fn words() {
    let schema = schema();
    let check = |pointer: &str, before: &[&str], words: Vec<&str>| {
        let listed = schema.pointer(pointer).and_then(Value::as_array).expect("an enum");
        let listed: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
        assert_eq!(listed, [before, &words].concat(), "{pointer}");
    };
    macro_rules! words {
        ($name:ident) => {
            $name::ALL.iter().map(|value| value.as_str()).collect()
        };
    }
    check("/$defs/document/properties/format/enum", &["auto"], words!(Format));
    check("/$defs/layer/enum", &[], words!(Layer));
    check("/$defs/decision/enum", &[], words!(Decision));
    check("/$defs/finding/properties/severity/enum", &[], words!(Severity));
    check("/$defs/layer_answer/properties/outcome/enum", &[], words!(LayerOutcome));
    check("/$defs/fallback/properties/kind/enum", &[], words!(FallbackKind));
    check("/$defs/options/properties/repair/enum", &[], words!(Repair));
    check("/$defs/options/properties/mode/enum", &[], words!(RunMode));
    check("/$defs/options/properties/arguments/enum", &[], words!(ArgumentsEcho));
}
