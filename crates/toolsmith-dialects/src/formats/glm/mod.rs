//! GLM 4.5 to 4.7: the name, then keys and values as tags, values as raw text.
//!
//! ```text
//! <tool_call>add
//! <arg_key>a</arg_key>
//! <arg_value>1</arg_value>
//! </tool_call>
//! ```
//!
//! GLM 4.7 writes it without the line breaks. Values are kept to the byte.

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

/// The dialect of GLM.
pub(crate) struct Glm;

impl Format for Glm {
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
