//! From a file to a checked [`Policy`].

use globset::{GlobBuilder, GlobSetBuilder};

use crate::{
    code::{Action, Code, Layer},
    policy::{
        Access, LayerRule, Mode, OnFault, Policy, PolicyFault, PolicyWarning, SemanticSettings, ValueSettings,
        fallback,
        fault::Report,
        raw::{self, Section},
        revision,
        rulings::{Rulings, Said},
        stages::{DEFAULTS, SaidStages, Stages},
        tools, warnings,
    },
};

/// How long a poll may go on where nothing else is said: ten minutes.
pub(super) const DEFAULT_MAX_POLL_MS: u32 = 600_000;

/// Longest poll that a policy may allow: a day.
const LONGEST_POLL_MS: u32 = 86_400_000;

pub(super) const MODES: [(&str, Mode); 3] = [("enforce", Mode::Enforce), ("shadow", Mode::Shadow), ("off", Mode::Off)];

pub(super) const ACCESS: [(&str, Access); 2] = [("allow", Access::Allow), ("deny", Access::Deny)];

/// Reads and checks a file.
pub(super) fn parse(text: &str) -> Result<(Policy, Vec<PolicyWarning>), Vec<PolicyFault>> {
    let mut root = raw::read(text).map_err(|fault| vec![fault])?;
    let mut report = Report::default();
    let mut policy = Policy::default();
    let out = &mut report;
    if let Some(section) = root.section("layers", out) {
        layers(section, &mut policy.layers, out);
    }
    if let Some(section) = root.section("codes", out) {
        policy.codes = codes(section, out);
    }
    if let Some(mut section) = root.section("retry", out) {
        policy.max_attempts = section
            .integer("max_attempts", 0..=20, out)
            .unwrap_or(policy.max_attempts);
        section.finish(out);
    }
    if let Some(rule) = root
        .section("fallback", out)
        .and_then(|section| fallback::read(section, out))
    {
        policy.fallback = rule;
    }
    if let Some(section) = root.section("cascade", out) {
        cascade(section, &mut policy, out);
    }
    if let Some(section) = root.section("value", out) {
        policy.value = value(section, out);
    }
    if let Some(section) = root.section("semantic", out) {
        policy.semantic = semantic(section, out);
    }
    policy.tools = tools::read(&mut root, out);
    root.finish(out);
    globs(&mut policy, out);
    if report.faults.is_empty() {
        policy.revision = revision::of(&policy);
        warnings::find(&policy, &mut report);
        Ok((policy, report.warnings))
    } else {
        Err(report.faults)
    }
}

fn layers(mut section: Section, rules: &mut [LayerRule], report: &mut Report) {
    const ON_FAULT: [(&str, OnFault); 2] = [("closed", OnFault::Closed), ("open", OnFault::Open)];
    for (layer, mut section) in section.named("layer", &Layer::ALL.map(Layer::as_str), Layer::parse, report) {
        if let Some(rule) = rules.get_mut(layer.index()) {
            rule.mode = section.word("mode", &MODES, report).unwrap_or(rule.mode);
            rule.on_fault = section.word("on_fault", &ON_FAULT, report).unwrap_or(rule.on_fault);
        }
        section.finish(report);
    }
}

/// Reads `[codes]`, `[tools.codes]` or `[tools.arguments.codes]`. Rules with stages have no single action.
pub(super) fn codes(mut section: Section, report: &mut Report) -> Rulings {
    const ACTIONS: [(&str, Action); 3] = [
        ("note", Action::Note),
        ("retry", Action::Retry),
        ("fallback", Action::Fallback),
    ];
    let names: Vec<&'static str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let mut rulings = Rulings::default();
    for (code, mut section) in section.named("code", &names, Code::parse, report) {
        let path = section.path_of("action");
        let mode = section.word("mode", &MODES, report);
        let action = section.word("action", &ACTIONS, report);
        section.finish(report);
        let refused = match action {
            Some(Action::Note) if code.default_action() == Action::Repair => Some((
                "a repair cannot become a note: what is forwarded would still be changed",
                "retry | fallback, or mode = \"off\"",
            )),
            Some(_) if DEFAULTS.iter().any(|(it, _)| *it == code) => Some((
                "this rule has stages, which say what it leads to",
                "note, correct and stop in its cascade table",
            )),
            Some(_) | None => None,
        };
        if let Some((message, expected)) = refused {
            report.fault(path, message, expected);
            continue;
        }
        rulings.push(code, Said { mode, action });
    }
    rulings
}

fn cascade(mut section: Section, policy: &mut Policy, report: &mut Report) {
    if let Some(limit) = section.integer("max_poll_ms", 0..=LONGEST_POLL_MS, report) {
        policy.max_poll_ms = limit;
    }
    for (code, said) in stages(section, report) {
        for (_, stages) in policy.stages.iter_mut().filter(|(it, _)| *it == code) {
            *stages = said.over(*stages);
        }
    }
}

/// Reads the rules of `[cascade]` or `[tools.cascade]`.
pub(super) fn stages(mut section: Section, report: &mut Report) -> Vec<(Code, SaidStages)> {
    let names = DEFAULTS.map(|(code, _)| code.as_str());
    let parse = |name: &str| Code::parse(name).filter(|code| DEFAULTS.iter().any(|(it, _)| it == code));
    let mut found = Vec::new();
    for (code, mut section) in section.named("cascade rule", &names, parse, report) {
        let note = count(&mut section, "note", report);
        let correct = count(&mut section, "correct", report);
        let stop = count(&mut section, "stop", report);
        section.finish(report);
        found.push((code, SaidStages { note, correct, stop }));
    }
    found
}

/// A count from 1, or never, which may also be written as 0.
fn count(section: &mut Section, key: &'static str, report: &mut Report) -> Option<u32> {
    const MOST: u32 = 10_000;
    let path = section.path_of(key);
    let value = section.take(key)?;
    let number = value
        .as_integer()
        .and_then(|it| u32::try_from(it).ok())
        .filter(|it| *it <= MOST);
    match number {
        Some(0) => Some(Stages::NEVER.stop),
        Some(number) => Some(number),
        None if value.as_str() == Some("never") => Some(Stages::NEVER.stop),
        None => {
            report.fault(
                path,
                "not a count",
                format!("a whole number from 1 to {MOST}, or \"never\""),
            );
            None
        }
    }
}

fn value(mut section: Section, report: &mut Report) -> ValueSettings {
    let mut settings = ValueSettings::default();
    settings.private_hosts = section
        .word("private_hosts", &ACCESS, report)
        .unwrap_or(settings.private_hosts);
    settings.loopback = section.word("loopback", &ACCESS, report).unwrap_or(settings.loopback);
    settings.allowed_hosts = tools::hosts(&mut section, "allowed_hosts", report);
    settings.path_roots = tools::roots(&mut section, "path_roots", report);
    section.finish(report);
    settings
}

fn semantic(mut section: Section, report: &mut Report) -> SemanticSettings {
    let defaults = SemanticSettings::default();
    let settings = SemanticSettings {
        judge: section.word("judge", &MODES, report).unwrap_or(defaults.judge),
        max_result_chars: section
            .integer("max_result_chars", 100..=100_000, report)
            .unwrap_or(defaults.max_result_chars),
    };
    section.finish(report);
    settings
}

/// Compiles the names of the `[[tools]]` entries, in their order.
fn globs(policy: &mut Policy, report: &mut Report) {
    let mut builder = GlobSetBuilder::new();
    for (index, entry) in policy.tools.iter().enumerate() {
        match GlobBuilder::new(&entry.glob)
            .literal_separator(false)
            .backslash_escape(true)
            .build()
        {
            Ok(glob) => {
                builder.add(glob);
            }
            Err(error) => report.fault(
                format!("tools[{index}].match"),
                error.kind().to_string(),
                "a tool's name, or a glob with *, ? and [a-z]",
            ),
        }
    }
    match builder.build() {
        Ok(set) => policy.globs = set,
        Err(error) => report.fault("tools", error.to_string(), ""),
    }
}
