//! Gemini: calls as parts of the content, their arguments as an object.
//!
//! ```json
//! {"candidates": [{"content": {"parts": [{"functionCall": {"name": "add", "args": {"a": 1}}}]}}]}
//! ```
//!
//! Read are whole answers and those of a stream, which have the same form.

mod parse;
mod render;
#[cfg(test)]
mod tests;

use toolsmith_core::ToolSpec;

use super::reading::{Answers, Mark};
use crate::{
    RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    format::{Format, Machine},
};

/// The dialect of Gemini.
pub(crate) struct Gemini;

impl Format for Gemini {
    fn marks(&self) -> &'static [Mark] {
        &parse::MARKS
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(Answers::<parse::Reader>::default())
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
