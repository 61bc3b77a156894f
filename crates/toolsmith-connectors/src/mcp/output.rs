//! What a tool of a server answered, as an output or an error.
//!
//! | the answer has | the output is |
//! |---|---|
//! | `structuredContent` | that value |
//! | one text | the text, or its value when it is a JSON object or list |
//! | several texts | the texts, joined by empty lines |
//! | anything else (images, audio, links, resources) | `{"content": […]}`, each block as it came |
//! | `structuredContent` and blocks other than text | `{"structured_content": …, "content": […]}` |
//!
//! A tool with an output schema answers with its `structuredContent` alone, because the schema says
//! nothing else; its other blocks are sent to whoever follows the call.

use rmcp::model::{CallToolResult, ContentBlock};
use toolsmith_core::{ToolContext, ToolError, Value, json};

use super::words::cut;

/// Whether a tool has said what its output looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    Schema,
    Nothing,
}

/// Makes an output of an answer.
pub(super) async fn read(
    cx: &ToolContext,
    result: CallToolResult,
    promise: Promise,
) -> Result<Value, ToolError> {
    if result.is_error == Some(true) {
        return Err(failure(result));
    }
    let only_text = result.content.iter().all(|block| matches!(block, ContentBlock::Text(_)));
    match (result.structured_content, only_text, promise) {
        (Some(value), true, _) => Ok(value),
        (Some(value), false, Promise::Schema) => {
            for block in result.content.iter().filter(|block| !is_text(block)) {
                cx.chunk(written(block)).await;
            }
            Ok(value)
        }
        (Some(value), false, Promise::Nothing) => {
            Ok(json!({ "structured_content": value, "content": blocks(&result.content) }))
        }
        (None, true, _) => Ok(text_output(&result.content)),
        (None, false, _) => Ok(json!({ "content": blocks(&result.content) })),
    }
}

/// The tool itself says that it failed, in words for the model.
fn failure(result: CallToolResult) -> ToolError {
    let text = joined(&result.content);
    let message = match text.as_str() {
        "" => "The tool failed and did not say why.".to_owned(),
        said => cut(said).into_owned(),
    };
    let mut details = serde_json::Map::new();
    if let Some(value) = result.structured_content {
        details.insert("structured_content".to_owned(), value);
    }
    if !result.content.iter().all(is_text) {
        details.insert("content".to_owned(), blocks(&result.content));
    }
    let error = ToolError::try_differently(message);
    if details.is_empty() { error } else { error.with_details(Value::Object(details)) }
}

fn is_text(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(_))
}

fn text_output(content: &[ContentBlock]) -> Value {
    if let [ContentBlock::Text(only)] = content {
        let looks_like_json = only.text.trim_start().starts_with(['{', '[']);
        let parsed = looks_like_json.then(|| serde_json::from_str(&only.text).ok()).flatten();
        return parsed.unwrap_or_else(|| only.text.as_str().into());
    }
    joined(content).into()
}

fn joined(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn blocks(content: &[ContentBlock]) -> Value {
    content.iter().map(written).collect()
}

fn written(block: &ContentBlock) -> Value {
    serde_json::to_value(block).unwrap_or_default()
}
