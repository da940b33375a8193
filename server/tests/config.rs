//! The configuration from the outside: example files, faults, the environment.

#![expect(clippy::unwrap_used, reason = "what a test needs and does not get ends it")]

use std::{fs, path::Path, path::PathBuf};

use toolward_server::config::{Config, ConfigFaults, JudgeBackend, LogFormat};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../config").join(name)
}

fn nothing() -> impl Iterator<Item = (String, String)> {
    std::iter::empty()
}

fn vars(pairs: &[(&str, &str)]) -> impl Iterator<Item = (String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect::<Vec<_>>()
        .into_iter()
}

fn load(text: &str, env: &[(&str, &str)]) -> Result<Config, ConfigFaults> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.toml");
    fs::write(&file, text).unwrap();
    Config::load(Some(&file), vars(env)).map_err(|faults| ConfigFaults {
        origin: "server.toml".into(),
        ..faults
    })
}

#[test]
fn the_annotated_example_holds_every_key_and_its_default() {
    let config = Config::load(Some(&example("server.toml")), nothing()).unwrap();
    assert_eq!(config, Config::default());
    let text = fs::read_to_string(example("server.toml")).unwrap();
    for key in Config::keys() {
        let (_, name) = key.rsplit_once('.').unwrap();
        let said = text
            .lines()
            .any(|line| line.trim_start_matches("# ").starts_with(&format!("{name} = ")));
        assert!(said, "config/server.toml does not show {key}");
    }
}

#[test]
fn every_example_file_loads() {
    for entry in fs::read_dir(example("")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("server")
            && name.ends_with(".toml")
            && let Err(faults) = Config::load(Some(&path), nothing())
        {
            panic!("{faults}");
        }
    }
    let container = Config::load(Some(&example("server.container.toml")), nothing()).unwrap();
    assert!(container.listen.grpc.ip().is_unspecified() && container.listen.http.ip().is_unspecified());
    assert_eq!(container.log.format, LogFormat::Json);
}

#[test]
fn without_a_file_the_defaults_hold() {
    assert_eq!(
        Config::load(None, vars(&[("PATH", "/bin"), ("TOOLWARD_OTHER", "1")])).unwrap(),
        Config::default()
    );
}

#[test]
fn every_fault_is_told_at_once() {
    let text = r#"
        [listen]
        grpc = "localhost"
        htp = "127.0.0.1:1"
        [limits]
        max_tools = 0
        max_calls = "many"
        max_toolz_bytes = 3
        [policy]
        default = 7
        [policy.named]
        default = "p.toml"
        [judge]
        backend = "openai"
        url = "ftp://judge"
        timeout_ms = 10000
        [log]
        format = "xml"
        [surprise]
        key = 1
    "#;
    let faults = load(
        text,
        &[("TOOLWARD__SESSIONS__MAX", "lots"), ("TOOLWARD__SESIONS__IDLE_S", "1")],
    )
    .unwrap_err();
    let report = "\
the configuration cannot be used (server.toml):
  listen.grpc: must be an IP address with a port, like \"127.0.0.1:50051\"
  limits.max_tools: must be a whole number from 1 to 1000000
  limits.max_calls: must be a whole number from 1 to 10000
  policy.default: must be a text that is not empty
  policy.named.default: this name is the default policy's: use policy.default
  judge.url: must be an http or https URL without user, query or fragment, like \"http://127.0.0.1:8000/v1\"
  judge.model: is needed with judge.backend = \"openai\"
  TOOLWARD__SESSIONS__MAX: must be a whole number from 1 to 100000000
  log.format: must be one of \"text\", \"json\"
  judge.timeout_ms: must be less than limits.request_timeout_ms, which is 10000
  limits.max_toolz_bytes: unknown key; did you mean `limits.max_tools_bytes`?
  listen.htp: unknown key; did you mean `listen.http`?
  surprise.key: unknown key
  TOOLWARD__SESIONS__IDLE_S: unknown key; did you mean `sessions.idle_s`?";
    let sorted = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    assert_eq!(sorted(&faults.to_string()), sorted(report));
}

#[test]
fn broken_toml_is_told_with_its_line() {
    let faults = load("[listen]\ngrpc = \"127.0.0.1:1\"\nhttp = [1,\n", &[])
        .unwrap_err()
        .to_string();
    assert!(
        faults.contains("line 3: not TOML") || faults.contains("line 4: not TOML"),
        "{faults}"
    );
}

#[test]
fn a_missing_file_is_told() {
    let faults = Config::load(Some(Path::new("/nowhere/server.toml")), nothing())
        .unwrap_err()
        .to_string();
    assert!(
        faults.contains("/nowhere/server.toml") && faults.contains("cannot be read"),
        "{faults}"
    );
}

#[test]
fn the_environment_stands_over_the_file() {
    let config = load(
        "[limits]\nmax_tools = 5\n[log]\nformat = \"xml\"",
        &[
            ("TOOLWARD__LIMITS__MAX_TOOLS", "7"),
            ("TOOLWARD__LOG__FORMAT", "json"),
            ("TOOLWARD__JUDGE__BACKEND", "openai"),
            ("TOOLWARD__JUDGE__URL", "http://127.0.0.1:8000/v1"),
            // Text that looks like a number stays text.
            ("TOOLWARD__JUDGE__MODEL", "4"),
            ("TOOLWARD__POLICY__NAMED__STRICT", "/etc/strict.toml"),
        ],
    )
    .unwrap();
    assert_eq!(config.limits.core.max_tools, 7);
    assert_eq!(config.log.format, LogFormat::Json);
    let JudgeBackend::OpenAi { model, .. } = &config.judge.backend else {
        panic!("the judge is off")
    };
    assert_eq!(model, "4");
    assert_eq!(
        config.policy.named.get("strict"),
        Some(&PathBuf::from("/etc/strict.toml"))
    );
}

#[test]
fn paths_are_relative_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.toml");
    fs::write(
        &file,
        "[policy]\ndefault = \"a.toml\"\n[policy.named]\nb = \"/b.toml\"\n",
    )
    .unwrap();
    let config = Config::load(Some(&file), nothing()).unwrap();
    assert_eq!(config.policy.default, Some(folder.path().join("a.toml")));
    assert_eq!(config.policy.named.get("b"), Some(&PathBuf::from("/b.toml")));
}
