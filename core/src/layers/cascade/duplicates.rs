//! `duplicate_call`: the same call twice in one response runs once, and its result answers both ids.
//!
//! Copies under one id are always copies. Under ids of their own, equal calls stay where the user counted them, and
//! where the tool is one whose equal calls are meant to differ: dice, samples, sub-agents.

use serde_json::Value;

use super::intent;
use crate::{
    code::Code,
    finding::Finding,
    trajectory::{Fingerprint, canonical, names},
};

/// One of the calls of a response.
#[derive(Debug, Clone, Copy)]
pub struct Parallel<'a> {
    /// The call's id.
    pub id: &'a str,
    /// Whether the model gave the id.
    pub id_given: bool,
    /// The tool's real name; as written where there is no such tool.
    pub name: &'a str,
    /// The arguments as they would be forwarded. `None`: unreadable; such a call is no one's duplicate.
    pub arguments: Option<&'a Value>,
}

/// A call that an earlier one of the same response makes needless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// Position of the call that does not run.
    pub index: usize,
    /// Position of the call whose result answers it.
    pub of: usize,
}

impl Duplicate {
    /// The finding for the call that does not run.
    pub fn finding(name: &str, id: &str) -> Finding {
        Finding::new(
            Code::DuplicateCall,
            format!("`{name}` is called twice with the same arguments in one response; it runs once"),
        )
        .suggestion(format!("The result of {id} answers this call too."))
    }
}

/// The calls of one response that repeat another of it, in order. `said`: what the user asked.
pub fn duplicates(calls: &[Parallel<'_>], said: Option<&str>) -> Vec<Duplicate> {
    let mut found = Vec::new();
    if calls.len() < 2 {
        return found;
    }
    let keys: Vec<Option<Fingerprint>> = calls
        .iter()
        .map(|call| call.arguments.map(canonical::arguments))
        .collect();
    let mut firsts: Vec<(usize, u32)> = Vec::new();
    for (index, (call, key)) in calls.iter().zip(&keys).enumerate() {
        if key.is_none() {
            continue;
        }
        let is_same = |first: usize| {
            keys.get(first) == Some(key) && calls.get(first).is_some_and(|other| other.name == call.name)
        };
        let Some((first, runs)) = firsts.iter_mut().find(|(first, _)| is_same(*first)) else {
            firsts.push((index, 1));
            continue;
        };
        let has_own_id = !call.id_given
            || !calls
                .iter()
                .take(index)
                .any(|other| other.id_given && other.id == call.id && other.name == call.name);
        // "Again" asks for one more run, not for two at once.
        let wanted = intent::wanted(said.into_iter(), call.name);
        let on_purpose = names::is_repeatable(call.name) || (wanted != u32::MAX && *runs < wanted);
        if has_own_id && on_purpose {
            *runs += 1;
        } else {
            found.push(Duplicate { index, of: *first });
        }
    }
    found
}
