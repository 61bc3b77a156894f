//! Anthropic messages: calls as blocks of the content, their input as an object.
//!
//! ```json
//! {"type": "message", "content": [{"type": "tool_use", "id": "toolu_1", "name": "add",
//!   "input": {"a": 1}}], "stop_reason": "tool_use"}
//! ```
//!
//! Read are a whole message, a list of blocks, and the events of a stream.

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

/// The dialect of Anthropic messages.
pub(crate) struct Anthropic;

impl Format for Anthropic {
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
