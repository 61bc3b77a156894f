//! The crate `tool-parser`: a parser is kept and used again, as its own pool does.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use openai_protocol::common::Tool;
use serde_json::json;
use tool_parser::ParserFactory;

use super::{Answer, Reader, arguments};
use crate::cases::Definition;

/// A parser of the crate, with the tools of the request.
pub(crate) struct ToolParser {
    parser: Box<dyn tool_parser::ToolParser>,
    tools: Vec<Tool>,
}

impl ToolParser {
    pub(crate) fn new(name: &str, tools: &[Definition]) -> Option<Self> {
        let parser = ParserFactory::new().registry().create_parser(name)?;
        let tool = |tool: &Definition| {
            let function = json!({"name": tool.name, "parameters": tool.parameters});
            serde_json::from_value(json!({"type": "function", "function": function})).ok()
        };
        Some(Self { parser, tools: tools.iter().filter_map(tool).collect() })
    }
}

impl Reader for ToolParser {
    fn whole(&mut self, text: &str) -> Result<Answer, String> {
        let (text, calls) = now(self.parser.parse_complete_with_tools(text, &self.tools))?
            .map_err(|error| error.to_string())?;
        let calls = calls
            .into_iter()
            .map(|call| (call.function.name, arguments(&call.function.arguments)))
            .collect();
        Ok(Answer { text, calls })
    }

    fn stream(&mut self, pieces: &[&str]) -> Result<usize, String> {
        self.parser.reset();
        let mut begun = 0;
        for piece in pieces {
            let result = now(self.parser.parse_incremental(piece, &self.tools))?
                .map_err(|error| error.to_string())?;
            begun += result.calls.iter().filter(|call| call.name.is_some()).count();
        }
        Ok(begun)
    }
}

/// Runs a future that never waits: the crate's functions are async, and do no I/O.
fn now<T>(future: impl Future<Output = T>) -> Result<T, String> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err("the parser waits for something".to_owned()),
    }
}
