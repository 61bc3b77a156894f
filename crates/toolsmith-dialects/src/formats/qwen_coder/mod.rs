//! Qwen3-Coder and its kin: a function and its parameters as tags, values as raw text.
//!
//! ```text
//! <tool_call>
//! <function=add>
//! <parameter=a>
//! 1
//! </parameter>
//! </function>
//! </tool_call>
//! ```
//!
//! One line break behind the opening tag and one before the closing tag belong to the markup; the
//! rest of a value is kept to the byte. The wrapper may be missing.

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

/// The dialect of Qwen3-Coder.
pub(crate) struct QwenCoder;

impl Format for QwenCoder {
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
