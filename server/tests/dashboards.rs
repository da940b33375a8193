//! Every metric and label of a dashboard, rule or alert exists.

#![expect(clippy::unwrap_used, reason = "what a test needs and does not get ends it")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolward_server::telemetry::catalogue::{self, Kind};

/// Labels that Prometheus or a histogram adds.
const ADDED: [&str; 3] = ["le", "job", "instance"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Every name that a scrape can show.
fn exposed() -> Vec<String> {
    catalogue::ALL
        .iter()
        .flat_map(|metric| match metric.kind {
            Kind::Counter | Kind::Gauge => vec![metric.name.to_owned()],
            Kind::Histogram(_) => ["_bucket", "_sum", "_count"]
                .map(|suffix| format!("{}{suffix}", metric.name))
                .to_vec(),
        })
        .collect()
}

/// The words of a text that begin like a metric of ours; `toolward:…` are recorded rules.
fn named(text: &str) -> Vec<(String, String)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices("toolward_")
        .filter(|(start, _)| !text.get(..*start).unwrap_or_default().ends_with(is_part))
        .map(|(start, _)| {
            let rest = text.get(start..).unwrap_or_default();
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let selector = after
                .strip_prefix('{')
                .and_then(|it| it.split('}').next())
                .unwrap_or_default();
            (name.to_owned(), selector.to_owned())
        })
        .collect()
}

#[test]
fn every_metric_and_label_of_a_dashboard_or_rule_exists() {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../dashboards"), &mut paths);
    let exposed = exposed();
    let mut seen = 0;
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        for (name, selector) in named(&text) {
            assert!(exposed.contains(&name), "{}: no metric {name}", path.display());
            let metric = catalogue::ALL
                .iter()
                .find(|metric| name.starts_with(metric.name))
                .unwrap();
            for label in selector
                .split(',')
                .filter_map(|pair| pair.split(['=', '!']).next())
                .map(str::trim)
            {
                let known = label.is_empty() || metric.labels.contains(&label) || ADDED.contains(&label);
                assert!(known, "{}: {name} has no label {label}", path.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} metrics are named");
}
