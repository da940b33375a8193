//! The names that people give to JSON types: Python's, Java's, Gemini's upper-case ones, and expressions of them
//! (`list[str]`, `string?`, `int | None`). Read into standard types; what is not known constrains nothing.

use serde_json::{Map, Value};

/// Deepest nesting of a type expression.
const MAX_NESTING: usize = 8;

/// What a type's name says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct TypeName {
    /// Standard types, each once; empty: any.
    pub types: Vec<&'static str>,
    /// The type of the items, where the name tells it.
    pub items: Option<Box<TypeName>>,
}

/// The standard type of exactly this name.
pub(super) fn standard(name: &str) -> Option<&'static str> {
    const STANDARD: [&str; 7] = ["string", "object", "integer", "number", "boolean", "array", "null"];
    STANDARD.into_iter().find(|known| *known == name)
}

impl TypeName {
    /// `None`: not the name of a type that is known.
    pub(super) fn read(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        expression(&lower, 0)
    }

    /// Whether it excludes nothing.
    pub(super) fn any(&self) -> bool {
        self.types.is_empty()
    }

    /// The value of the keyword `type`.
    pub(super) fn keyword(&self) -> Value {
        match self.types.as_slice() {
            [only] => Value::from(*only),
            several => Value::from(several.to_vec()),
        }
    }

    /// A schema that says the same.
    pub(super) fn schema(&self) -> Value {
        let mut schema = Map::new();
        if !self.any() {
            schema.insert("type".to_owned(), self.keyword());
        }
        if let Some(items) = &self.items {
            schema.insert("items".to_owned(), items.schema());
        }
        Value::Object(schema)
    }

    fn of(name: &'static str) -> Self {
        Self {
            types: vec![name],
            items: None,
        }
    }

    fn or(mut self, other: Self) -> Self {
        if self.any() || other.any() {
            return Self::default();
        }
        for name in other.types {
            if !self.types.contains(&name) {
                self.types.push(name);
            }
        }
        self.items = self.items.or(other.items);
        self
    }
}

fn expression(text: &str, depth: usize) -> Option<TypeName> {
    let text = text.trim();
    if depth > MAX_NESTING || text.is_empty() {
        return None;
    }
    if let Some(parts) = split(text, "|").or_else(|| split(text, " or ")) {
        return union(&parts, depth);
    }
    if let Some(inner) = text.strip_suffix('?') {
        return Some(expression(inner, depth + 1)?.or(TypeName::of("null")));
    }
    if let Some(inner) = text.strip_suffix("[]") {
        return Some(TypeName {
            types: vec!["array"],
            items: expression(inner, depth + 1).map(Box::new),
        });
    }
    let (base, inner) = match text.find(['[', '<', '(']) {
        Some(at) => {
            let (base, rest) = text.split_at_checked(at)?;
            let inner = rest.get(1..)?.strip_suffix([']', '>', ')'])?;
            (base.trim(), Some(inner.trim()))
        }
        None => (text, None),
    };
    let base = base.strip_prefix("typing.").unwrap_or(base);
    match (base, inner) {
        ("optional", Some(inner)) => Some(expression(inner, depth + 1)?.or(TypeName::of("null"))),
        ("union", Some(inner)) => union(&split(inner, ",").unwrap_or_else(|| vec![inner]), depth),
        ("annotated", Some(inner)) => expression(split(inner, ",")?.first()?, depth + 1),
        ("literal" | "enum", _) => Some(TypeName::default()),
        _ => {
            let mut named = named(base)?;
            if let Some(inner) = inner
                && named.types == ["array"]
                && split(inner, ",").is_none()
            {
                named.items = expression(inner, depth + 1).map(Box::new);
            }
            Some(named)
        }
    }
}

fn union(parts: &[&str], depth: usize) -> Option<TypeName> {
    let mut parts = parts.iter();
    let mut all = expression(parts.next()?, depth + 1)?;
    for part in parts {
        all = all.or(expression(part, depth + 1)?);
    }
    Some(all)
}

/// The parts between separators that stand outside brackets; `None` where there is no such separator.
fn split<'a>(text: &'a str, separator: &str) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let mut nesting = 0_i32;
    let mut from = 0;
    for (at, character) in text.char_indices() {
        match character {
            '[' | '<' | '(' | '{' => nesting += 1,
            ']' | '>' | ')' | '}' => nesting -= 1,
            _ => {}
        }
        if nesting == 0 && at >= from && text.get(at..)?.starts_with(separator) {
            parts.push(text.get(from..at)?);
            from = at + separator.len();
        }
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(text.get(from..)?);
    Some(parts)
}

fn named(name: &str) -> Option<TypeName> {
    Some(match name {
        "string" | "str" | "text" | "char" | "varchar" | "character" => TypeName::of("string"),
        "integer" | "int" | "long" | "short" | "byte" | "bigint" | "int8" | "int16" | "int32" | "int64" | "uint"
        | "uint8" | "uint16" | "uint32" | "uint64" => TypeName::of("integer"),
        "number" | "float" | "double" | "decimal" | "numeric" | "real" | "float32" | "float64" => {
            TypeName::of("number")
        }
        "boolean" | "bool" => TypeName::of("boolean"),
        "array" | "list" | "tuple" | "set" | "frozenset" | "sequence" | "iterable" | "arraylist" | "vec" | "vector" => {
            TypeName::of("array")
        }
        "object" | "dict" | "dictionary" | "map" | "mapping" | "hashmap" | "record" | "struct" => {
            TypeName::of("object")
        }
        "null" | "none" | "nonetype" | "nil" | "void" => TypeName::of("null"),
        "any" | "unknown" | "mixed" | "json" | "type_unspecified" => TypeName::default(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::TypeName;

    #[test]
    fn names_of_types_are_read() {
        let cases: [(&str, Value); 16] = [
            ("STRING", json!({"type": "string"})),
            ("dict", json!({"type": "object"})),
            ("float", json!({"type": "number"})),
            ("tuple", json!({"type": "array"})),
            ("any", json!({})),
            ("list[str]", json!({"type": "array", "items": {"type": "string"}})),
            (
                "List[Dict[str, int]]",
                json!({"type": "array", "items": {"type": "object"}}),
            ),
            ("Tuple[int, int]", json!({"type": "array"})),
            ("string[]", json!({"type": "array", "items": {"type": "string"}})),
            ("Optional[int]", json!({"type": ["integer", "null"]})),
            ("int | None", json!({"type": ["integer", "null"]})),
            ("string?", json!({"type": ["string", "null"]})),
            ("Union[str, int]", json!({"type": ["string", "integer"]})),
            ("string or number", json!({"type": ["string", "number"]})),
            ("Union[str, Any]", json!({})),
            ("array<string>", json!({"type": "array", "items": {"type": "string"}})),
        ];
        for (text, expected) in cases {
            assert_eq!(TypeName::read(text).map(|name| name.schema()), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_words_are_no_types() {
        for text in [
            "",
            "strng",
            "the city",
            "date",
            "list[",
            "]",
            "[[[[[[[[[[[[[[",
            "str |",
            "a.b.C",
        ] {
            assert_eq!(TypeName::read(text), None, "{text}");
        }
    }
}
