//! OpenAPI documents as definitions of REST tools: 3.0, 3.1, 3.2 and Swagger 2.0.
//!
//! ```text
//! document ──▶ operations ──▶ names ──▶ arguments ──▶ definition
//! versions,    one model of   unique,   one schema    YAML keys, as the
//! `$ref`       every version  stable    from places   REST connector reads them
//! ```
//!
//! The importer is pure: a document in, definitions out. Nothing is fetched, nothing is written, and
//! what is made is bounded whatever the document says. What cannot be mapped is listed with its
//! reason. Every text of the document is taken as text: none of it can become a `${VARIABLE}`.
//!
//! ```
//! use toolsmith_connectors::openapi::{Options, import};
//! use toolsmith_core::json;
//!
//! let document = json!({
//!     "openapi": "3.1.0",
//!     "info": { "title": "Pet store", "version": "1" },
//!     "servers": [{ "url": "https://pets.example/v1" }],
//!     "paths": { "/pets/{id}": { "get": {
//!         "operationId": "getPet",
//!         "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }]
//!     } } }
//! });
//! let import = import(&document, &Options::default())?;
//! assert_eq!(import.tools[0]["name"], "getPet");
//! assert_eq!(import.tools[0]["entry"]["path"], "/pets/{id}");
//! assert_eq!(import.tools[0]["entry"]["base_url"], "${PET_STORE_URL:https://pets.example/v1}");
//! # Ok::<(), toolsmith_connectors::openapi::ImportError>(())
//! ```

mod arguments;
mod bodies;
mod bundle;
mod constraints;
mod definition;
mod document;
mod entry;
mod flat;
mod input;
mod kinds;
mod model;
mod names;
mod notes;
mod operations;
mod output;
mod parameters;
mod paths;
mod schema;
mod security;
mod selection;
mod servers;
mod sharing;
mod sorting;
#[cfg(test)]
mod tests;
mod wording;

use std::fmt;

use toolsmith_core::Value;
use toolsmith_net::Url;

pub use self::{bundle::bundle, selection::Selection};
use self::{definition::Maker, document::Document, notes::Notes};

/// How a document is imported.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where the document came from; relative addresses in it are meant from there.
    pub source: Option<Url>,
    /// Where requests go, whatever the document says.
    pub base_url: Option<String>,
    /// What the names of the tools begin with, and those of variables.
    pub prefix: Option<String>,
    /// Which operations are wanted.
    pub selection: Selection,
}

/// What came of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The title of the document.
    pub title: String,
    /// The version of the document.
    pub version: String,
    /// A short name, fit for a folder.
    pub name: String,
    /// The definitions, in the order of the document.
    pub tools: Vec<Value>,
    /// What could not be mapped, and why.
    pub unmapped: Vec<Unmapped>,
    /// What was mapped, but not as one might expect.
    pub warnings: Vec<String>,
    /// The variables that the tools need.
    pub variables: Vec<String>,
    /// The names of tools that the operations left out by the selection would have.
    pub others: Vec<String>,
}

/// Something that no tool was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmapped {
    /// What it is: `GET /pets`, or a webhook or callback by its name.
    pub operation: String,
    /// Why.
    pub reason: String,
}

/// Why a document cannot be imported at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError(String);

impl ImportError {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ImportError {}

/// Makes definitions of the operations of a document.
pub fn import(document: &Value, options: &Options) -> Result<Import, ImportError> {
    let document = Document::open(document)?;
    let prefix = names::prefix(options.prefix.as_deref())?;
    let mut notes = Notes::default();
    let operations = operations::list(&document, &mut notes);
    let named = names::assign(operations, &prefix);
    let (wanted, others) = options.selection.choose(named)?;
    let mut maker = Maker::new(&document, options, &mut notes)?;
    let mut tools = Vec::with_capacity(wanted.len());
    for operation in wanted {
        if let Some(definition) = maker.make(&operation) {
            tools.push(definition);
        }
    }
    let (name, variables) = (maker.slug(), maker.into_variables());
    let (unmapped, warnings) = notes.into_lists();
    let (title, version) = (document.title(), document.version());
    let others = others.into_iter().map(|other| other.name).collect();
    Ok(Import { title, version, name, tools, unmapped, warnings, variables, others })
}
