//! Commands and SQL smuggled into a value that is neither.
//!
//! Only fields that want a short value of their own are looked at: ids, names, dates, hosts, files. What counts is the
//! grammar of an escape, never a single character: a quote that closes a string which the value did not open, a
//! separator followed by a program and its arguments, a query glued to another. `O'Brien`, `AT&T`, `id|name` and
//! `status = 'open' and type = 'bug'` are none.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    code::Code,
    finding::Finding,
    layers::{
        Inspection,
        value::{decode::plain_path, leaf::Leaf, target::is_url, words::Words},
    },
    policy::Role,
};

/// Longest text that is looked at, in bytes: a smuggled command hides in a short value.
const MAX_BYTES: usize = 2_048;

/// The same in a field of unknown role, which may be a document.
const MAX_UNKNOWN_BYTES: usize = 256;

/// Programs whose names are no words of a language.
const PROGRAMS: &str = "whoami|uname|ifconfig|ipconfig|netstat|netsh|nslookup|wget|curl|bash|zsh|ksh|powershell|pwsh|\
    cmd\\.exe|ncat|netcat|tcpdump|chmod|chown|chgrp|mkfifo|systeminfo|tasklist|wmic|certutil|rundll32|regsvr32|\
    crontab|useradd|passwd|sudo|nmap|telnet|tftp|phpinfo|phpversion";

/// Programs whose names are words too: they count with arguments as programs take them.
const WORDS: &str = "ls|cat|id|pwd|ps|nc|sh|rm|mv|cp|dd|echo|ping|sleep|perl|python3?|ruby|php|node|env|find|grep|awk|\
    sed|head|tail|more|less|dir|type|net|reg|del|copy|kill|touch|mkdir|ssh|scp|eval|exec|system|nohup|xargs|tee|set|\
    printf|who|w|hostname|date|host|dig|mail|at|arp|route|mount|tar";

static SQL: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        // A second query glued to the first.
        r#"union\s+all\s+select|union\s+select\s*(?:[\d'"@(*]|null\b|char\b|concat)|union\s+select\b[^;]{1,200}\sfrom\s+\w"#,
        // Waiting, by which a blind attacker reads: MySQL, PostgreSQL, SQLite, SQL Server, Oracle.
        r#"(?:pg_sleep|sleep|benchmark|randomblob|dbms_pipe\.receive_message|dbms_lock\.sleep)\s*\(\s*['"]?\d"#,
        r#"waitfor\s+(?:delay|time)\s*['"]"#,
        // Another statement after the first.
        r#";\s*(?:drop\s+(?:table|database|schema|view|user|index)|delete\s+from|insert\s+into|truncate\s+table|alter\s+table|update\s+\w+\s+set|exec(?:ute)?\s+(?:xp|sp)_|shutdown\b)"#,
        r#"\b(?:xp_cmdshell|information_schema\.|@@version\b)"#,
        r#"\bselect\b[^;]{0,200}\bfrom\s*\(\s*select\b"#,
        // What is always true.
        r#"\b(?:or|and)\s+\d+\s*=\s*\d"#,
    ])
});

/// What follows a quote that closes a string: a condition, or the start of a comment at the end.
static SQL_BREAK: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r#"^[\s)]*(?:or|and|\|\||&&|xor)[\s('"][^=<>]{0,80}(?:=|<|>|\blike\b|\bis\b)"#,
        r#"^[\s)]*(?:or|and|\|\||&&)\b.{0,200}(?:--|#|/\*)\s*$"#,
        r#"^[\s);]*(?:--|#|/\*)\s*$"#,
    ])
});

static SHELL: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let separator = r"(?:[;|\n`]|&&|\$\()";
    let folder = r"(?:/(?:usr/)?(?:local/)?s?bin/)";
    let argument = r#"\s+(?:-{1,2}\w|/\w|\.{0,2}/|\d|[\w.]+\.\w|\$|["'*~]|[a-z]:\\|/[a-z])"#;
    compile(&[
        // A function definition that is run when it is imported (CVE-2014-6271).
        r"\(\)\s*\{\s*:?;?\s*\}\s*;",
        &format!(r"{separator}\s*{folder}?(?:{PROGRAMS})\b"),
        &format!(r"{separator}\s*{folder}\w+"),
        &format!(r"{separator}\s*(?:{WORDS}){argument}"),
        &format!(r"&\s*(?:(?:{PROGRAMS})(?:\s|;|$)|(?:{WORDS}){argument})"),
        // Nothing but commands can begin with a separator and go on with a program.
        &format!(r#"^["'\s]*(?:;|\|\|?|&&?|\n)\s*{folder}?(?:{PROGRAMS}|{WORDS})\s*(?:$|["';|&(\s])"#),
        &format!(r"{separator}\s*(?:reg\s+(?:add|query|delete)|net\s+(?:user|view|localgroup|share|start|stop|use))\b"),
        r"\$\{?IFS\b",
    ])
});

/// Program text in a field that holds a name, an id or a date.
static CODE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let argument = r"\s+(?:-[a-z]|/[a-z]|[a-z]:\\)";
    compile(&[
        r#"(?:eval|exec|system|passthru|shell_exec|popen|proc_open|phpinfo|phpversion)\s*\(\s*(?:["'$]|\))"#,
        r"<\?php\b|<!--#exec\b|\{\$\{|;\s*\{\s*\$_",
        r#"[;|\n]\s*(?:id|ls|pwd|ps)\s*(?:[;|\n"']|$)"#,
        &format!(r"^\s*(?:{PROGRAMS}|{WORDS}){argument}"),
    ])
});

fn compile(patterns: &[&str]) -> Vec<Regex> {
    patterns
        .iter()
        .filter_map(|it| Regex::new(&format!("(?is){it}")).ok())
        .collect()
}

/// Whether a text holds anything without which nothing can be smuggled.
pub(super) fn suspects(text: &str) -> bool {
    let bytes = text.as_bytes();
    let sign = |it: u8| {
        matches!(
            it,
            b';' | b'|' | b'&' | b'`' | b'$' | b'(' | b'\'' | b'"' | b'%' | b'\\' | b'\n' | b'=' | b'<'
        )
    };
    // `ls -l`, `cat /etc/hosts`, `--`: a dash or slash alone stands in every date.
    let option = || {
        bytes
            .windows(2)
            .any(|two| matches!(two, [b' ' | b'-', b'-'] | [b' ', b'/']))
    };
    let query = || {
        [&b"select"[..], b"SELECT", b"Select"]
            .iter()
            .any(|it| memchr::memmem::find(bytes, it).is_some())
    };
    text.len() <= MAX_BYTES && (bytes.iter().copied().any(sign) || option() || query())
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
struct Look {
    sql: bool,
    quotes: bool,
    shell: bool,
    code: bool,
}

impl Look {
    const ALL: Look = Look {
        sql: true,
        quotes: true,
        shell: true,
        code: true,
    };
}

/// Looks at one text.
pub(super) fn inspect(
    leaf: &Leaf<'_>,
    role: Role,
    words: &Words<'_>,
    inspection: &Inspection<'_>,
    findings: &mut Vec<Finding>,
) {
    let not_code = Look {
        code: false,
        ..Look::ALL
    };
    let look = match role {
        Role::Identifier | Role::Label | Role::Host | Role::Email | Role::Date | Role::Amount => Look::ALL,
        Role::Unknown if may_be_program(leaf, inspection) => return,
        Role::Path | Role::Unknown => not_code,
        Role::Url if !is_url(leaf.text) => not_code,
        // Separators belong in a URL, spaces do not; in a password anything does but a whole query.
        Role::Url if leaf.text.contains(char::is_whitespace) => Look {
            sql: false,
            quotes: false,
            ..not_code
        },
        Role::Secret => Look {
            quotes: false,
            shell: false,
            ..not_code
        },
        Role::Url | Role::Command | Role::Sql | Role::Code | Role::FreeText | Role::Template => return,
    };
    let plain = if leaf.text.contains('%') {
        plain_path(leaf.text)
    } else {
        leaf.text.replace("\\n", "\n")
    };
    let any = |wanted: bool, patterns: &[Regex]| wanted && patterns.iter().any(|it| it.is_match(&plain));
    let (code, message) = if any(look.sql, &SQL) || look.quotes && breaks_out(&plain) {
        (Code::SqlInjection, "SQL in a field that holds a value")
    } else if any(look.shell, &SHELL) || any(look.code, &CODE) {
        (Code::ShellInjection, "a command in a field that holds a value")
    } else {
        return;
    };
    if words.say(leaf.text) || leaf.offered(inspection) {
        return;
    }
    findings.push(
        Finding::new(code, message)
            .at(leaf.pointer())
            .received(leaf.text)
            .suggestion("give the plain value and nothing else"),
    );
}

/// Whether a field of unknown role may hold a command, a query, or a text of several lines.
fn may_be_program(leaf: &Leaf<'_>, inspection: &Inspection<'_>) -> bool {
    const SPEAKS_OF: [&str; 12] = [
        "shell",
        "command",
        "terminal",
        "bash",
        "sql",
        "script",
        "source code",
        "expression",
        "regex",
        "program",
        "snippet",
        "file content",
    ];
    leaf.text.len() > MAX_UNKNOWN_BYTES || leaf.text.contains('\n') || leaf.described(inspection, &SPEAKS_OF)
}

/// Whether a quote closes a string that the text did not open, and SQL goes on behind it.
fn breaks_out(text: &str) -> bool {
    ['\'', '"'].iter().any(|quote| {
        let (mut before, mut odd) = (0_usize, false);
        for part in text.split(*quote) {
            // What lies behind the first, third, fifth … quote was outside no string of the text's own.
            if odd {
                let rest = text.get(before..).unwrap_or_default();
                if SQL_BREAK.iter().any(|it| it.is_match(rest)) {
                    return true;
                }
            }
            before += part.len() + quote.len_utf8();
            odd = !odd;
            if before > MAX_BYTES {
                break;
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!([SQL.len(), SQL_BREAK.len(), SHELL.len(), CODE.len()], [7, 3, 8, 4]);
    }
}
