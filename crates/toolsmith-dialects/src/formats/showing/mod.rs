//! What the renderers of several dialects share.

mod definitions;
mod gemini;
mod names;
mod schema;
mod values;

pub(crate) use definitions::{Definition, fitted, instructed};
pub(crate) use names::{NameRule, shown_name};
pub(crate) use schema::Limits;
pub(crate) use values::{pretty_output, python_json, result_text, value_text};
