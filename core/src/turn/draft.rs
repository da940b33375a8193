//! A turn on its way from a reader: calls as they stood, before ids, arguments and cuts are looked at.
//!
//! What every wire has in common is done here once: an id for every call, the arguments read, calls found in the text,
//! and a cut by the output limit told of the call that it hit.

use std::borrow::Cow;

use ahash::AHashSet;

use super::{
    Call, Finish, Origin, ReadOptions, Turn, WireFormat,
    arguments::{self, Written},
    raw::{Kind, Node, Object},
    text,
};
use crate::{
    code::Code,
    finding::Finding,
    limits::{Reason, Refusal},
    tools::ToolSet,
};

/// A turn as a reader left it.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub format: WireFormat,
    pub text: Cow<'a, str>,
    pub calls: Vec<Proposed<'a>>,
    pub finish: Finish,
    pub findings: Vec<Finding>,
    pub origin: Origin,
}

/// A call as a reader left it.
#[derive(Debug)]
pub(super) struct Proposed<'a> {
    pub id: Option<Cow<'a, str>>,
    /// Whether the wire wants an id, so that a missing one is a fault.
    pub wants_id: bool,
    /// Empty where there was none.
    pub name: Cow<'a, str>,
    pub written: Written<'a>,
    pub findings: Vec<Finding>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(format: WireFormat) -> Self {
        Self {
            format,
            text: Cow::Borrowed(""),
            calls: Vec::new(),
            finish: Finish::Unsaid,
            findings: Vec::new(),
            origin: Origin::default(),
        }
    }

    /// A turn of which nothing could be read but what is wrong with it.
    pub(super) fn broken(format: WireFormat, finding: Finding) -> Self {
        Self {
            findings: vec![finding],
            ..Self::new(format)
        }
    }

    /// Adds a part of the text.
    pub(super) fn say(&mut self, part: Cow<'a, str>) {
        if self.text.is_empty() {
            self.text = part;
        } else {
            self.text.to_mut().push_str(&part);
        }
    }

    /// Adds a content: a text, or parts.
    pub(super) fn say_content(&mut self, content: Option<Node<'a>>) {
        let Some(content) = content else { return };
        if content.kind() == Kind::String {
            self.say_string(content);
        }
        for part in content.items().unwrap_or_default() {
            match part.object() {
                Some(part) => self.say_part(&part),
                None => self.say_string(part),
            }
        }
    }

    /// Adds one part of a content, where it is text.
    pub(super) fn say_part(&mut self, part: &Object<'a>) {
        let is_text = match part.get("type") {
            Some(kind) => matches!(kind.string().as_deref(), Some("text" | "output_text")),
            None => true,
        };
        if let (true, Some(text)) = (is_text, part.get("text")) {
            self.say_string(text);
        }
    }

    fn say_string(&mut self, node: Node<'a>) {
        match node.string() {
            Some(text) => self.say(text),
            None if node.kind() == Kind::String => {
                let message = "the text holds half of a surrogate pair: no character";
                self.findings.push(Finding::new(Code::InvalidEncoding, message));
            }
            None => {}
        }
    }

    /// The same, on its own.
    pub(super) fn into_owned(self) -> Draft<'static> {
        Draft {
            format: self.format,
            text: Cow::Owned(self.text.into_owned()),
            calls: self.calls.into_iter().map(Proposed::into_owned).collect(),
            finish: self.finish,
            findings: self.findings,
            origin: self.origin,
        }
    }

    /// The finished turn.
    pub(super) fn turn(mut self, toolset: &ToolSet, options: ReadOptions<'_>) -> Result<Turn<'a>, Refusal> {
        if self.calls.is_empty() && reads_text(self.format) && !toolset.tools().is_empty() {
            self.look_into_text(toolset, options);
        }
        if self.calls.len() > options.limits.max_calls {
            let message = format!(
                "{} calls; at most {} are allowed",
                self.calls.len(),
                options.limits.max_calls
            );
            return Err(Refusal::new(Reason::TooManyCalls, message));
        }
        if self.finish == Finish::Malformed {
            let message = "the provider gave up on a call that the model had written wrong";
            self.findings.push(
                Finding::new(Code::MalformedJson, message).suggestion("call the tool again, with JSON arguments"),
            );
        }
        let mut calls: Vec<Call<'a>> = Vec::with_capacity(self.calls.len());
        let mut ids = Ids::of(&self.calls);
        for proposed in self.calls {
            let call = finish_call(proposed, &mut ids, &calls, options);
            calls.push(call);
        }
        let mut turn = Turn {
            format: self.format,
            text: self.text,
            calls,
            finish: self.finish,
            findings: self.findings,
            origin: self.origin,
        };
        if turn.finish == Finish::Length {
            cut(&mut turn);
        }
        Ok(turn)
    }

    fn look_into_text(&mut self, toolset: &ToolSet, options: ReadOptions<'_>) {
        let text = std::mem::take(&mut self.text);
        let mut found = match &text {
            Cow::Borrowed(text) => text::find(text, toolset, options),
            Cow::Owned(text) => text::find(text, toolset, options).into_owned(),
        };
        if found.cut {
            self.findings.push(cut_finding(CUT_TEXT));
        }
        if found.calls.is_empty() {
            self.text = text;
            return;
        }
        if self.format != WireFormat::Text {
            for call in &mut found.calls {
                call.findings.push(in_text());
            }
        }
        self.text = found.text;
        self.origin.blocks = found.blocks;
        self.calls = found.calls;
    }
}

impl Proposed<'_> {
    /// The same, on its own.
    pub(super) fn into_owned(self) -> Proposed<'static> {
        Proposed {
            id: self.id.map(|id| Cow::Owned(id.into_owned())),
            wants_id: self.wants_id,
            name: Cow::Owned(self.name.into_owned()),
            written: self.written.into_owned(),
            findings: self.findings,
        }
    }
}

/// Whether calls may be written in the text of this wire.
fn reads_text(format: WireFormat) -> bool {
    match format {
        WireFormat::OpenaiChat
        | WireFormat::OpenaiResponses
        | WireFormat::OpenaiSse
        | WireFormat::Anthropic
        | WireFormat::Gemini
        | WireFormat::Ollama
        | WireFormat::Text => true,
        WireFormat::Mcp | WireFormat::JsonMode => false,
    }
}

fn in_text() -> Finding {
    Finding::new(
        Code::RepairedCallInText,
        "the call stood in the text and was read from there",
    )
    .expected("a call in the place for calls")
}

/// Ids that are taken, and the next to be made.
struct Ids {
    taken: AHashSet<String>,
    next: usize,
}

impl Ids {
    fn of(calls: &[Proposed<'_>]) -> Self {
        let taken = calls
            .iter()
            .filter_map(|call| call.id.as_deref())
            .map(str::to_owned)
            .collect();
        Self { taken, next: 1 }
    }

    fn make(&mut self) -> String {
        loop {
            let id = format!("call_{}", self.next);
            self.next += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}

fn finish_call<'a>(proposed: Proposed<'a>, ids: &mut Ids, earlier: &[Call<'a>], options: ReadOptions<'_>) -> Call<'a> {
    let mut findings = proposed.findings;
    let arguments = arguments::read(proposed.written, options, &mut findings);
    let given = proposed.id.filter(|id| !id.trim().is_empty());
    let other = given.as_ref().and_then(|id| earlier.iter().find(|call| call.id == *id));
    let (id, id_given) = match (given, other) {
        (Some(id), None) => (id, true),
        (Some(id), Some(other)) if other.name == proposed.name && same(&other.arguments, &arguments) => (id, true),
        (Some(_), Some(_)) => {
            findings.push(Finding::new(
                Code::RepairedCallId,
                "another call has the same id; this one was given its own",
            ));
            (Cow::Owned(ids.make()), false)
        }
        (None, _) => {
            if proposed.wants_id {
                findings.push(Finding::new(
                    Code::RepairedCallId,
                    "the call had no id and was given one",
                ));
            }
            (Cow::Owned(ids.make()), false)
        }
    };
    if proposed.name.trim().is_empty() {
        findings.push(Finding::new(Code::MalformedJson, "the call has no name").expected("the name of a tool"));
    }
    Call {
        id,
        id_given,
        name: proposed.name,
        arguments,
        findings,
    }
}

fn same(one: &super::Arguments<'_>, other: &super::Arguments<'_>) -> bool {
    one.received == other.received || (one.reading.value().is_some() && one.reading.value() == other.reading.value())
}

/// Tells the calls that the output limit cut: those that do not close, else the last one, which may be short of
/// arguments though it parses.
fn cut(turn: &mut Turn<'_>) {
    let mut told = false;
    for call in &mut turn.calls {
        for finding in call
            .findings
            .iter_mut()
            .filter(|finding| finding.code == Code::Truncated)
        {
            *finding = cut_finding(CUT_OPEN);
            told = true;
        }
    }
    if let (false, Some(last)) = (told, turn.calls.last_mut()) {
        last.findings.push(cut_finding(CUT_CLOSED));
    }
}

const CUT_TEXT: &str = "the text ends in the middle of a tool call";
const CUT_OPEN: &str = "the output was cut off in the middle of this call, by the output limit or a broken stream";
const CUT_CLOSED: &str =
    "the output was cut off at this call, by the output limit or a broken stream; its arguments may not be whole";

fn cut_finding(message: &'static str) -> Finding {
    Finding::new(Code::Truncated, message).suggestion("send the whole call again, in smaller parts if it is long")
}
