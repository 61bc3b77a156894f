//! Llama 3.2 and 4, Python-style: a list of function calls with keyword arguments.
//!
//! ```text
//! [add(a=1, b=2), greet(name='Ada', polite=True)]
//! ```
//!
//! `<|python_start|>` and `<|python_end|>` may stand around it. `OLMo` 3 writes one call a line
//! between `<function_calls>` tags, LFM2 the list between tokens of its own; both are read too.
//! What is not such a call to its closing bracket is text.

mod literal;
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

/// The Python-style dialect of Llama.
pub(crate) struct LlamaPython;

impl Format for LlamaPython {
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
