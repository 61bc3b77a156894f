//! Llama 3: JSON objects, bare or behind `<|python_tag|>`.
//!
//! ```text
//! <|python_tag|>{"name": "add", "parameters": {"a": 1}};{"name": "add", "parameters": {"a": 2}}
//! ```
//!
//! A bare object is a call when it begins with a name and has parameters; other JSON is text.

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

/// The JSON dialect of Llama 3.
pub(crate) struct LlamaJson;

impl Format for LlamaJson {
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
