//! Stage 8, settle: the output is judged, checked, cleaned of secrets, and cut to size.

use std::sync::Arc;

use toolsmith_core::{Artifact, ErrorKind, JsonText, Kind, ToolError, ToolSpec, Value, json};

use crate::{
    interceptor::After,
    registry::Entry,
    schema::Schema,
    stages::{
        record::Trace,
        run::{foreign, with_deadline},
    },
    threads::Room,
};

/// How much of a cut output is shown.
const PREVIEW: usize = 4_096;

/// An output in its final form, and as text for the record.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) output: Value,
    pub(crate) text: JsonText,
}

pub(crate) async fn settle(
    trace: &mut Trace<'_>,
    tool: &Arc<Entry>,
    output: Result<Value, ToolError>,
) -> Result<Settled, ToolError> {
    let output = judge(trace, tool, output?).await?;
    let output = check(trace, tool, output).await?;
    let settled = clean(trace, output);
    // A server may say of itself that it is not of the world outside; it is, to us.
    if tool.spec.annotations.open_world || tool.spec.kind == Kind::Mcp {
        trace.note("provenance", provenance(&tool.spec));
    }
    if settled.text.as_str().len() <= trace.engine.config.max_output_bytes {
        return Ok(settled);
    }
    // What is rare is boxed: it would make the work of every call several times as large.
    Box::pin(cut(trace, settled)).await
}

/// Says where an output comes from that is not to be trusted, for whoever shows it to a model.
fn provenance(spec: &ToolSpec) -> Value {
    let mut told = json!({ "from": "outside", "tool": spec.name });
    if let Some(author) = &spec.author {
        told["author"] = json!(author);
    }
    told
}

async fn judge(trace: &Trace<'_>, tool: &Entry, mut output: Value) -> Result<Value, ToolError> {
    for interceptor in &trace.engine.interceptors {
        let verdict = async { interceptor.after(&trace.cx, &tool.spec, &output).await };
        match Box::pin(foreign(trace.deadline(), verdict)).await? {
            After::Accept => {}
            After::Reject(error) => return Err(error),
            After::Rewrite(other) => output = other,
        }
    }
    Ok(output)
}

async fn check(trace: &Trace<'_>, tool: &Arc<Entry>, output: Value) -> Result<Value, ToolError> {
    let Some(schema) = &tool.live().output else { return Ok(output) };
    let schema = schema
        .as_ref()
        .map_err(|error| invalid(format!("The tool's output schema cannot be used: {error}")))?;
    if !schema.may_blow_up() {
        return fitting(schema, output);
    }
    let owned = Arc::clone(tool);
    let work = trace.engine.checks.run(&trace.tool_name, Room::Bounded, move || {
        match &owned.live().output {
            Some(Ok(schema)) => fitting(schema, output),
            _ => Ok(output),
        }
    });
    Box::pin(with_deadline(trace.deadline(), work)).await
}

fn fitting(schema: &Schema, output: Value) -> Result<Value, ToolError> {
    if schema.is_valid(&output) {
        return Ok(output);
    }
    let problems = schema.problems(&output);
    let first = problems.first().map_or("", |problem| problem.message.as_str());
    let details = json!(problems);
    Err(invalid(format!(
        "The tool answered in a form that its output schema does not allow. {first}"
    ))
    .with_details(details))
}

fn invalid(message: String) -> ToolError {
    ToolError::new(ErrorKind::OutputInvalid, message)
}

/// Takes secrets out; the text is needed for the record anyway, so it is searched, not the value.
fn clean(trace: &Trace<'_>, output: Value) -> Settled {
    let text = JsonText::of(&output);
    let redactor = &trace.engine.redactor;
    if redactor.is_empty() {
        return Settled { output, text };
    }
    match redactor.text(text.as_str()) {
        std::borrow::Cow::Borrowed(_) => Settled { output, text },
        std::borrow::Cow::Owned(_) => {
            let mut output = output;
            redactor.value(&mut output);
            let text = JsonText::of(&output);
            Settled { output, text }
        }
    }
}

/// Keeps the whole output as an artifact and leaves its beginning with a note.
async fn cut(trace: &mut Trace<'_>, settled: Settled) -> Result<Settled, ToolError> {
    let whole = match &settled.output {
        Value::String(text) => text.as_str(),
        _ => settled.text.as_str(),
    };
    let preview = beginning(whole, PREVIEW.min(trace.engine.config.max_output_bytes));
    let bytes = whole.len();
    let kept = match &trace.engine.artifacts {
        None => "the rest is not kept, as this engine has no store for artifacts".to_owned(),
        Some(artifacts) => {
            let context = trace.cx.context();
            let is_text = settled.output.is_string();
            let artifact = Artifact {
                id: trace.call_id,
                tool_name: trace.tool_name.clone(),
                media_type: if is_text { "text/plain".into() } else { "application/json".into() },
                bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
                caller_id: context.caller_id.clone(),
                conversation_id: context.conversation_id.clone(),
                user_id: context.user_id.clone(),
                created_at: trace.started_at,
            };
            let kept = foreign(trace.deadline(), artifacts.keep(&artifact, whole)).await;
            match kept.and_then(|kept| kept) {
                Ok(()) => {
                    let note = format!("the whole is kept as artifact {}", trace.call_id);
                    trace.note("artifact", json!(artifact));
                    note
                }
                Err(error) => {
                    tracing::warn!(%error, call.id = %trace.call_id, "an artifact was not kept");
                    format!("the rest could not be kept: {error}")
                }
            }
        }
    };
    trace.note("output_cut", json!({ "bytes": bytes, "shown": preview.len() }));
    let note = format!("Cut after {} of {bytes} bytes; {kept}.", preview.len());
    let output = match &settled.output {
        Value::String(_) => Value::String(format!("{preview}\n[{note}]")),
        _ => json!({ "cut": true, "note": note, "preview": preview }),
    };
    let text = JsonText::of(&output);
    Ok(Settled { output, text })
}

/// Returns at most that many bytes from the beginning, cut between characters.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
