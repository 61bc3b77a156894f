//! `DeepSeek` V3 and V3.1: special tokens around a name and JSON.
//!
//! ```text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add
//! ```json
//! {"a": 1}
//! ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```
//!
//! V3.1 leaves out the word `function` and the fence:
//! `<｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜>`. Either is read in both.

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

/// The dialects of `DeepSeek` V3 and V3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeepSeek {
    /// V3 and R1: the type, the name, and JSON in a fence.
    V3,
    /// V3.1: the name and JSON.
    V31,
}

impl Format for DeepSeek {
    fn claims(&self, text: &str, more: More) -> Look<()> {
        parse::claims(*self, text, more)
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(parse::reader())
    }

    fn definitions(&self, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
        render::definitions(*self, tools, settings)
    }

    fn calls(&self, calls: &[ShownCall<'_>], tools: &Tools) -> String {
        render::calls(*self, calls, tools)
    }

    fn results(&self, results: &[ShownResult<'_>]) -> String {
        render::results(*self, results)
    }
}
