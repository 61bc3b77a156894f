//! Outputs that are made of blocks: texts, images, sounds and resources.

use serde_json::Value;

/// An output that is made of blocks, in the words of the MCP protocol.
///
/// Its form is `{"content": […]}`, or `{"structured_content": …, "content": […]}` when there is a
/// value besides. A block is `{type: "text", text}`, `{type: "image" | "audio", data, mimeType}`,
/// `{type: "resource", resource: {uri, …}}` or `{type: "resource_link", uri, name}`.
///
/// ```
/// use toolsmith_core::{Blocks, json};
///
/// let image = json!({"type": "image", "data": "iVBORw0=", "mimeType": "image/png"});
/// let output = json!({ "content": [image] });
/// assert_eq!(Blocks::of(&output).map(|blocks| blocks.content.len()), Some(1));
/// assert!(Blocks::of(&json!({ "content": ["chapter one"] })).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blocks<'a> {
    /// The blocks, in their order.
    pub content: &'a [Value],
    /// The value besides.
    pub structured: Option<&'a Value>,
}

impl<'a> Blocks<'a> {
    /// Finds the blocks of an output; nothing when it is made of something else.
    pub fn of(output: &'a Value) -> Option<Self> {
        let object = output.as_object()?;
        let content = object.get("content")?.as_array()?;
        let structured = object.get("structured_content");
        let is_whole = object.len() == 1 + usize::from(structured.is_some());
        let is_legal = is_whole && !content.is_empty() && content.iter().all(is_block);
        is_legal.then_some(Self { content, structured })
    }
}

fn is_block(block: &Value) -> bool {
    let has = |name: &str| block.get(name).is_some_and(Value::is_string);
    match block.get("type").and_then(Value::as_str) {
        Some("text") => has("text"),
        Some("image" | "audio") => has("data") && has("mimeType"),
        Some("resource_link") => has("uri") && has("name"),
        Some("resource") => block.pointer("/resource/uri").is_some_and(Value::is_string),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_made_of_blocks_alone_is_taken_for_them() {
        let text = json!({ "type": "text", "text": "a" });
        let both = json!({ "structured_content": 1, "content": [text] });
        assert_eq!(Blocks::of(&both).and_then(|blocks| blocks.structured), Some(&json!(1)));
        let resource = json!({ "type": "resource", "resource": { "uri": "a:b", "text": "" } });
        assert!(Blocks::of(&json!({ "content": [text, resource] })).is_some());
        for other in [
            json!("content"),
            json!({ "content": [] }),
            json!({ "content": "a" }),
            json!({ "content": [text], "more": 1 }),
            json!({ "content": [text, { "type": "image", "data": 1, "mimeType": "a/b" }] }),
            json!({ "content": [{ "type": "video" }] }),
        ] {
            assert!(Blocks::of(&other).is_none(), "{other}");
        }
    }
}
