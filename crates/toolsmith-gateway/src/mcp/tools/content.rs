//! What came of a call, as the content of an answer.

use toolsmith_core::{Blocks, ErrorKind, Outcome, ToolError, Value, json};

use crate::mcp::{
    asking::REQUIRED, refusal::Refusal, revision::Revision, wire::put, writing::Writing,
};

/// Whether a tool has said what its output looks like, to clients of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// Clients expect a value besides the text.
    Structure,
    /// They do not.
    Nothing,
}

/// Writes an outcome; a call that could not even be one is refused.
pub(crate) fn write(
    writing: &mut Writing,
    outcome: &Outcome,
    promise: Promise,
    revision: Revision,
) -> Result<(), Refusal> {
    match &outcome.result {
        Ok(output) => write_output(writing, outcome, output, (promise, revision)),
        Err(error) => write_error(writing, outcome, error, revision)?,
    }
    Ok(())
}

fn write_output(
    writing: &mut Writing,
    outcome: &Outcome,
    output: &Value,
    (promise, revision): (Promise, Revision),
) {
    if !outcome.metadata.is_empty() {
        writing.note("toolsmith/metadata", Value::Object(outcome.metadata.clone()));
    }
    if outcome.metadata.contains_key("output_cut") {
        return write_cut(writing, outcome, output, (promise, revision));
    }
    if let Some(blocks) = Blocks::of(output) {
        let content: Vec<Value> =
            blocks.content.iter().map(|block| told(block, revision)).collect();
        writing.put("content", &content);
        if let Some(value) = blocks.structured.filter(|value| is_told(value, promise, revision)) {
            writing.put("structuredContent", value);
        }
        return;
    }
    write_text(writing.member("content"), output);
    if is_told(output, promise, revision) {
        writing.put("structuredContent", output);
    }
}

/// Tells whether a value is told besides its text.
fn is_told(value: &Value, promise: Promise, revision: Revision) -> bool {
    let is_legal =
        value.is_object() || revision.has_any_structure() && promise == Promise::Structure;
    revision.has_structured_output() && is_legal
}

/// Writes one text block: a text as it is, any other value as JSON.
fn write_text(text: &mut Vec<u8>, output: &Value) {
    text.extend_from_slice(br#"[{"type":"text","text":"#);
    match output {
        Value::String(output) => put(text, output),
        // JSON within JSON: written once by itself, and once more with its quotes escaped.
        output => put(text, &serde_json::to_string(output).unwrap_or_default()),
    }
    text.extend_from_slice(b"}]");
}

/// Writes the beginning of an output, and where the whole is.
fn write_cut(
    writing: &mut Writing,
    outcome: &Outcome,
    output: &Value,
    (promise, revision): (Promise, Revision),
) {
    let shown = match output {
        Value::String(text) => text.clone(),
        output => output.to_string(),
    };
    let mut content = vec![json!({ "type": "text", "text": shown })];
    if let Some(artifact) = outcome.metadata.get("artifact") {
        content.push(told(&link(artifact), revision));
    }
    writing.put("content", &content);
    // What was promised cannot be told any more; a client that waits for it would take a result
    // without it for a fault of ours.
    if promise == Promise::Structure {
        writing.put("isError", &true);
    }
}

/// Points to a kept output.
fn link(artifact: &Value) -> Value {
    let id = artifact.get("id").and_then(Value::as_str).unwrap_or_default();
    json!({
        "type": "resource_link",
        "uri": format!("toolsmith://artifacts/{id}"),
        "name": format!("Whole output of {}", artifact["tool_name"].as_str().unwrap_or("the call")),
        "mimeType": artifact["media_type"],
        "size": artifact["bytes"],
    })
}

/// Turns a block into one that the revision knows.
fn told(block: &Value, revision: Revision) -> Value {
    match block.get("type").and_then(Value::as_str) {
        Some("audio") if revision < Revision::Mar2025 => {
            json!({ "type": "text", "text": "[A sound that this revision of the protocol cannot carry.]" })
        }
        Some("resource_link") if !revision.has_links() => {
            json!({ "type": "text", "text": block["uri"] })
        }
        _ => block.clone(),
    }
}

fn write_error(
    writing: &mut Writing,
    outcome: &Outcome,
    error: &ToolError,
    revision: Revision,
) -> Result<(), Refusal> {
    if error.kind() == ErrorKind::ToolNotFound {
        return Err(Refusal::invalid_params(error.message().to_owned()));
    }
    if revision.is_stateless()
        && let Some(required) = error.details().get(REQUIRED)
    {
        return Err(Refusal::missing_ability(required));
    }
    let blocks = error.details().get("content").and_then(Value::as_array);
    match blocks {
        // A tool of another server has told its failure in blocks of its own.
        Some(blocks) => writing.put("content", blocks),
        None => write_text(writing.member("content"), &Value::String(error.message().to_owned())),
    }
    writing.put("isError", &true);
    writing.note("toolsmith/error", json!(error));
    writing.note("toolsmith/call_id", json!(outcome.call_id));
    Ok(())
}
