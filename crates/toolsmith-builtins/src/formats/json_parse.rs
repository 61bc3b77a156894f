//! `json_parse`: reads JSON text.

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::function(spec()?, |_cx, input| std::future::ready(run(input))))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let text = Parameter::string("text").required().with_description("The JSON text.");
    let spec = ToolSpec::new("json_parse")?
        .with_description(
            "Reads JSON text and returns the value. Of text that is not JSON, it says where the \
             first mistake is.",
        )
        .with_category("data")
        .with_parameters(&[text])
        .with_output_schema(&json!({
            "type": "object",
            "properties": { "data": { "description": "The value." } },
            "required": ["data"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let example = json!({
        "input": { "text": "{\"a\": [1, 2]}" },
        "output": { "data": { "a": [1, 2] } }
    });
    Ok(about(spec, "Parse JSON", &["json", "parse", "decode"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    text: String,
}

fn run(input: Value) -> Result<Value, ToolError> {
    let Input { text } = input::read(input)?;
    // The reader itself refuses what is nested more than 128 deep.
    let data: Value = serde_json::from_str(&text).map_err(|error| {
        ToolError::try_differently(format!(
            "The text is not JSON: {error}.{}",
            excerpt(&text, &error)
        ))
    })?;
    Ok(json!({ "data": data }))
}

/// Shows the text just before a mistake.
fn excerpt(text: &str, error: &serde_json::Error) -> String {
    let line = error.line().checked_sub(1).and_then(|line| text.lines().nth(line));
    let Some(before) = line.map(str::as_bytes) else { return String::new() };
    let end = error.column().min(before.len());
    let part = before.get(end.saturating_sub(20)..end).unwrap_or_default();
    if part.is_empty() {
        return String::new();
    }
    format!(" It stops after `{}`.", String::from_utf8_lossy(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_shown_where_it_is() {
        let message = |text: &str| run(json!({ "text": text })).unwrap_err().message().to_owned();
        let shown = message("{\n  'a': 1}");
        assert!(shown.contains("line 2 column 3") && shown.contains("after `  '`"), "{shown}");
        assert!(message("").contains("line 1 column 0"));
        assert!(message("[1] 2").contains("trailing characters"));
        assert!(message("\u{e9}").contains("not JSON"));
    }

    #[test]
    fn deep_text_is_refused() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let error = run(json!({ "text": deep })).unwrap_err();
        assert!(error.message().contains("recursion limit"), "{error}");
    }
}
