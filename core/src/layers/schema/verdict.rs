//! What is wrong with arguments that do not fit: validation errors become findings that a model can act on.

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::{Map, Value};

use super::{describe, spelling};
use crate::{
    code::Code,
    finding::{Finding, shorten},
    tools::{Schema, format_example},
};

/// Findings told of one call.
const MAX_FINDINGS: usize = 16;
const MAX_PATTERN_CHARS: usize = 120;
/// Alternatives within alternatives that are looked into.
const MAX_NESTING: usize = 4;

/// Tells why a value does not fit.
pub(super) fn tell(value: &Value, schema: &Schema, validator: &Validator, findings: &mut Vec<Finding>) {
    let mut told = Vec::new();
    for error in validator.iter_errors(value) {
        read(&error, value, schema, 0, &mut told);
        if told.len() >= MAX_FINDINGS {
            break;
        }
    }
    told.truncate(MAX_FINDINGS);
    let mut distinct: Vec<Finding> = Vec::new();
    for finding in told {
        // Of one place the first fault is told: a wrong type breaks most other rules as well.
        if !distinct.iter().any(|earlier| earlier.pointer == finding.pointer) {
            distinct.push(finding);
        }
    }
    if distinct.is_empty() {
        distinct.push(Finding::new(
            Code::ConstraintFailed,
            "the arguments do not fit the tool's schema",
        ));
    }
    findings.append(&mut distinct);
}

fn read(error: &ValidationError<'_>, whole: &Value, schema: &Schema, nesting: usize, told: &mut Vec<Finding>) {
    let pointer = error.instance_path().as_str();
    let instance: &Value = error.instance();
    match error.kind() {
        Kind::Required { property } => {
            if let Some(name) = property.as_str() {
                told.push(missing(error, name, whole, schema));
            }
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let declared = siblings(error, schema).cloned().unwrap_or_default();
            for key in unexpected.iter().take(MAX_FINDINGS) {
                told.push(unknown(pointer, key, &declared, instance));
            }
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => match best(context, pointer) {
            Some(branch) if nesting < MAX_NESTING => {
                for error in branch {
                    read(error, whole, schema, nesting + 1, told);
                }
            }
            _ => told.push(no_alternative(context, pointer, instance)),
        },
        kind => {
            let (code, says, expected) = simple(kind);
            let mut finding = Finding::new(code, format!("{} {says}", describe::name_of(pointer))).at(pointer);
            finding.expected = expected;
            finding = with_received(finding, instance);
            told.push(match nearest_choice(kind, instance) {
                Some(choice) => finding.suggestion(format!("did you mean {choice}?")),
                None => finding,
            });
        }
    }
}

fn with_received(finding: Finding, instance: &Value) -> Finding {
    if describe::is_secret(&finding.pointer) {
        return finding.received(describe::kind(instance));
    }
    finding.received(&describe::received(instance))
}

/// Code, what is said of the place, and what would be right.
fn simple(kind: &Kind) -> (Code, &'static str, Option<String>) {
    match kind {
        Kind::Type { kind } => (Code::WrongType, "has the wrong type", Some(types(kind))),
        Kind::Enum { options } => (
            Code::WrongEnum,
            "is not one of the allowed values",
            options.as_array().map(|members| describe::one_of(members)),
        ),
        Kind::Constant { expected_value } => (
            Code::WrongEnum,
            "must have one certain value",
            Some(describe::one_of(std::slice::from_ref(expected_value.as_ref()))),
        ),
        Kind::Minimum { limit } => range("is too small", format!("at least {limit}")),
        Kind::ExclusiveMinimum { limit } => range("is too small", format!("more than {limit}")),
        Kind::Maximum { limit } => range("is too large", format!("at most {limit}")),
        Kind::ExclusiveMaximum { limit } => range("is too large", format!("less than {limit}")),
        Kind::MinLength { limit } => range("is too short", format!("at least {limit} characters")),
        Kind::MaxLength { limit } => range("is too long", format!("at most {limit} characters")),
        Kind::MinItems { limit } => range("has too few items", format!("at least {limit} items")),
        Kind::MaxItems { limit } => range("has too many items", format!("at most {limit} items")),
        Kind::AdditionalItems { limit } => range("has too many items", format!("at most {limit} items")),
        Kind::UnevaluatedItems { .. } => range("has too many items", "fewer items".to_owned()),
        Kind::MinProperties { limit } => range("has too few keys", format!("at least {limit} keys")),
        Kind::MaxProperties { limit } => range("has too many keys", format!("at most {limit} keys")),
        Kind::MultipleOf { multiple_of } => range("is not a multiple", format!("a multiple of {multiple_of}")),
        Kind::Pattern { pattern } => (
            Code::PatternMismatch,
            "does not match the pattern",
            Some(format!("a text that matches {}", shorten(pattern, MAX_PATTERN_CHARS))),
        ),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => (
            Code::PatternMismatch,
            "could not be matched against the pattern in bounded time",
            Some("a shorter or simpler text".to_owned()),
        ),
        Kind::Format { format } => (
            Code::FormatInvalid,
            "does not have the format",
            Some(format_example(format).map_or_else(|| shorten(format, MAX_PATTERN_CHARS), str::to_owned)),
        ),
        Kind::PropertyNames { .. } => (Code::UnknownParam, "has a key that is not allowed", None),
        Kind::FalseSchema => (Code::UnknownParam, "is not allowed here", Some("nothing".to_owned())),
        Kind::UniqueItems => constraint("has an item twice", Some("distinct items")),
        Kind::Contains => constraint("lacks an item that it must contain", None),
        Kind::Not { .. } => constraint("is what the schema excludes", None),
        Kind::OneOfMultipleValid { .. } => constraint("fits more than one of the alternatives", Some("exactly one")),
        Kind::ContentEncoding { .. } | Kind::ContentMediaType { .. } | Kind::FromUtf8 { .. } => {
            constraint("is not encoded as the schema demands", None)
        }
        Kind::Custom { .. } | Kind::Referencing(_) => constraint("does not fit the schema", None),
        Kind::Required { .. }
        | Kind::AdditionalProperties { .. }
        | Kind::UnevaluatedProperties { .. }
        | Kind::AnyOf { .. }
        | Kind::OneOfNotValid { .. } => constraint("does not fit the schema", None),
    }
}

fn range(says: &'static str, expected: String) -> (Code, &'static str, Option<String>) {
    (Code::OutOfRange, says, Some(expected))
}

fn constraint(says: &'static str, expected: Option<&str>) -> (Code, &'static str, Option<String>) {
    (Code::ConstraintFailed, says, expected.map(str::to_owned))
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(name) => describe::type_name(name.as_str()).to_owned(),
        TypeKind::Multiple(names) => describe::either(names.iter().map(|name| name.as_str())),
    }
}

fn missing(error: &ValidationError<'_>, name: &str, whole: &Value, schema: &Schema) -> Finding {
    let parent = error.instance_path().as_str();
    let declared = siblings(error, schema);
    let pointer = describe::join(parent, name);
    let mut finding = Finding::new(
        Code::MissingRequired,
        format!("{} is required", describe::name_of(&pointer)),
    )
    .at(pointer);
    finding.expected = declared
        .and_then(|declared| declared.get(name))
        .and_then(|property| describe::wanted(schema.follow(property)));
    let undeclared = whole
        .pointer(parent)
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .filter(|key| declared.is_none_or(|declared| !declared.contains_key(*key)));
    match spelling::nearest(name, undeclared) {
        Some(written) => finding.suggestion(format!("rename `{}`", shorten(written, MAX_PATTERN_CHARS))),
        None => finding,
    }
}

fn unknown(parent: &str, key: &str, declared: &Map<String, Value>, instance: &Value) -> Finding {
    let free = declared
        .keys()
        .map(String::as_str)
        .filter(|name| instance.get(*name).is_none());
    let finding = describe::unknown_param(parent, key, declared);
    match spelling::nearest(key, free) {
        Some(meant) => finding.suggestion(format!("did you mean `{meant}`?")),
        None => finding.suggestion("leave it out"),
    }
}

/// The properties declared beside the keyword that failed.
pub(super) fn siblings<'a>(error: &ValidationError<'_>, schema: &'a Schema) -> Option<&'a Map<String, Value>> {
    let (parent, _) = error.schema_path().as_str().rsplit_once('/')?;
    schema.source().pointer(parent)?.get("properties")?.as_object()
}

/// The alternative that was most likely meant: of those that want this kind of value, the one with the fewest faults.
/// `None`: each wants another kind.
fn best<'a>(context: &'a [Vec<ValidationError<'static>>], pointer: &str) -> Option<&'a [ValidationError<'static>]> {
    let other_kind = |error: &ValidationError<'static>| {
        error.instance_path().as_str() == pointer
            && matches!(
                error.kind(),
                Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. }
            )
    };
    // A wrong discriminator (`kind: "a"` where the branch is for "b") counts as much as several faults.
    let weight = |branch: &[ValidationError<'static>]| -> usize {
        branch
            .iter()
            .map(|error| match error.kind() {
                Kind::Constant { .. } | Kind::Enum { .. } => 4,
                _ => 1,
            })
            .sum()
    };
    context
        .iter()
        .filter(|branch| !branch.is_empty() && !branch.iter().any(other_kind))
        .min_by_key(|branch| weight(branch))
        .map(Vec::as_slice)
}

/// No alternative wants this kind of value: all that they want is told.
fn no_alternative(context: &[Vec<ValidationError<'static>>], pointer: &str, instance: &Value) -> Finding {
    let mut wanted: Vec<String> = Vec::new();
    let mut choices = false;
    for error in context.iter().flatten() {
        let expected = match error.kind() {
            Kind::Type { kind } => types(kind),
            kind @ (Kind::Enum { .. } | Kind::Constant { .. }) => {
                choices = true;
                simple(kind).2.unwrap_or_default()
            }
            _ => continue,
        };
        if error.instance_path().as_str() == pointer && !wanted.contains(&expected) {
            wanted.push(expected);
        }
    }
    let (code, says) = match (wanted.is_empty(), choices) {
        (true, _) => (Code::ConstraintFailed, "fits none of the alternatives"),
        (false, true) => (Code::WrongEnum, "is not one of the allowed values"),
        (false, false) => (Code::WrongType, "has the wrong type"),
    };
    let mut finding = Finding::new(code, format!("{} {says}", describe::name_of(pointer))).at(pointer);
    if !wanted.is_empty() {
        finding = finding.expected(wanted.join(" or "));
    }
    with_received(finding, instance)
}

/// The allowed value that is most like what came.
fn nearest_choice(kind: &Kind, instance: &Value) -> Option<String> {
    let Kind::Enum { options } = kind else {
        return None;
    };
    let members = options.as_array()?.iter().filter_map(Value::as_str);
    let near = spelling::nearest(instance.as_str()?, members)?;
    Some(format!("\"{}\"", shorten(near, MAX_PATTERN_CHARS)))
}
