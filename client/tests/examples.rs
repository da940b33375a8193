//! The documents under `examples/` are read, fit the schema, and are decided as their README says.

#![expect(clippy::expect_used, reason = "a test says what it expects")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use jsonschema::Validator;
use serde_json::{Value, json};
use toolward_document::{Line, SCHEMA};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json" || extension == "jsonl")
        })
        .collect();
    files.sort();
    files
}

/// The texts of a file's documents, as the command cuts them.
fn texts(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a file");
    if path.extension().is_some_and(|extension| extension == "json") {
        return vec![text];
    }
    text.lines().map(str::to_owned).collect()
}

fn validator(parts: &[&str]) -> Validator {
    let mut schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let refs: Vec<Value> = parts
        .iter()
        .map(|part| json!({"$ref": format!("#/$defs/{part}")}))
        .collect();
    let root = schema.as_object_mut().expect("an object");
    root.insert("anyOf".into(), Value::from(refs));
    jsonschema::draft202012::new(&schema).expect("a schema")
}

fn check(validator: &Validator, text: &str) -> Value {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let faults: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}: {text}");
    value
}

/// `file`, `id` → decision, from the README's table.
fn told() -> BTreeMap<(String, String), String> {
    let readme = fs::read_to_string(folder().join("README.md")).expect("the README");
    let rows = readme.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, file, id, decision, what, _] = <[&str; 6]>::try_from(cells).expect("a row of four cells");
        assert!(!what.is_empty(), "{id}: what does it show?");
        ((file.to_owned(), id.to_owned()), decision.to_owned())
    })
    .collect()
}

fn embedded(format: &str) -> Output {
    let policy = folder().join("policy.toml");
    Command::new(env!("CARGO_BIN_EXE_toolward"))
        .args(["check", "--embedded", "--format", format, "--policy"])
        .arg(policy)
        .args(files())
        .output()
        .expect("the command")
}

#[test]
fn the_readme_explains_each() {
    let input = validator(&["document", "toolset"]);
    let mut found = Vec::new();
    for path in files() {
        let file = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        for text in texts(&path) {
            check(&input, &text);
            match Line::read(text.as_bytes()) {
                Line::Document(document) => found.push((file.clone(), document.id.expect("an id"))),
                Line::Toolset { .. } => {}
                Line::Invalid { error, .. } => panic!("{file}: {error}"),
            }
        }
    }
    found.sort();
    let explained: Vec<(String, String)> = told().into_keys().collect();
    assert_eq!(found, explained);
}

#[test]
fn decided_as_the_readme_says() {
    let output = embedded("jsonl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = validator(&["answer"]);
    let decided: BTreeMap<String, String> = String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| {
            let answer = check(&answers, line);
            let word = |name: &str| answer.get(name).and_then(Value::as_str).expect("a word").to_owned();
            (word("id"), word("decision"))
        })
        .collect();
    let told: BTreeMap<String, String> = told().into_iter().map(|((_, id), decision)| (id, decision)).collect();
    assert_eq!(decided, told);
}

#[test]
fn the_fallback_is_the_policys() {
    let output = String::from_utf8(embedded("human").stdout).expect("UTF-8");
    let line = output
        .lines()
        .find(|line| line.contains("fallback-tool"))
        .expect("a line");
    assert!(line.ends_with("→ run search_web instead"), "{line}");
}

#[test]
fn a_policy_with_faults_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = folder.path().join("policy.toml");
    fs::write(&policy, "[retry]\nmax_attempt = 3\n").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_toolward"))
        .args(["check", "--embedded", "--policy"])
        .arg(&policy)
        .arg("-")
        .output()
        .expect("the command");
    assert_eq!(output.status.code(), Some(2));
    let report = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(report.contains("max_attempt"), "{report}");
}
