//! The `[[tools]]` entries of a file.

use ipnet::IpNet;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::policy::{
    ArgumentRule, Checks, Effect, HostPattern, Role,
    argument::PointerPattern,
    check, fallback,
    fault::Report,
    raw::Section,
    tool::{MAX_ENTRIES, ToolRules},
};

/// Most argument rules of one entry.
const MAX_ARGUMENT_RULES: usize = 128;

/// Most entries of a list of values, hosts, networks or folders.
const MAX_LIST: usize = 1_000;

/// Largest compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 256 << 10;

const EFFECTS: [(&str, Effect); 3] = [
    ("read_only", Effect::ReadOnly),
    ("idempotent", Effect::Idempotent),
    ("once", Effect::Once),
];

const POLL: [(&str, bool); 2] = [("yes", true), ("no", false)];

/// Reads all entries, in order.
pub(super) fn read(root: &mut Section, report: &mut Report) -> Vec<ToolRules> {
    let entries = root.sections("tools", MAX_ENTRIES, report);
    entries.into_iter().map(|section| entry(section, report)).collect()
}

fn entry(mut section: Section, report: &mut Report) -> ToolRules {
    if !section.has("match") {
        report.fault(
            section.path_of("match"),
            "missing",
            "a tool's name, or a glob with *, ? and [a-z]",
        );
    }
    let rules = ToolRules {
        glob: section.text("match", 256, report).unwrap_or_default(),
        access: section.word("access", &check::ACCESS, report),
        poll: section.word("poll", &POLL, report),
        effect: section.word("effect", &EFFECTS, report),
        codes: section
            .section("codes", report)
            .map(|codes| check::codes(codes, report))
            .unwrap_or_default(),
        stages: section
            .section("cascade", report)
            .map(|rules| check::stages(rules, report))
            .unwrap_or_default(),
        fallback: section
            .section("fallback", report)
            .and_then(|rule| fallback::read(rule, report)),
        arguments: section
            .sections("arguments", MAX_ARGUMENT_RULES, report)
            .into_iter()
            .map(|rule| argument(rule, report))
            .collect(),
    };
    section.finish(report);
    rules
}

fn argument(mut section: Section, report: &mut Report) -> ArgumentRule {
    let path = section.path_of("pointer");
    let expected = "a JSON Pointer such as \"/path\" or \"/files/*/name\"";
    if !section.has("pointer") {
        report.fault(&path, "missing", expected);
    }
    let pointer = section.text("pointer", 1_024, report).and_then(|text| {
        let pointer = PointerPattern::parse(&text);
        if pointer.is_none() {
            report.fault(&path, "not a JSON Pointer", expected);
        }
        pointer
    });
    let roles = Role::ALL.map(|role| (role.as_str(), role));
    let rule = ArgumentRule {
        pointer: pointer.unwrap_or_default(),
        role: section.word("role", &roles, report),
        checks: checks(&mut section, report),
        codes: section
            .section("codes", report)
            .map(|codes| check::codes(codes, report))
            .unwrap_or_default(),
    };
    section.finish(report);
    rule
}

fn checks(section: &mut Section, report: &mut Report) -> Checks {
    let checks = Checks {
        pattern: pattern(section, report),
        one_of: one_of(section, report),
        minimum: section.number("minimum", report),
        maximum: section.number("maximum", report),
        max_length: section.integer("max_length", 0..=u32::MAX, report),
        cidr: networks(section, report),
        hosts: hosts(section, "hosts", report),
        roots: roots(section, "roots", report),
    };
    if let (Some(minimum), Some(maximum)) = (checks.minimum, checks.maximum)
        && minimum > maximum
    {
        report.fault(
            section.path_of("minimum"),
            "larger than maximum",
            format!("at most {maximum}"),
        );
    }
    checks
}

fn pattern(section: &mut Section, report: &mut Report) -> Option<Regex> {
    let path = section.path_of("pattern");
    let text = section.text("pattern", 2_000, report)?;
    match RegexBuilder::new(&text).size_limit(MAX_PATTERN_BYTES).build() {
        Ok(regex) => Some(regex),
        Err(regex::Error::CompiledTooBig(_)) => {
            report.fault(
                path,
                "the pattern is too large",
                format!("at most {MAX_PATTERN_BYTES} bytes compiled"),
            );
            None
        }
        Err(error) => {
            let text = error.to_string();
            let reason = text
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned();
            report.fault(
                path,
                reason,
                "a regular expression without look-around or back-references",
            );
            None
        }
    }
}

fn one_of(section: &mut Section, report: &mut Report) -> Vec<Value> {
    let path = section.path_of("one_of");
    let Some(items) = section.array("one_of", MAX_LIST, report) else {
        return Vec::new();
    };
    if items.is_empty() {
        report.fault(path, "an empty list allows nothing", "at least one value");
    }
    items.into_iter().map(fallback::to_json).collect()
}

fn networks(section: &mut Section, report: &mut Report) -> Vec<IpNet> {
    let mut networks = Vec::new();
    for (path, text) in section.texts("cidr", MAX_LIST, report) {
        match text.parse() {
            Ok(network) => networks.push(network),
            Err(_) => report.fault(path, "not a network", "CIDR notation such as 10.0.0.0/8 or fd00::/8"),
        }
    }
    networks
}

/// Reads a list of hosts.
pub(super) fn hosts(section: &mut Section, key: &'static str, report: &mut Report) -> Vec<HostPattern> {
    let mut hosts = Vec::new();
    for (path, text) in section.texts(key, MAX_LIST, report) {
        match HostPattern::parse(&text) {
            Some(host) => hosts.push(host),
            None => report.fault(path, "not a host", "a name, *.domain, an address or a network"),
        }
    }
    hosts
}

/// Reads a list of folders.
pub(super) fn roots(section: &mut Section, key: &'static str, report: &mut Report) -> Vec<String> {
    let mut roots = Vec::new();
    for (path, text) in section.texts(key, MAX_LIST, report) {
        let drive = text.get(1..3).is_some_and(|it| it == ":/" || it == ":\\");
        let climbs = text.split(['/', '\\']).any(|part| part == ".." || part == ".");
        if climbs || !(text.starts_with('/') || drive) {
            report.fault(
                path,
                "not an absolute path",
                "such as /srv/data or C:/data, without . and ..",
            );
        } else {
            roots.push(text);
        }
    }
    roots
}
