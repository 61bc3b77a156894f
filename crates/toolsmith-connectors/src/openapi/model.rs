//! The one model that documents of every version become.

use toolsmith_core::{Map, Value};

/// An operation as it stands in the document.
#[derive(Clone, Debug)]
pub(super) struct Operation<'a> {
    /// In capitals.
    pub(super) method: &'static str,
    pub(super) path: &'a str,
    /// What is said for all operations of the path.
    pub(super) shared: &'a Map<String, Value>,
    pub(super) own: &'a Map<String, Value>,
}

impl<'a> Operation<'a> {
    /// Names it for people: `GET /pets`.
    pub(super) fn label(&self) -> String {
        let path: String = self.path.chars().take(200).collect();
        format!("{} {path}", self.method)
    }

    pub(super) fn text(&self, key: &str) -> &'a str {
        self.own.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns its tags.
    pub(super) fn tags(&self) -> impl Iterator<Item = &'a str> {
        let tags = self.own.get("tags").and_then(Value::as_array);
        tags.into_iter().flatten().filter_map(Value::as_str)
    }
}

/// An operation with the name of its tool.
#[derive(Clone, Debug)]
pub(super) struct Named<'a> {
    pub(super) name: String,
    pub(super) operation: Operation<'a>,
}

/// Where an argument goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Location {
    Path,
    Body,
    Query,
    Header,
    Cookie,
}

impl Location {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Body => "body",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// Something that a request is made of.
#[derive(Clone, Debug)]
pub(super) struct Parameter<'a> {
    /// As the API calls it.
    pub(super) name: &'a str,
    pub(super) location: Location,
    pub(super) is_required: bool,
    pub(super) description: &'a str,
    /// Its schema; none means anything.
    pub(super) schema: Option<&'a Value>,
    pub(super) style: Style,
    pub(super) file: Option<File>,
    /// Where examples of it stand, beside those of its schema.
    pub(super) around: Option<&'a Value>,
}

/// How a value is written, in the words of the REST connector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) word: &'static str,
    pub(super) explode: bool,
    pub(super) allow_reserved: bool,
}

impl Style {
    /// Returns what a place means when nobody says more.
    pub(super) fn usual(location: Location) -> Self {
        let word = match location {
            Location::Path | Location::Header => "simple",
            Location::Query | Location::Cookie | Location::Body => "form",
        };
        Self { word, explode: word == "form", allow_reserved: false }
    }
}

/// Something whose bytes are sent as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum File {
    /// A field of a form, which has a name as a file.
    Part { content_type: Option<String> },
    /// A whole body.
    Bytes,
    /// A whole body that is text, of this media type.
    Text { media_type: String },
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    pub(super) media_type: String,
    pub(super) kind: BodyKind,
    pub(super) is_required: bool,
    pub(super) description: &'a str,
    pub(super) content: BodyContent<'a>,
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    Json,
    Form,
    Multipart,
    Text,
    Binary,
}

impl BodyKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Form => "form",
            Self::Multipart => "multipart",
            Self::Text => "text",
            Self::Binary => "binary",
        }
    }
}

/// What a body is made of.
#[derive(Clone, Debug)]
pub(super) enum BodyContent<'a> {
    /// Fields, each of which is an argument.
    Fields(Vec<Parameter<'a>>),
    /// One argument.
    Whole(Option<&'a Value>),
}
