//! Calls written back into text, in the notation in which they were found.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{
    Notation, deepseek, harmony, hermes, llama,
    markup::{DSML, Markup, QWEN},
    mistral, python,
};

/// A call that is to be written.
pub(in crate::turn) struct Outgoing<'w> {
    pub name: &'w str,
    /// JSON text.
    pub arguments: &'w str,
}

/// Writes the calls of one block.
pub(in crate::turn) fn write(notation: Notation, calls: &[Outgoing<'_>]) -> String {
    match notation {
        Notation::Hermes => each(calls, "\n", |call| {
            format!("{}\n{}\n{}", hermes::OPEN, object(call, "arguments"), hermes::CLOSE)
        }),
        Notation::Llama => format!(
            "{}{}",
            llama::OPEN,
            each(calls, "; ", |call| object(call, "parameters"))
        ),
        Notation::Mistral => {
            format!(
                "{}[{}]",
                mistral::OPEN,
                each(calls, ", ", |call| object(call, "arguments"))
            )
        }
        Notation::DeepSeek => {
            let calls = each(calls, "", |call| {
                let parts = [
                    deepseek::BEGIN,
                    call.name,
                    deepseek::SEPARATOR,
                    call.arguments,
                    deepseek::END,
                ];
                parts.concat()
            });
            [deepseek::ALL_BEGIN, &calls, deepseek::ALL_END].concat()
        }
        Notation::QwenXml => each(calls, "\n", |call| element(&QWEN, call)),
        Notation::Dsml => {
            let [before, behind] = DSML.around;
            format!("{before}\n{}\n{behind}", each(calls, "\n", |call| element(&DSML, call)))
        }
        Notation::Harmony => each(calls, "", |call| {
            let head = format!("<|channel|>commentary to=functions.{} <|constrain|>json", call.name);
            [&head, harmony::MESSAGE, call.arguments, harmony::CALL].concat()
        }),
        Notation::Json => match calls {
            [call] => object(call, "arguments"),
            _ => format!("[{}]", each(calls, ", ", |call| object(call, "arguments"))),
        },
        Notation::ToolLine => each(calls, "\n", |call| {
            format!("TOOL: {}", python::write_call(call.name, &entries(call)))
        }),
        Notation::Pythonic => {
            format!(
                "[{}]",
                each(calls, ", ", |call| python::write_call(call.name, &entries(call)))
            )
        }
    }
}

fn each(calls: &[Outgoing<'_>], between: &str, write: impl Fn(&Outgoing<'_>) -> String) -> String {
    calls.iter().map(write).collect::<Vec<_>>().join(between)
}

fn object(call: &Outgoing<'_>, key: &str) -> String {
    let arguments = if call.arguments.is_empty() {
        "{}"
    } else {
        call.arguments
    };
    format!("{{\"name\": {}, \"{key}\": {arguments}}}", Value::from(call.name))
}

fn entries(call: &Outgoing<'_>) -> Map<String, Value> {
    serde_json::from_str(call.arguments).unwrap_or_default()
}

fn element(markup: &Markup, call: &Outgoing<'_>) -> String {
    let mut out = String::new();
    let quoted = markup.open_end.starts_with('"');
    let _ = write!(out, "{}{}{}", markup.open, call.name, markup.open_end);
    for (key, value) in &entries(call) {
        let (text, is_text) = match value {
            Value::String(text) => (text.clone(), true),
            other => (other.to_string(), false),
        };
        let head = if quoted {
            format!("{key}\" string=\"{is_text}\">")
        } else {
            format!("{key}>\n")
        };
        let foot = if quoted { "" } else { "\n" };
        let _ = write!(out, "\n{}{head}{text}{foot}{}", markup.parameter, markup.parameter_end);
    }
    out.push('\n');
    out.push_str(markup.close);
    if quoted {
        out
    } else {
        format!("{}\n{out}\n{}", hermes::OPEN, hermes::CLOSE)
    }
}
