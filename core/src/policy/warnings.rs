//! Rules of a policy that can never have an effect.

use crate::{
    code::{Code, Layer},
    policy::{FallbackRule, Mode, Policy, Stages, fault::Report, rulings::Rulings, tool::ToolRules},
};

/// Codes that belong to a whole turn and so to no tool.
const OF_THE_TURN: [Code; 1] = [Code::ToolChoiceUnmet];

/// Tells every rule without effect.
pub(super) fn find(policy: &Policy, report: &mut Report) {
    silenced(policy, "codes", &policy.codes, report);
    for (code, stages) in &policy.stages {
        unreachable_stages(&format!("cascade.{}", code.as_str()), *stages, report);
    }
    for (index, entry) in policy.tools.iter().enumerate() {
        let path = format!("tools[{index}]");
        let later = policy.tools.get(index + 1..).unwrap_or_default();
        overridden(&path, entry, later, report);
        in_entry(policy, &path, entry, report);
    }
}

fn in_entry(policy: &Policy, path: &str, entry: &ToolRules, report: &mut Report) {
    let silent = entry.access.is_none()
        && entry.poll.is_none()
        && entry.effect.is_none()
        && entry.codes.is_empty()
        && entry.stages.is_empty()
        && entry.fallback.is_none()
        && entry.arguments.is_empty();
    if silent {
        report.warn(path, "says nothing");
    }
    silenced(policy, &format!("{path}.codes"), &entry.codes, report);
    for (code, _) in entry.codes.iter().filter(|(code, _)| OF_THE_TURN.contains(code)) {
        report.warn(
            format!("{path}.codes.{}", code.as_str()),
            "is about a whole turn and never about one tool",
        );
    }
    for (code, said) in &entry.stages {
        let stages = said.over(policy.stages(*code));
        unreachable_stages(&format!("{path}.cascade.{}", code.as_str()), stages, report);
    }
    if let Some(FallbackRule::Tool { name, .. }) = &entry.fallback
        && *name == entry.glob
    {
        report.warn(format!("{path}.fallback.tool"), "the tool falls back to itself");
    }
    for (position, rule) in entry.arguments.iter().enumerate() {
        let path = format!("{path}.arguments[{position}]");
        if rule.role.is_none() && rule.checks.is_empty() && rule.codes.is_empty() {
            report.warn(&path, "says nothing");
        }
        silenced(policy, &format!("{path}.codes"), &rule.codes, report);
        let checks = rule.checks();
        if let Some(pattern) = &checks.pattern
            && !checks.one_of.is_empty()
            && checks
                .one_of
                .iter()
                .all(|it| it.as_str().is_some_and(|text| !pattern.is_match(text)))
        {
            report.warn(
                format!("{path}.one_of"),
                "no value of the list matches the pattern: nothing can pass",
            );
        }
        if !checks.is_empty() && policy.layer_mode(Layer::Value) == Mode::Off {
            report.warn(&path, "the value layer is off");
        }
    }
}

/// Rules of a layer that is weaker than they are.
fn silenced(policy: &Policy, path: &str, rulings: &Rulings, report: &mut Report) {
    for (code, said) in rulings.iter() {
        let key = format!("{path}.{}", code.as_str());
        let layer = code.layer();
        match (policy.layer_mode(layer), said.mode) {
            (Mode::Off, _) => report.warn(key, format!("the {} layer is off", layer.as_str())),
            (Mode::Shadow, Some(Mode::Enforce)) => {
                report.warn(
                    key,
                    format!(
                        "the {} layer is in shadow, and its rules cannot be stricter",
                        layer.as_str()
                    ),
                );
            }
            (Mode::Shadow | Mode::Enforce, _) if said.mode.is_none() && said.action.is_none() => {
                report.warn(key, "says nothing");
            }
            (Mode::Shadow | Mode::Enforce, _) => {}
        }
    }
}

fn unreachable_stages(path: &str, stages: Stages, report: &mut Report) {
    const NEVER: u32 = Stages::NEVER.stop;
    if stages.correct != NEVER && stages.correct >= stages.stop {
        report.warn(format!("{path}.correct"), "is never reached: stop comes first");
    }
    if stages.note != NEVER && stages.note >= stages.correct.min(stages.stop) {
        report.warn(format!("{path}.note"), "is never reached: a stricter stage comes first");
    }
}

/// Keys of an entry that a later entry for the same names, or for all, sets again.
fn overridden(path: &str, entry: &ToolRules, later: &[ToolRules], report: &mut Report) {
    let covers = |it: &&ToolRules| it.glob == "*" || it.glob == entry.glob;
    let mut tell = |key: &str, set: bool, again: fn(&ToolRules) -> bool| {
        if set && later.iter().filter(covers).any(again) {
            report.warn(
                format!("{path}.{key}"),
                "a later entry for the same tools sets it again",
            );
        }
    };
    tell("access", entry.access.is_some(), |it| it.access.is_some());
    tell("poll", entry.poll.is_some(), |it| it.poll.is_some());
    tell("effect", entry.effect.is_some(), |it| it.effect.is_some());
    tell("fallback", entry.fallback.is_some(), |it| it.fallback.is_some());
}
