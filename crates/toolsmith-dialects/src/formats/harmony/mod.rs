//! Harmony, the format of gpt-oss: messages with a header of channel and recipient.
//!
//! ```text
//! <|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 1}<|call|>
//! ```
//!
//! A message with a recipient is a call. The channel `analysis` is the model thinking aloud: it is
//! left out, and calls in it are no calls. All other messages are text.

mod parse;
mod render;
#[cfg(test)]
mod tests;
mod types;

use toolsmith_core::ToolSpec;

use crate::{
    RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    cursor::{Look, More},
    format::{Format, Machine},
};

/// The dialect of gpt-oss.
pub(crate) struct Harmony;

impl Format for Harmony {
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
