//! XML as Claude and its kin write it, in all its spellings.
//!
//! ```xml
//! <function_calls>
//! <invoke name="check_availability">
//! <parameter name="room">观星阁</parameter>
//! </invoke>
//! </function_calls>
//! ```
//!
//! Spellings: any namespace prefix, no wrapper, `<minimax:tool_call>` as the wrapper, `｜DSML｜` before
//! every name (with `string="false"` on parameters that are JSON), and the older
//! `<invoke><tool_name>…</tool_name><parameters><room>…</room></parameters></invoke>`. It is not
//! XML in the strict sense: values are raw text to the byte, without entities; a CDATA section that a
//! value begins with keeps the tags in it from ending the value, and stays in it.

mod call;
mod entities;
mod known;
mod parse;
mod render;
mod tag;
#[cfg(test)]
mod tests;
mod value;
mod whole;

use toolsmith_core::ToolSpec;

pub(crate) use self::render::instructions;
use crate::{
    RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    cursor::{Look, More},
    format::{Format, Machine},
};

/// The XML dialect.
pub(crate) struct Xml;

impl Format for Xml {
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
