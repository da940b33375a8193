//! How deep and how large a value is: what bounds the work to be done on it.

use serde_json::Value;

/// The size of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure {
    /// A scalar 0, a flat object 1.
    pub depth: usize,
    /// Values within, itself included.
    pub values: usize,
}

impl Measure {
    /// Looks no deeper than one level below `max_depth`.
    pub(super) fn of(value: &Value, max_depth: usize) -> Self {
        let mut measure = Self { depth: 0, values: 0 };
        measure.add(value, 0, max_depth);
        measure
    }

    fn add(&mut self, value: &Value, above: usize, max_depth: usize) {
        self.values += 1;
        let within = above + 1;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
            Value::Array(_) | Value::Object(_) => self.depth = self.depth.max(within),
        }
        if within > max_depth {
            return;
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add(item, within, max_depth)),
            Value::Object(map) => map.values().for_each(|item| self.add(item, within, max_depth)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Measure;

    #[test]
    fn depth_and_values_are_counted() {
        for (value, depth, values) in [
            (json!(1), 0, 1),
            (json!({}), 1, 1),
            (json!({"a": 1, "b": [1, 2]}), 2, 5),
            (json!([[[]]]), 3, 3),
        ] {
            assert_eq!(Measure::of(&value, 100), Measure { depth, values });
        }
    }

    #[test]
    fn nothing_below_the_limit_is_looked_at() {
        assert_eq!(Measure::of(&json!([[[[[1]]]]]), 2).depth, 3);
    }
}
