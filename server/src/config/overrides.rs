//! `TOOLWARD__SECTION__KEY=value` in the environment takes the place of the file's `key` in `[section]`.

use toml::{Table, Value};

use super::fault::ConfigFault;

const PREFIX: &str = "TOOLWARD__";

/// Puts the environment's values into the table. Other variables are not looked at.
pub(super) fn apply(root: &mut Table, environment: &[(String, String)], faults: &mut Vec<ConfigFault>) {
    for (name, text) in environment {
        let Some(path) = name.strip_prefix(PREFIX) else { continue };
        let mut keys: Vec<String> = path.split("__").map(str::to_ascii_lowercase).collect();
        let last = keys.pop().unwrap_or_default();
        if keys.is_empty() || last.is_empty() || keys.iter().any(String::is_empty) {
            let expected = Some(format!("{PREFIX}SECTION__KEY"));
            faults.push(ConfigFault::new(name.as_str(), "names no section and key", expected));
            continue;
        }
        let mut table = &mut *root;
        let mut fits = true;
        for key in keys {
            let entry = table.entry(key).or_insert_with(|| Value::Table(Table::new()));
            match entry {
                Value::Table(inner) => table = inner,
                _ => {
                    fits = false;
                    break;
                }
            }
        }
        if fits {
            table.insert(last, value(text));
        } else {
            faults.push(ConfigFault::new(name.as_str(), "leads into a key that is no section", None));
        }
    }
}

/// Whole numbers and truth values are read as such, everything else is a text.
fn value(text: &str) -> Value {
    let trimmed = text.trim();
    if let Ok(number) = trimmed.parse::<i64>() {
        return Value::Integer(number);
    }
    match trimmed {
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        _ => Value::String(text.to_owned()),
    }
}
