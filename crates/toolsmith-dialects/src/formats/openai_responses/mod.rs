//! `OpenAI` responses: calls as items of the output, their arguments as JSON text.
//!
//! ```json
//! {"output": [{"type": "function_call", "call_id": "call_1", "name": "add",
//!   "arguments": "{\"a\": 1}"}]}
//! ```
//!
//! Read are a whole response, a list of items, and the events of a stream.

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

/// The dialect of `OpenAI` responses.
pub(crate) struct OpenAiResponses;

impl Format for OpenAiResponses {
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
