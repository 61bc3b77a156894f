//! Writes tools, calls and results for the Model Context Protocol.

use serde_json::{Value, json};
use toolsmith_core::{JsonText, ToolSpec};

use super::{
    super::showing::{Limits, fitted, pretty_output},
    id,
};
use crate::{Provenance, RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the list `tools` of the answer to `tools/list`.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::MCP, |definitions| {
        let tools = definitions.iter().zip(tools).map(|(definition, spec)| {
            let mut tool = json!({
                "name": definition.name,
                "description": definition.description,
                "inputSchema": definition.parameters,
            });
            let title = spec.title.as_ref().map(|title| json!(title.as_str()));
            let output = spec.output_schema.as_ref().map(JsonText::to_value);
            let more = [("title", title), ("outputSchema", output)];
            if let Some(fields) = tool.as_object_mut() {
                let more = more.into_iter().filter_map(|(key, value)| Some((key, value?)));
                fields.extend(more.map(|(key, value)| (key.to_owned(), value)));
            }
            tool
        });
        tools.collect()
    })
}

/// Writes the requests, one a line.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let requests = calls.iter().enumerate().map(|(number, call)| {
        let id = call.id.map_or_else(|| json!(number + 1), id::to_json);
        let params = json!({"name": call.name, "arguments": call.arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    });
    requests.collect::<Vec<_>>().join("\n")
}

/// Writes the answers, one a line.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let answers = results.iter().enumerate().map(|(number, result)| {
        let id = result.id.map_or_else(|| json!(number + 1), id::to_json);
        let (text, is_error) = match result.result {
            Ok(output) => (pretty_output(output), false),
            Err(message) => (message.to_owned(), true),
        };
        let mut answer = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
        if let Ok(object @ Value::Object(_)) = result.result {
            answer["structuredContent"] = object.clone();
        }
        if result.provenance == Provenance::Outside {
            // Where our own MCP server tells it.
            answer["_meta"] = json!({"toolsmith/metadata": {"provenance": {"from": "outside"}}});
        }
        json!({"jsonrpc": "2.0", "id": id, "result": answer}).to_string()
    });
    answers.collect::<Vec<_>>().join("\n")
}
