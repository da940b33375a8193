//! The operator's own rules for single arguments.

use core::net::IpAddr;

use serde_json::Value;

use crate::{
    code::Code,
    finding::Finding,
    layers::{
        Inspection,
        value::{
            target::{Target, is_url},
            traversal,
        },
    },
    policy::Checks,
};

/// Most values that one rule looks at.
const MAX_VALUES: usize = 10_000;

/// Most findings of one rule.
const MAX_FINDINGS: usize = 8;

/// Applies every rule to the values that it covers.
pub(super) fn inspect(inspection: &Inspection<'_>, arguments: &Value, findings: &mut Vec<Finding>) {
    for rule in inspection
        .policy
        .argument_rules()
        .filter(|rule| !rule.checks().is_empty())
    {
        let broken = rule
            .values(arguments, MAX_VALUES)
            .into_iter()
            .filter_map(|(pointer, value)| Some((pointer, value, broken(rule.checks(), value)?)));
        for (pointer, value, expected) in broken.take(MAX_FINDINGS) {
            let finding = Finding::new(Code::PolicyViolation, "the operator's policy does not allow this value")
                .at(pointer)
                .expected(expected);
            findings.push(match value {
                Value::String(text) => finding.received(text),
                Value::Number(number) => finding.received(&number.to_string()),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => finding,
            });
        }
    }
}

/// What would be right, where something is wrong.
fn broken(checks: &Checks, value: &Value) -> Option<String> {
    let text = value.as_str();
    if !checks.one_of.is_empty() && !checks.one_of.iter().any(|it| same(it, value)) {
        let shown: Vec<String> = checks.one_of.iter().take(10).map(Value::to_string).collect();
        return Some(format!("one of {}", shown.join(", ")));
    }
    if let Some(pattern) = &checks.pattern
        && !text.is_some_and(|text| pattern.is_match(text))
    {
        return Some(format!("a text that matches {}", pattern.as_str()));
    }
    if let Some(expected) = out_of_bounds(checks, value) {
        return Some(expected);
    }
    if !checks.roots.is_empty() && !text.is_some_and(|text| traversal::inside(text, &checks.roots)) {
        return Some("a path in an allowed folder".to_owned());
    }
    if checks.hosts.is_empty() && checks.cidr.is_empty() {
        return None;
    }
    let target = text.and_then(host);
    let named = |(name, address): &(String, Option<IpAddr>)| checks.hosts.iter().any(|it| it.matches(name, *address));
    if !checks.hosts.is_empty() && !target.as_ref().is_some_and(named) {
        return Some("an allowed host".to_owned());
    }
    let address = target.and_then(|(_, address)| address);
    let within = |address: IpAddr| checks.cidr.iter().any(|network| network.contains(&address));
    (!checks.cidr.is_empty() && !address.is_some_and(within)).then(|| "an address in an allowed network".to_owned())
}

fn out_of_bounds(checks: &Checks, value: &Value) -> Option<String> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    if let Some(minimum) = checks.minimum
        && !number.is_some_and(|number| number >= minimum)
    {
        return Some(format!("a number of at least {minimum}"));
    }
    if let Some(maximum) = checks.maximum
        && !number.is_some_and(|number| number <= maximum)
    {
        return Some(format!("a number of at most {maximum}"));
    }
    let limit = checks.max_length?;
    let longer = match value {
        Value::String(text) => text.chars().nth(usize::try_from(limit).unwrap_or(usize::MAX)).is_some(),
        Value::Array(items) => u32::try_from(items.len()).is_ok_and(|length| length > limit),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    longer.then(|| format!("at most {limit} characters or items"))
}

/// Equal as JSON; numbers by value.
fn same(allowed: &Value, value: &Value) -> bool {
    allowed == value
        || allowed.is_number() && value.is_number() && allowed.as_f64().is_some_and(|it| value.as_f64() == Some(it))
}

/// The host of a URL, an e-mail address or a host.
fn host(text: &str) -> Option<(String, Option<IpAddr>)> {
    let text = if is_url(text) {
        text
    } else {
        text.rsplit('@').next().unwrap_or(text)
    };
    Target::read(text).map(|target| (target.name, target.address))
}
