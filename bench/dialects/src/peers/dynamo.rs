//! The crate `dynamo-parsers-v2`: a parser is made for each reply.

use dynamo_parsers_v2::{Tool, create_tool_parser_for_family};

use super::{Answer, Reader, arguments};
use crate::cases::Definition;

/// A family of the crate, with the tools of the request.
pub(crate) struct Dynamo {
    family: &'static str,
    tools: Vec<Tool>,
}

impl Dynamo {
    pub(crate) fn new(family: &'static str, tools: &[Definition]) -> Self {
        let tool = |tool: &Definition| Tool {
            name: tool.name.clone(),
            description: None,
            parameters: tool.parameters.clone(),
            strict: None,
        };
        Self { family, tools: tools.iter().map(tool).collect() }
    }
}

impl Reader for Dynamo {
    fn whole(&mut self, text: &str) -> Result<Answer, String> {
        let mut parser = create_tool_parser_for_family(self.family, &self.tools).map_err(said)?;
        let result = parser.parse_complete(text).map_err(said)?;
        let calls = result
            .calls
            .into_iter()
            .map(|call| (call.name.unwrap_or_default(), arguments(&call.arguments)))
            .collect();
        Ok(Answer { text: result.normal_text, calls })
    }

    fn stream(&mut self, pieces: &[&str]) -> Result<usize, String> {
        let mut parser = create_tool_parser_for_family(self.family, &self.tools).map_err(said)?;
        let mut begun = 0;
        for piece in pieces {
            let result = parser.push(piece).map_err(said)?;
            begun += result.calls.iter().filter(|call| call.name.is_some()).count();
        }
        let result = parser.finish().map_err(said)?;
        Ok(begun + result.calls.iter().filter(|call| call.name.is_some()).count())
    }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
