//! JSON as this service needs it: numbers keep their digits, repeated keys and lone surrogates are seen, time and
//! depth are bounded, and every fault has a position.
//!
//! [`read`] is RFC 8259 and nothing else. [`rescue`] is for text that [`read`] refuses: it accepts a few deviations that
//! have exactly one lossless reading, and names each that it met.

mod fault;
mod parser;
mod rescue;

pub use fault::{Fault, FaultKind};
pub use rescue::{Repair, Rescued, rescue};

use serde_json::Value;

use crate::limits::Limits;
use parser::Parser;

/// Reads strict JSON.
///
/// # Errors
/// The first [`Fault`]; a repeated key is one, whatever its values.
pub fn read(text: &str, limits: &Limits) -> Result<Value, Fault> {
    if text.len() > limits.max_arguments_bytes {
        return Err(Fault::new(FaultKind::TooLarge, text, 0));
    }
    let mut parser = Parser::strict(text, limits.max_arguments_depth);
    let value = parser.value()?;
    parser.end()?;
    Ok(value)
}
