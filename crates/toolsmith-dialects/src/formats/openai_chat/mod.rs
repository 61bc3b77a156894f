//! `OpenAI` chat completions: calls in `message.tool_calls`, their arguments as JSON text.
//!
//! ```json
//! {"choices": [{"message": {"tool_calls": [{"id": "call_1", "type": "function",
//!   "function": {"name": "add", "arguments": "{\"a\": 1}"}}]}, "finish_reason": "tool_calls"}]}
//! ```
//!
//! Read are a whole answer, a message, a list of calls, and the chunks of a stream, whether framed
//! as server-sent events or as lines.

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

/// The dialect of `OpenAI` chat completions.
pub(crate) struct OpenAiChat;

impl Format for OpenAiChat {
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
