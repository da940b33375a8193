//! What a text argument is for, from its schema's format, its name and its description.
//!
//! The nearest word decides: `image_url` is a URL and `url_count` is not. A name that says nothing leaves the word to
//! the description; a description that says nothing leaves the role unknown, and rules that need to know it stay silent.

use serde_json::Value;

use crate::{finding::beginning, policy::Role};

/// Bytes of a description that are read.
const MAX_DESCRIPTION_BYTES: usize = 512;

/// The role of a text whose schema is `schema` and whose name is `name`.
pub(super) fn infer(name: &str, schema: Option<&Value>) -> Role {
    let keyword = |key: &str| schema.and_then(|schema| schema.get(key)).and_then(Value::as_str);
    if let Some(role) = keyword("format").and_then(of_format) {
        return role;
    }
    let description = keyword("description")
        .map(|text| beginning(text, MAX_DESCRIPTION_BYTES))
        .unwrap_or_default()
        .to_ascii_lowercase();
    match of_name(name) {
        // `query` is words for people or SQL, `code` a program or a short name: the description knows.
        Role::FreeText if tells(&description, &["sql "]) || description.ends_with("sql") => Role::Sql,
        Role::FreeText if tells(&description, &["shell command", "command line"]) => Role::Command,
        Role::FreeText | Role::Identifier if tells(&description, &["source code", "python code", "javascript"]) => {
            Role::Code
        }
        Role::Unknown => of_description(&description),
        role => role,
    }
}

fn tells(description: &str, words: &[&str]) -> bool {
    words.iter().any(|word| description.contains(word))
}

fn of_format(format: &str) -> Option<Role> {
    match format {
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => Some(Role::Url),
        "uri-template" => Some(Role::Template),
        "email" | "idn-email" => Some(Role::Email),
        "hostname" | "idn-hostname" | "ipv4" | "ipv6" => Some(Role::Host),
        "date" | "date-time" | "time" | "duration" => Some(Role::Date),
        "uuid" => Some(Role::Identifier),
        "password" => Some(Role::Secret),
        "regex" => Some(Role::Code),
        _ => None,
    }
}

fn of_description(description: &str) -> Role {
    const HINTS: [(&[&str], Role); 9] = [
        (&["shell command", "command to run", "command line"], Role::Command),
        (&["sql query", "sql statement"], Role::Sql),
        (
            &["regular expression", "regex", "source code", "expression", "html"],
            Role::Code,
        ),
        (&["template"], Role::Template),
        (
            &[
                "file path",
                "path to",
                "path of",
                "absolute path",
                "directory",
                "filename",
                "file name",
            ],
            Role::Path,
        ),
        (&["url"], Role::Url),
        (&["hostname", "ip address", "domain name"], Role::Host),
        (&["email address", "e-mail address"], Role::Email),
        (&["api key", "password", "access token"], Role::Secret),
    ];
    HINTS
        .iter()
        .find(|(words, _)| tells(description, words))
        .map_or(Role::Unknown, |(_, role)| *role)
}

/// By the last word of a name that says something; `file_name` and `host_id` are read from the back.
fn of_name(name: &str) -> Role {
    let words = words(name);
    let joined = words.concat();
    let whole = of_word(&joined);
    if whole != Role::Unknown {
        return whole;
    }
    // A short code of something (`country_code`) is a name; a code alone may be a program.
    if words.len() > 1 && words.last().is_some_and(|word| word == "code") {
        return Role::Identifier;
    }
    // `new_string` and `old_str` are pieces of documents.
    if words.len() > 1
        && words
            .last()
            .is_some_and(|word| matches!(word.as_str(), "string" | "str"))
    {
        return Role::FreeText;
    }
    let says_nothing = |word: &&str| matches!(*word, "name" | "names" | "value");
    let named = words.len() > 1 && words.last().is_some_and(|word| word == "name");
    let role = words
        .iter()
        .rev()
        .map(String::as_str)
        .find(|word| !says_nothing(word))
        .map_or(Role::Unknown, of_word);
    // The name of a thing that is no file and no host is a label, whatever the thing.
    if named && role == Role::Unknown {
        Role::Label
    } else {
        role
    }
}

/// The words of a name in snake, kebab or camel case, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for letter in name.chars().take(64) {
        let starts = letter.is_uppercase() && before_lower;
        before_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if !letter.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn of_word(word: &str) -> Role {
    match word {
        "path" | "paths" | "filepath" | "filepaths" | "file" | "files" | "filename" | "filenames" | "dir" | "dirs"
        | "directory" | "directories" | "folder" | "folders" | "cwd" | "workdir" | "dirname" | "pathname" => Role::Path,
        "url" | "urls" | "uri" | "uris" | "link" | "links" | "href" | "endpoint" | "webhook" | "callback"
        | "website" => Role::Url,
        "host" | "hosts" | "hostname" | "hostnames" | "domain" | "domains" | "ip" | "ips" | "ipaddress" | "ipv4"
        | "ipv6" => Role::Host,
        "email" | "emails" | "mail" | "emailaddress" | "cc" | "bcc" => Role::Email,
        "command" | "commands" | "cmd" | "shell" | "script" | "argv" | "bash" => Role::Command,
        "sql" | "sqlquery" => Role::Sql,
        "sourcecode" | "snippet" | "expression" | "expr" | "regex" | "regexp" | "pattern" | "xpath" | "selector"
        | "jq" | "formula" | "function" | "func" | "equation" | "html" | "css" | "javascript" | "js" | "xml"
        | "yaml" | "json" | "graphql" | "where" | "filter" | "filters" | "condition" | "conditions" | "predicate"
        | "criteria" | "clause" | "args" | "arguments" | "flags" | "python" | "patch" | "diff" | "markup" | "svg" => {
            Role::Code
        }
        "text" | "texts" | "body" | "content" | "contents" | "message" | "messages" | "description" | "comment"
        | "comments" | "note" | "notes" | "title" | "subject" | "prompt" | "query" | "queries" | "question"
        | "summary" | "caption" | "details" | "reason" | "answer" | "instructions" | "review" | "feedback"
        | "keyword" | "keywords" | "search" | "q" | "input" | "output" | "bio" | "story" | "draft" | "paragraph"
        | "data" | "document" | "log" | "logs" | "markdown" | "steps" | "plan" | "task" | "context" | "thought"
        | "thoughts" | "explanation" | "response" | "code" => Role::FreeText,
        "password" | "passwd" | "pwd" | "secret" | "token" | "apikey" | "xapikey" | "credential" | "credentials"
        | "authorization" | "passphrase" | "accesstoken" | "privatekey" => Role::Secret,
        "date" | "dates" | "time" | "datetime" | "timestamp" | "day" | "deadline" => Role::Date,
        "amount" | "price" | "cost" | "total" | "quantity" | "budget" | "fee" | "balance" | "salary" => Role::Amount,
        "id" | "ids" | "uuid" | "guid" | "key" | "keys" | "identifier" | "sku" | "username" | "userid" | "slug"
        | "symbol" | "ticker" | "handle" | "isbn" | "vin" | "serial" => Role::Identifier,
        "template" | "templates" | "tpl" => Role::Template,
        "city" | "cities" | "country" | "countries" | "state" | "region" | "regions" | "location" | "locations"
        | "place" | "county" | "area" | "language" | "languages" | "currency" | "color" | "colour" | "genre"
        | "genres" | "category" | "categories" | "species" | "brand" | "team" | "teams" | "player" | "players"
        | "artist" | "author" | "company" | "airline" | "airlines" | "type" | "types" | "kind" | "status" | "unit"
        | "units" | "season" | "platform" | "league" | "sport" | "cuisine" | "airport" | "industry" | "gender"
        | "priority" | "severity" | "topic" | "event" | "restaurant" | "hotel" | "museum" | "school" | "university"
        | "firstname" | "lastname" | "fullname" | "companyname" | "cityname" | "nickname" | "timezone" | "locale"
        | "period" | "frequency" | "level" => Role::Label,
        _ => Role::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_format_says_more_than_the_name_and_the_name_more_than_the_description() {
        let cases = [
            ("x", json!({"format": "uri"}), Role::Url),
            ("path", json!({"format": "email"}), Role::Email),
            ("when", json!({"format": "date-time"}), Role::Date),
            ("image_url", json!({"description": "file path of the image"}), Role::Url),
            ("url_count", json!({}), Role::Unknown),
            ("repoUrl", json!({}), Role::Url),
            ("file_name", json!({}), Role::Path),
            ("company_name", json!({}), Role::Label),
            ("hostname", json!({}), Role::Host),
            ("country_code", json!({}), Role::Identifier),
            ("code", json!({}), Role::FreeText),
            ("code", json!({"description": "The source code to run"}), Role::Code),
            ("query", json!({}), Role::FreeText),
            ("query", json!({"description": "A SQL query"}), Role::Sql),
            ("new_string", json!({}), Role::FreeText),
            ("target", json!({"description": "Path to the folder"}), Role::Path),
            ("target", json!({"description": "Shell command to run"}), Role::Command),
            ("target", json!({"format": "int32"}), Role::Unknown),
            ("target", json!(true), Role::Unknown),
            ("", json!({}), Role::Unknown),
        ];
        for (name, schema, role) in cases {
            assert_eq!(infer(name, Some(&schema)), role, "{name} {schema}");
        }
        assert_eq!(infer("email", None), Role::Email);
    }
}
