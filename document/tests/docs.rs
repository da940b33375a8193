//! `docs/check-document.md` is written from the schema: `TOOLWARD_WRITE_DOCS=1 cargo test docs` writes it anew.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{env, fmt::Write, fs, path::Path};

use serde_json::Value;
use toolward_document::SCHEMA;

const HEAD: &str = "# The check document

One natural JSON form of a check, read and written by `toolward check` and by `POST /v1/check`; the gRPC messages carry
the same facts. Its JSON Schema is `document/schema/check-document.schema.json`, from which this page is written.

A stream of documents is JSON Lines: one object a line, one answer a line in the order of the input, one answer for each
document, also for a bad one (then `decision` is `error`). A line that is not JSON gets an answer with `id: null` and its
line number, and the run goes on. A line `{\"toolset\": NAME, \"tools\": [...]}` declares tools for later documents to
name, and gets no answer.
";

fn page() -> String {
    let schema: Value = serde_json::from_str(SCHEMA).expect("a schema");
    let mut page = HEAD.to_owned();
    for (name, definition) in schema.get("$defs").and_then(Value::as_object).expect("$defs") {
        let Some(fields) = definition.get("properties").and_then(Value::as_object) else {
            continue;
        };
        let about = definition
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        write!(
            page,
            "\n## `{name}`\n\n{about}\n\n| field | type | meaning |\n|---|---|---|\n"
        )
        .expect("text");
        for (field, told) in fields {
            let meaning = told.get("description").and_then(Value::as_str).unwrap_or_default();
            writeln!(
                page,
                "| `{field}` | {} | {} |",
                shape(told),
                meaning.replace('|', "\\|")
            )
            .expect("text");
        }
    }
    page
}

/// The type of a field in a few words; null is left out, since it means absent everywhere.
fn shape(told: &Value) -> String {
    if let Some(reference) = told.get("$ref").and_then(Value::as_str) {
        return reference.trim_start_matches("#/$defs/").to_owned();
    }
    if let Some(choices) = told.get("anyOf").and_then(Value::as_array) {
        let others = choices
            .iter()
            .filter(|it| it.get("type").is_none_or(|kind| kind != "null"));
        return others.map(shape).collect::<Vec<_>>().join(" or ");
    }
    if let Some(choices) = told.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = choices
            .iter()
            .filter(|it| !it.is_null())
            .map(|it| format!("`{}`", text(it)))
            .collect();
        return words.join(" · ");
    }
    let kind = match told.get("type") {
        Some(Value::Array(kinds)) => kinds
            .iter()
            .filter(|kind| *kind != "null")
            .map(text)
            .collect::<Vec<_>>()
            .join(" or "),
        Some(kind) => text(kind),
        None => "any".to_owned(),
    };
    match told.get("items") {
        Some(items) if items.get("$ref").is_some() || items.get("type").is_some() => {
            format!("{kind} of {}", shape(items))
        }
        _ => kind,
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[test]
fn docs_of_the_document_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/check-document.md");
    if env::var_os("TOOLWARD_WRITE_DOCS").is_some() {
        fs::write(&path, page()).expect("written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/check-document.md is not what the schema says: run `just docs`"
    );
}
