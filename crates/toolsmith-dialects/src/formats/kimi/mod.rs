//! Kimi K2: special tokens around an identifier that carries the name, and JSON.
//!
//! ```text
//! <|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|><|tool_calls_section_end|>
//! ```
//!
//! The identifier is `functions.NAME:NUMBER`; without the prefix or the number it is read too.

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

/// The dialect of Kimi K2.
pub(crate) struct Kimi;

impl Format for Kimi {
    fn claims(&self, text: &str, more: More) -> Look<()> {
        parse::claims(text, more)
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(parse::reader())
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
