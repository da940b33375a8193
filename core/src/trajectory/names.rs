//! What a tool's name says of it: what its results are, whether running it again does something again, whether it
//! waits for something, whether equal calls are meant to differ.
//!
//! Names are the weakest evidence: policy and MCP hints come first. A name that says nothing proves nothing.

use crate::policy::Effect;

/// What a tool's results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Logs and matches: errors are their content.
    Log,
    /// Files, pages, mails, output of commands: any text is their content.
    Document,
    /// An answer of yes or no: `false` is an answer.
    Question,
    /// A list of hits: none is an answer.
    Search,
    /// One thing by its key: none is a failure.
    Lookup,
    /// The name does not say.
    Other,
}

/// The purpose that a name tells.
pub fn purpose(name: &str) -> Purpose {
    let any = |known: &[&str]| words(name).any(|word| is_one_of(word, known));
    if any(LOG) {
        Purpose::Log
    } else if any(DOCUMENT) {
        Purpose::Document
    } else if any(QUESTION) {
        Purpose::Question
    } else if any(SEARCH) {
        Purpose::Search
    } else if any(LOOKUP) {
        Purpose::Lookup
    } else {
        Purpose::Other
    }
}

/// What running a tool of this name again does, from the first verb in it. `None`: the name does not say.
pub fn effect(name: &str) -> Option<Effect> {
    words(name).find_map(|word| {
        if is_one_of(word, READS) {
            Some(Effect::ReadOnly)
        } else if is_one_of(word, IDEMPOTENT) {
            Some(Effect::Idempotent)
        } else if is_one_of(word, ONCE) {
            Some(Effect::Once)
        } else {
            None
        }
    })
}

/// Whether equal calls of a tool of this name are meant to give different things: dice, samples, sub-agents, pings.
pub fn is_repeatable(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "roll", "random", "dice", "die", "flip", "toss", "coin", "draw", "shuffle", "sample", "generate", "spawn",
        "agent", "subagent", "task", "ping", "uuid", "next", "sleep", "wait", "delay", "advance", "step", "tick",
        "press", "click", "scroll", "tap", "swipe",
    ];
    words(name).any(|word| is_one_of(word, WORDS))
}

/// Whether a tool of this name waits for something, whatever it gives.
pub fn is_wait(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "poll", "wait", "await", "watch", "monitor", "progress", "sleep", "delay",
    ];
    words(name).any(|word| is_one_of(word, WORDS))
}

/// Whether a tool of this name tells how far something is, as long as it says that the work goes on.
pub fn is_status(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "status",
        "state",
        "ready",
        "health",
        "job",
        "task",
        "build",
        "run",
        "deployment",
        "deploy",
        "operation",
        "process",
        "output",
        "result",
        "results",
        "batch",
        "export",
        "import",
        "upload",
        "workflow",
        "pipeline",
        "check",
        "render",
        "training",
        "scan",
        "crawl",
        "session",
        "stdin",
    ];
    words(name).any(|word| is_one_of(word, WORDS))
}

/// Whether a tool of this name undoes what another has done.
pub fn is_undo(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "delete", "remove", "cancel", "undo", "revert", "rollback", "reset", "rm", "unsend", "clear", "restore",
        "archive",
    ];
    words(name).any(|word| is_one_of(word, WORDS))
}

/// The words of a name: `getUserId`, `get_user_id`, `mcp__db__get-user` fall apart at separators and humps.
pub fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric())
        .flat_map(humps)
        .filter(|word| !word.is_empty())
}

fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut previous_is_lower = false;
        for (index, c) in rest.char_indices() {
            if c.is_uppercase() && previous_is_lower {
                let (head, tail) = rest.split_at_checked(index)?;
                rest = tail;
                return Some(head);
            }
            previous_is_lower = c.is_lowercase() || c.is_ascii_digit();
        }
        (!rest.is_empty()).then(|| std::mem::take(&mut rest))
    })
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

const LOG: &[&str] = &[
    "log",
    "logs",
    "tail",
    "grep",
    "journal",
    "trace",
    "traces",
    "history",
    "events",
    "console",
    "diagnostics",
];

const DOCUMENT: &[&str] = &[
    "read",
    "cat",
    "head",
    "file",
    "files",
    "page",
    "pages",
    "url",
    "browse",
    "browser",
    "web",
    "website",
    "webpage",
    "crawl",
    "scrape",
    "shell",
    "bash",
    "exec",
    "execute",
    "run",
    "command",
    "terminal",
    "python",
    "code",
    "script",
    "test",
    "tests",
    "stdout",
    "output",
    "email",
    "emails",
    "mail",
    "message",
    "messages",
    "document",
    "documents",
    "doc",
    "docs",
    "content",
    "contents",
    "view",
    "open",
    "download",
    "inbox",
    "note",
    "notes",
    "channel",
    "chat",
    "review",
    "reviews",
    "html",
    "http",
    "fetch",
    "article",
    "issue",
    "issues",
    "comments",
    "stdin",
    "process",
];

const QUESTION: &[&str] = &[
    "is",
    "has",
    "can",
    "check",
    "verify",
    "validate",
    "exists",
    "status",
    "state",
    "health",
    "compare",
    "authenticate",
    "login",
];

const SEARCH: &[&str] = &[
    "search",
    "find",
    "list",
    "query",
    "filter",
    "match",
    "discover",
    "all",
    "available",
];

const LOOKUP: &[&str] = &[
    "get", "lookup", "retrieve", "describe", "detail", "details", "show", "info",
];

const READS: &[&str] = &[
    "get",
    "list",
    "search",
    "find",
    "read",
    "fetch",
    "show",
    "view",
    "describe",
    "check",
    "count",
    "query",
    "lookup",
    "ls",
    "cat",
    "grep",
    "pwd",
    "diff",
    "wc",
    "head",
    "tail",
    "calculate",
    "compute",
    "estimate",
    "convert",
    "compare",
    "is",
    "has",
    "can",
    "may",
    "verify",
    "validate",
    "think",
    "retrieve",
    "display",
    "inspect",
    "browse",
    "ping",
    "translate",
    "summarize",
    "analyze",
    "preview",
    "resolve",
    "lookup",
    "poll",
    "wait",
    "status",
    "stat",
    "du",
    "screenshot",
    "sort",
    "mean",
    "sum",
    "add_numbers",
    "help",
    "logarithm",
    "recommend",
    "explain",
    "detect",
    "extract",
    "parse",
    "classify",
    "monitor",
    "watch",
    "scan",
    "route",
];

const IDEMPOTENT: &[&str] = &[
    "set",
    "update",
    "put",
    "delete",
    "remove",
    "cd",
    "close",
    "lock",
    "unlock",
    "mark",
    "enable",
    "disable",
    "cancel",
    "save",
    "write",
    "overwrite",
    "replace",
    "rename",
    "move",
    "mv",
    "cp",
    "copy",
    "mkdir",
    "touch",
    "rm",
    "login",
    "authenticate",
    "logout",
    "edit",
    "modify",
    "patch",
    "sync",
    "open",
    "activate",
    "deactivate",
    "grant",
    "revoke",
    "subscribe",
    "unsubscribe",
    "follow",
    "unfollow",
    "start",
    "stop",
    "resume",
    "pause",
    "adjust",
    "navigate",
    "goto",
    "restart",
];

const ONCE: &[&str] = &[
    "send",
    "create",
    "add",
    "post",
    "book",
    "pay",
    "transfer",
    "place",
    "buy",
    "purchase",
    "submit",
    "publish",
    "append",
    "insert",
    "increment",
    "reply",
    "invite",
    "reserve",
    "charge",
    "refund",
    "withdraw",
    "deposit",
    "comment",
    "notify",
    "email",
    "tweet",
    "retweet",
    "donate",
    "order",
    "sms",
    "spawn",
    "duplicate",
    "redeem",
    "forward",
    "dispatch",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_apart() {
        let split = |name: &'static str| words(name).collect::<Vec<_>>();
        assert_eq!(split("getUserId"), ["get", "User", "Id"]);
        assert_eq!(split("mcp__db__get-user"), ["mcp", "db", "get", "user"]);
        assert_eq!(split("startHTTPServer"), ["start", "HTTPServer"]);
        assert!(split("__").is_empty());
    }

    #[test]
    fn verbs_decide() {
        for (name, expected) in [
            ("get_order_details", Some(Effect::ReadOnly)),
            ("posting_get_login_status", Some(Effect::ReadOnly)),
            ("mcp__mail__send_message", Some(Effect::Once)),
            ("placeOrder", Some(Effect::Once)),
            ("delete_file", Some(Effect::Idempotent)),
            ("gadget", None),
        ] {
            assert_eq!(effect(name), expected, "{name}");
        }
    }
}
