//! One line of a stream of documents.

use crate::{
    document::{Document, Tools, utf8},
    error::DocumentError,
    fields::Fields,
    json::Json,
};

/// What a line of JSON Lines says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A document to judge.
    Document(Box<Document>),
    /// A toolset for later lines to name; it gets no answer.
    Toolset {
        /// What later lines call it.
        name: String,
        /// A JSON array of definitions.
        tools: Json,
    },
    /// Neither.
    Invalid {
        /// The document's `id`, where that could be read.
        id: Option<String>,
        /// What is wrong.
        error: DocumentError,
    },
}

impl Line {
    /// A document's fields, and `toolset`.
    const FIELDS: [&str; Document::FIELDS.len() + 1] = {
        let mut all = ["toolset"; Document::FIELDS.len() + 1];
        let (documents, _) = all.split_at_mut(Document::FIELDS.len());
        documents.copy_from_slice(Document::FIELDS);
        all
    };
    const TOOLSET: &[&str] = &["toolset", "tools"];

    /// Reads the text of one line, without its end.
    pub fn read(text: &[u8]) -> Self {
        let fields = utf8(text)
            .and_then(|text| Fields::read(text, "", DocumentError::INVALID, &Self::FIELDS).map(|f| (text, f)));
        let (text, mut fields) = match fields {
            Ok(read) => read,
            Err(error) => return Line::Invalid { id: None, error },
        };
        let id = fields.text("id").ok().flatten();
        let line = if fields.names("toolset") {
            toolset(text)
        } else {
            let document = fields.end().and_then(|()| Document::of_fields(&fields));
            document.map(|document| Line::Document(Box::new(document)))
        };
        line.unwrap_or_else(|error| Line::Invalid { id, error })
    }
}

fn toolset(text: &str) -> Result<Line, DocumentError> {
    let mut fields = Fields::read(text, "", DocumentError::INVALID, Line::TOOLSET)?;
    fields.end()?;
    let name = fields.required_text("toolset")?;
    match fields.json("tools").map(Tools::read).transpose()? {
        Some(Tools::Inline(tools)) => Ok(Line::Toolset { name, tools }),
        Some(Tools::Named(_)) | None => {
            let message = "a toolset's `tools` must be an array of tool definitions";
            Err(DocumentError::new(DocumentError::TOOLS_INVALID, message))
        }
    }
}
