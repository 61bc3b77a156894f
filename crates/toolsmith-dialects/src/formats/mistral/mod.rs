//! Mistral: a marker, then calls in one of two forms.
//!
//! ```text
//! [TOOL_CALLS][{"name": "add", "arguments": {"a": 1}, "id": "a1b2c3d4e"}]
//! [TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]add[ARGS]{"a": 2}
//! ```
//!
//! The second form may have `[CALL_ID]…` behind the name. Either is read in both.

mod parse;
mod render;
#[cfg(test)]
mod tests;

use toolsmith_core::ToolSpec;

use crate::{
    RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    cursor::{Look, More},
    format::{Format, Machine},
};

/// The dialects of Mistral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistral {
    /// One list of objects.
    List,
    /// A marker, a name and arguments for each call.
    Compact,
}

impl Format for Mistral {
    fn claims(&self, text: &str, more: More) -> Look<()> {
        parse::claims(*self, text, more)
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(parse::Reader::default())
    }

    fn definitions(&self, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
        render::definitions(*self, tools, settings)
    }

    fn calls(&self, calls: &[ShownCall<'_>], tools: &Tools) -> String {
        render::calls(*self, calls, tools)
    }

    fn results(&self, results: &[ShownResult<'_>]) -> String {
        render::results(*self, results)
    }
}
