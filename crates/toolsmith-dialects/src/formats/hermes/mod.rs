//! Hermes, Qwen 2.5 and 3, and many others: a JSON object between tags.
//!
//! ```text
//! <tool_call>
//! {"name": "add", "arguments": {"a": 1, "b": 2}}
//! </tool_call>
//! ```
//!
//! `<longcat_tool_call>` is the same by another name. A block may hold several objects. An object
//! that is all there is a call even where the end tag is missing.

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

/// The Hermes dialect.
pub(crate) struct Hermes;

impl Format for Hermes {
    fn claims(&self, text: &str, more: More) -> Look<()> {
        parse::claims(text, more)
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(parse::Reader::default())
    }

    fn definitions(&self, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
        render::definitions(tools, settings)
    }

    fn calls(&self, calls: &[ShownCall<'_>], tools: &Tools) -> String {
        render::calls(calls, tools)
    }

    fn results(&self, results: &[ShownResult<'_>]) -> String {
        render::results(results)
    }
}
