//! The Model Context Protocol: calls as requests.
//!
//! ```json
//! {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
//!   "params": {"name": "add", "arguments": {"a": 1}}}
//! ```

mod id;
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

/// The dialect of the Model Context Protocol.
pub(crate) struct Mcp;

impl Format for Mcp {
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
