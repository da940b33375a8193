//! One text in the arguments: where it stands, what its schema says of it, and what it is for.

use serde_json::Value;

use crate::{
    finding::beginning,
    layers::{Inspection, value::roles},
    policy::Role,
};

/// A step on the way down to a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token<'a> {
    Key(&'a str),
    Index(usize),
}

/// A text in the arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf<'a> {
    pub text: &'a str,
    pub path: &'a [Token<'a>],
}

/// Bytes of a description that are searched.
const MAX_DESCRIPTION_BYTES: usize = 4_096;

/// Most branches of a combinator that are looked into.
const MAX_BRANCHES: usize = 16;

/// Most references that are followed in a row.
const MAX_REFERENCES: usize = 8;

impl<'a> Leaf<'a> {
    /// JSON Pointer to it.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for token in self.path {
            pointer.push('/');
            match token {
                Token::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Token::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    /// The nearest name above it.
    pub(super) fn name(&self) -> &'a str {
        self.path
            .iter()
            .rev()
            .find_map(|token| match token {
                Token::Key(key) => Some(*key),
                Token::Index(_) => None,
            })
            .unwrap_or_default()
    }

    /// What it is for: by the policy, else by schema and name.
    pub(super) fn role(&self, inspection: &Inspection<'a>) -> Role {
        let mut rules = inspection
            .policy
            .argument_rules()
            .filter(|rule| rule.role().is_some())
            .peekable();
        if rules.peek().is_some() {
            let pointer = self.pointer();
            if let Some(role) = rules.find(|rule| rule.covers(&pointer)).and_then(|rule| rule.role()) {
                return role;
            }
        }
        roles::infer(self.name(), self.schema(inspection))
    }

    /// The schema of it, as far as it can be found without judging branches.
    pub(super) fn schema(&self, inspection: &Inspection<'a>) -> Option<&'a Value> {
        let root = inspection.tool?.input.source();
        self.path
            .iter()
            .try_fold(root, |schema, token| below(root, schema, token))
    }

    /// Whether the schema itself offers this text: as a choice, a constant, a default or an example.
    pub(super) fn offered(&self, inspection: &Inspection<'a>) -> bool {
        let Some(schema) = self.schema(inspection) else {
            return false;
        };
        let is_it = |value: &Value| value.as_str() == Some(self.text);
        let among = |key: &str| {
            schema
                .get(key)
                .and_then(Value::as_array)
                .is_some_and(|all| all.iter().any(is_it))
        };
        let equal = |key: &str| schema.get(key).is_some_and(is_it);
        among("enum") || among("examples") || equal("const") || equal("default") || equal("example")
    }

    /// Whether the schema's description, or the tool's, holds one of these words.
    pub(super) fn described(&self, inspection: &Inspection<'a>, words: &[&str]) -> bool {
        let own = self
            .schema(inspection)
            .and_then(|schema| schema.get("description"))
            .and_then(Value::as_str);
        let tool = inspection.tool.map(|tool| &*tool.description);
        own.into_iter().chain(tool).any(|text| {
            let text = beginning(text, MAX_DESCRIPTION_BYTES).to_lowercase();
            words.iter().any(|word| text.contains(word))
        })
    }
}

/// The schema one step further down.
fn below<'s>(root: &'s Value, schema: &'s Value, token: &Token<'_>) -> Option<&'s Value> {
    let schema = followed(root, schema)?;
    if let Some(found) = direct(schema, token) {
        return followed(root, found);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let branches = schema
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .take(MAX_BRANCHES);
        for branch in branches {
            if let Some(found) = followed(root, branch).and_then(|branch| direct(branch, token)) {
                return followed(root, found);
            }
        }
    }
    None
}

fn direct<'s>(schema: &'s Value, token: &Token<'_>) -> Option<&'s Value> {
    let found = match token {
        Token::Key(key) => schema
            .get("properties")
            .and_then(|all| all.get(key))
            .or_else(|| schema.get("additionalProperties"))?,
        Token::Index(index) => {
            let tuple = schema.get("prefixItems").and_then(|items| items.get(index));
            tuple.or_else(|| {
                schema.get("items").and_then(|items| {
                    if items.is_array() {
                        items.get(index)
                    } else {
                        Some(items)
                    }
                })
            })?
        }
    };
    found.is_object().then_some(found)
}

/// The schema that local references lead to.
fn followed<'s>(root: &'s Value, mut schema: &'s Value) -> Option<&'s Value> {
    for _ in 0..MAX_REFERENCES {
        match schema.get("$ref").and_then(Value::as_str) {
            None => return Some(schema),
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
        }
    }
    None
}
