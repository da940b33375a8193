//! The rules of the house that a compiler does not hold: what the core may depend on, who may import whom, how long a
//! file may be, and that the catalogue of codes is documented.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolward_core::code::Code;

/// Longest file outside tests, in lines.
const MAX_LINES: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_owned()
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("UTF-8");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "no sources under {}", folder.display());
    found
}

/// The part of a file that ships: up to its test module.
fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

#[test]
fn the_core_depends_on_no_runtime_wire_or_log() {
    let manifest = fs::read_to_string(root().join("core/Cargo.toml")).expect("the manifest");
    let dependencies = manifest.split("[dev-dependencies]").next().expect("dependencies");
    for banned in [
        "tokio", "tonic", "prost", "tracing", "metrics", "moka", "reqwest", "futures",
    ] {
        assert!(
            !dependencies.contains(&format!("\n{banned}")),
            "the core depends on {banned}"
        );
    }
}

#[test]
fn the_core_touches_no_clock_file_socket_or_thread() {
    for (path, text) in sources(&root().join("core/src")) {
        for banned in [
            "std::fs",
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "ToSocketAddrs",
            "lookup_host",
            "std::thread",
            "std::env",
            "SystemTime",
            "Instant::now",
            "now_utc",
        ] {
            assert!(!shipped(&text).contains(banned), "{} uses {banned}", path.display());
        }
    }
}

#[test]
fn layers_do_not_import_one_another() {
    let layers = ["schema", "selection", "value", "semantic", "cascade"];
    for layer in layers {
        for (path, text) in sources(&root().join("core/src/layers").join(layer)) {
            for other in layers.iter().filter(|other| **other != layer) {
                let import = format!("layers::{other}");
                assert!(!shipped(&text).contains(&import), "{} imports {import}", path.display());
            }
        }
    }
}

#[test]
fn layers_do_not_decide() {
    for (path, text) in sources(&root().join("core/src/layers")) {
        assert!(
            !shipped(&text).contains("crate::decide"),
            "{} knows decisions",
            path.display()
        );
    }
}

#[test]
fn only_decide_clears_a_call() {
    for (path, text) in sources(&root().join("core/src")) {
        let inside = path.starts_with(root().join("core/src/decide"));
        assert!(
            inside || !shipped(&text).contains("Cleared::new"),
            "{} clears a call",
            path.display()
        );
    }
}

#[test]
fn files_stay_short() {
    for room in ["core/src", "document/src", "server/src", "client/src", "proto/src"] {
        for (path, text) in sources(&root().join(room)) {
            let lines = shipped(&text).lines().count();
            assert!(lines <= MAX_LINES, "{} has {lines} lines; split it", path.display());
        }
    }
}

#[test]
fn every_code_is_documented_once() {
    let docs = fs::read_to_string(root().join("docs/codes.md")).expect("docs/codes.md");
    let headings: Vec<&str> = docs.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    for code in Code::ALL {
        let count = headings
            .iter()
            .filter(|heading| heading.trim_matches('`') == code.as_str())
            .count();
        assert_eq!(count, 1, "docs/codes.md has {count} headings for {}", code.as_str());
    }
    assert_eq!(
        headings.len(),
        Code::ALL.len(),
        "docs/codes.md has a heading that is no code"
    );
}
