//! What the renderers of several dialects share.

mod definitions;
mod frames;
mod gemini;
mod keys;
mod merge;
mod names;
mod references;
mod schema;
mod strict;
mod top;
mod values;
mod wellformed;

pub(crate) use definitions::{Definition, fitted, instructed};
pub(crate) use frames::Frame;
pub(crate) use names::{NameRule, shown_name};
pub(crate) use schema::{Limits, ordered};
pub(crate) use values::{
    framed_output, framed_result, pretty_output, python_json, result_text, value_text,
};
