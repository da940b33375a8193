//! What an argument is for.

/// The role of an argument: decides which value rules look at it. Inferred from schema, name and description where the
/// policy does not say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A file or folder.
    Path,
    /// A URL or URI.
    Url,
    /// A host name or address.
    Host,
    /// An e-mail address.
    Email,
    /// A command line.
    Command,
    /// SQL.
    Sql,
    /// Program text, an expression, a pattern, markup or a query language.
    Code,
    /// Words for people: messages, documents, notes, search queries.
    FreeText,
    /// A name that a system gave: an id, a key, a code.
    Identifier,
    /// A short name of a person, place or thing, or a word of a list: a city, a language, a category.
    Label,
    /// A password, key or token.
    Secret,
    /// A date or time.
    Date,
    /// A quantity, price or sum.
    Amount,
    /// A text with gaps to be filled in later.
    Template,
    /// Nobody knows.
    Unknown,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 15] = [
        Role::Path,
        Role::Url,
        Role::Host,
        Role::Email,
        Role::Command,
        Role::Sql,
        Role::Code,
        Role::FreeText,
        Role::Identifier,
        Role::Label,
        Role::Secret,
        Role::Date,
        Role::Amount,
        Role::Template,
        Role::Unknown,
    ];

    /// The name used in policy files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Path => "path",
            Role::Url => "url",
            Role::Host => "host",
            Role::Email => "email",
            Role::Command => "command",
            Role::Sql => "sql",
            Role::Code => "code",
            Role::FreeText => "free_text",
            Role::Identifier => "identifier",
            Role::Label => "label",
            Role::Secret => "secret",
            Role::Date => "date",
            Role::Amount => "amount",
            Role::Template => "template",
            Role::Unknown => "unknown",
        }
    }
}
