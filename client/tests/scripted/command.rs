//! The built command against a scripted service: what it prints, how it ends, and in which order it asks.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write},
};

use crate::support::{Scripted, command, text, toolward};
use serde_json::Value;
use toolward_client::v1::check_request::Tools;

fn answers(output: &[u8]) -> Vec<Value> {
    text(output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn ids_and_ends(output: &[u8]) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    answers(output)
        .iter()
        .map(|answer| {
            let end = answer.pointer("/error/reason").unwrap_or(&answer["decision"]);
            (word(&answer["id"]), word(end))
        })
        .collect()
}

const MIXED: &str = concat!(
    "\u{feff}{\"toolset\":\"w\",\"tools\":[{\"name\":\"get_weather\"}]}\r\n",
    "{\"id\":\"1\",\"tools\":\"w\",\"candidate\":\"x\"}\r\n",
    "\n",
    "nope\n",
    "{\"id\":\"2\",\"intent\":\"repaired\",\"tools\":\"w\"}\n",
    "{\"id\":\"3\",\"intent\":\"retry\"}\n",
    "{\"id\":\"4\",\"intent\":\"fallback\"}\n",
    "{\"id\":\"5\",\"intent\":\"invalid\"}\n",
    "{\"id\":\"6\",\"formt\":\"text\"}\n",
    "{\"id\":7}\n",
    "{\"id\":\"8\"}",
);

#[test]
fn json_lines() {
    let service = Scripted::start();
    let output = service.check(&["-"], MIXED);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
    insta::assert_snapshot!(text(&output.stdout));
}

#[test]
fn human() {
    let service = Scripted::start();
    let shown = |arguments: &[&str]| {
        let output = service.check(arguments, MIXED);
        assert_eq!(output.status.code(), Some(0));
        let text = text(&output.stdout);
        let (table, timed) = text.rsplit_once("\n\n").expect("a last line");
        assert!(
            timed.starts_with("9 documents, 5 calls in ") && timed.contains("latency p50"),
            "{timed}"
        );
        table.to_owned()
    };
    insta::assert_snapshot!(shown(&["--format", "human", "-"]));
    let colored = shown(&["--format", "human", "--color", "always", "-"]);
    insta::assert_snapshot!(colored.replace('\u{1b}', "^"));
}

#[test]
fn help() {
    let output = toolward(&["check", "--help"], b"");
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(text(&output.stdout));
    let output = toolward(&["--help"], b"");
    insta::assert_snapshot!(text(&output.stdout));
}

#[test]
fn exit_status() {
    let service = Scripted::start();
    let code = |arguments: &[&str], input: &str| service.check(arguments, input).status.code();
    let (good, retry, fallback) = (
        r#"{"intent":"repaired"}"#,
        r#"{"intent":"retry"}"#,
        r#"{"intent":"fallback"}"#,
    );
    assert_eq!(code(&["-"], MIXED), Some(0));
    assert_eq!(code(&["--strict", "-"], good), Some(0));
    assert_eq!(code(&["--strict", "-"], ""), Some(0));
    assert_eq!(code(&["--strict", "-"], retry), Some(3));
    assert_eq!(code(&["--strict", "-"], &format!("{good}\n{fallback}")), Some(3));
    assert_eq!(code(&["--strict", "-"], &format!("{retry}\nnope")), Some(4));
    assert_eq!(code(&["--strict", "-"], r#"{"intent":"invalid"}"#), Some(4));
    assert_eq!(code(&["--concurrency", "0", "-"], ""), Some(2));
    assert_eq!(code(&["--policy", "p.toml", "-"], ""), Some(2));
    assert_eq!(code(&[], ""), Some(2));
    let missing = service.check(&["/nowhere/at.jsonl"], "");
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).starts_with("toolward: /nowhere/at.jsonl: "));
}

#[test]
fn no_connection() {
    // A port that was just free.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address");
    let output = toolward(&["check", "--addr", &format!("http://{port}"), "-"], b"{}\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with(&format!("toolward: no connection to http://{port}: ")));
    let output = toolward(&["check", "--addr", "https://127.0.0.1:1", "-"], b"{}\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("must begin with http://"));
}

#[test]
fn whole_files() {
    let service = Scripted::start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("a file");
        path.to_str().expect("a path").to_owned()
    };
    let pretty = file("pretty.json", "{\n  \"id\": \"p\",\n  \"intent\": \"retry\"\n}\n");
    let array = file("array.json", "[ {\"id\":\"a\"},\n {\"id\":\"b\"}, {\"no\":1} ]");
    let lines = file("lines.jsonl", "{\"id\":\"l\"}\nnope\n");
    let output = service.check(&[&pretty, &array, &lines], "");
    let all = answers(&output.stdout);
    let expect = [
        ("p", "retry"),
        ("a", "pass"),
        ("b", "pass"),
        ("-", "FIELD_UNKNOWN"),
        ("l", "pass"),
        ("-", "DOCUMENT_NOT_JSON"),
    ];
    let expect = expect.map(|(id, end)| (id.to_owned(), end.to_owned()));
    assert_eq!(ids_and_ends(&output.stdout), expect);
    let message = all
        .last()
        .and_then(|answer| answer.pointer("/error/message"))
        .and_then(Value::as_str);
    assert!(message.expect("a message").starts_with(&format!("{lines} line 2: ")));
}

#[test]
fn many_in_flight_answered_in_order() {
    let service = Scripted::start();
    let mut input = String::new();
    for number in 0..3000 {
        let session = if number % 3 == 0 {
            format!(",\"session_id\":\"s{}\"", number % 5)
        } else {
            String::new()
        };
        let _ = writeln!(input, "{{\"id\":\"{number}\"{session}}}");
    }
    let output = service.check(&["--concurrency", "8", "-"], &input);
    let ids: Vec<String> = ids_and_ends(&output.stdout).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, (0..3000).map(|number| number.to_string()).collect::<Vec<_>>());
    service.seen(|seen| {
        assert_eq!((seen.checks.len(), seen.overlaps), (3000, 0));
        assert!((2..=8).contains(&seen.busiest), "{}", seen.busiest);
        for session in 0..5 {
            let session = format!("s{session}");
            let of_session = seen
                .checks
                .iter()
                .filter(|check| check.session_id.as_ref() == Some(&session));
            let order: Vec<u32> = of_session
                .filter_map(|check| check.request_id.as_ref()?.parse().ok())
                .collect();
            assert!(order.is_sorted() && !order.is_empty(), "{session}: {order:?}");
        }
    });
}

#[test]
fn toolsets_are_registered_once() {
    let service = Scripted::start();
    let input = concat!(
        "{\"toolset\":\"a\",\"tools\":[1]}\n{\"toolset\":\"unused\",\"tools\":[2]}\n",
        "{\"id\":\"1\",\"tools\":\"a\"}\n{\"id\":\"2\",\"tools\":\"a\",\"intent\":\"forgotten\"}\n",
        "{\"id\":\"3\",\"tools\":\"elsewhere\"}\n",
        "{\"toolset\":\"a\",\"tools\":[3]}\n{\"id\":\"4\",\"tools\":\"a\"}\n",
        "{\"toolset\":\"r\",\"tools\":[\"refused\"]}\n{\"id\":\"5\",\"tools\":\"r\"}\n",
        "{\"id\":\"6\",\"tools\":\"gone\",\"intent\":\"forgotten\"}\n",
    );
    let output = service.check(&["--concurrency", "1", "-"], input);
    let ends = ids_and_ends(&output.stdout);
    assert_eq!(ends.last(), Some(&("6".to_owned(), "TOOLSET_UNKNOWN".to_owned())));
    assert_eq!(ends.len(), 6);
    service.seen(|seen| {
        let mut registered: Vec<&[u8]> = seen
            .registered
            .iter()
            .map(|request| request.tools_json.as_ref())
            .collect();
        registered.sort_unstable();
        assert_eq!(registered, [b"[\"refused\"]".as_slice(), b"[1]", b"[3]"]);
        let named = |id: &str| -> Vec<Option<Tools>> {
            let of_id = seen
                .checks
                .iter()
                .filter(|check| check.request_id.as_deref() == Some(id));
            of_id.map(|check| check.tools.clone()).collect()
        };
        let reference =
            |tools: &[Option<Tools>]| matches!(tools, [Some(Tools::ToolsetRef(name))] if name.starts_with("ref-"));
        assert!(reference(&named("1")) && reference(&named("4")));
        let inline = |text: &'static [u8]| Some(Tools::ToolsJson(text.into()));
        assert!(matches!(named("2").as_slice(), [Some(Tools::ToolsetRef(_)), sent] if *sent == inline(b"[1]")));
        assert_eq!(named("3"), [Some(Tools::ToolsetRef("elsewhere".into()))]);
        assert_eq!(named("5"), [inline(b"[\"refused\"]")]);
    });
}

#[test]
fn faults_of_the_service_become_answers() {
    let service = Scripted::start();
    let input = concat!(
        "{\"id\":\"1\",\"intent\":\"down once\"}\n{\"id\":\"2\",\"intent\":\"hang\"}\n",
        "{\"id\":\"3\",\"intent\":\"no reason\"}\n{\"id\":\"4\"}\n",
    );
    let output = service.check(&["--deadline-ms", "1500", "-"], input);
    assert_eq!(output.status.code(), Some(0));
    let expect = [
        ("1", "pass"),
        ("2", "DEADLINE_EXCEEDED"),
        ("3", "INTERNAL"),
        ("4", "pass"),
    ];
    assert_eq!(
        ids_and_ends(&output.stdout),
        expect.map(|(id, end)| (id.to_owned(), end.to_owned()))
    );
}

#[test]
fn whoever_waits_for_an_answer_gets_it() {
    let service = Scripted::start();
    let mut child = command(&["check", "--addr", &service.endpoint, "-"])
        .spawn()
        .expect("the command");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for document in ["{\"id\":\"1\"}\n", "{\"cut\": {\n", "{\"id\":\"2\"}\n"] {
        stdin.write_all(document.as_bytes()).expect("a reader");
        stdin.flush().expect("a reader");
        assert!(lines.next().expect("an answer").expect("text").starts_with("{\"id\":"));
    }
    drop(stdin);
    assert!(lines.next().is_none());
    assert!(child.wait().expect("an end").success());
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let service = Scripted::start();
    let mut child = command(&["check", "--addr", &service.endpoint, "-"])
        .spawn()
        .expect("the command");
    let mut stdin = child.stdin.take().expect("a pipe");
    let feeder = std::thread::spawn(move || {
        // Ends when the command does.
        while stdin.write_all(b"{\"id\":\"again\"}\n").is_ok() {}
    });
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut [0; 5]).expect("a beginning");
    drop(stdout);
    let output = child.wait_with_output().expect("an end");
    feeder.join().expect("the feeder");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}
