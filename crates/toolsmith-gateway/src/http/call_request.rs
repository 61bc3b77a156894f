//! `{tool_id, params, context?}`: a call as a client asks for it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolsmith_core::{Call, CallerType, Context, Map, Text, Value};

use super::answer::Failure;
use crate::{Gateway, Visitor, json};

/// The longest name that a client may give to what its call belongs to; all of them are kept.
const LONGEST_NAME: usize = 512;

/// What a client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "Call",
    extend("examples" = [{ "tool_id": "echo", "params": { "message": "hi" } }])
)]
pub(super) struct CallRequest {
    /// The tool, with a version or a range behind `@` when it matters.
    tool_id: String,
    /// The input: an object with what the schema of the tool asks for.
    #[serde(default, deserialize_with = "json::strict")]
    params: Value,
    #[serde(default)]
    context: Option<Wishes>,
}

/// What a client may say about its call; who it is, the door says.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wishes {
    #[schemars(extend("maxLength" = LONGEST_NAME))]
    conversation_id: Option<Text>,
    #[schemars(extend("maxLength" = LONGEST_NAME))]
    thread_id: Option<Text>,
    #[schemars(extend("maxLength" = LONGEST_NAME))]
    task_id: Option<Text>,
    #[schemars(extend("maxLength" = LONGEST_NAME))]
    workflow_id: Option<Text>,
    #[schemars(extend("exclusiveMinimum" = 0))]
    timeout: Option<f64>,
    priority: Option<i32>,
    #[schemars(extend("maxLength" = LONGEST_NAME))]
    idempotency_key: Option<Text>,
    #[serde(default, deserialize_with = "json::strict_map")]
    variables: Map<String, Value>,
}

impl CallRequest {
    /// Makes the call of a visitor.
    pub(super) fn into_call(self, gateway: &Gateway, visitor: &Visitor) -> Result<Call, Failure> {
        let mut context = gateway.context(visitor, CallerType::Http);
        if let Some(wishes) = self.context {
            wishes.put_into(&mut context)?;
        }
        Ok(Call::new(self.tool_id, self.params).with_context(context))
    }
}

impl Wishes {
    fn put_into(self, context: &mut Context) -> Result<(), Failure> {
        context.conversation_id = name("conversation_id", self.conversation_id)?;
        context.thread_id = name("thread_id", self.thread_id)?;
        context.task_id = name("task_id", self.task_id)?;
        context.workflow_id = name("workflow_id", self.workflow_id)?;
        context.timeout = self.timeout.map(seconds).transpose()?;
        context.priority = self.priority.unwrap_or_default();
        context.idempotency_key = name("idempotency_key", self.idempotency_key)?;
        context.variables = self.variables;
        Ok(())
    }
}

fn name(key: &str, text: Option<Text>) -> Result<Option<Text>, Failure> {
    if text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_NAME) {
        let message = format!("`context.{key}` is longer than {LONGEST_NAME} characters.");
        return Err(Failure::bad_request(message));
    }
    Ok(text)
}

fn seconds(timeout: f64) -> Result<Duration, Failure> {
    let wrong = || Failure::bad_request("`context.timeout` must be a number of seconds above 0.");
    let duration = Duration::try_from_secs_f64(timeout).map_err(|_| wrong())?;
    if duration.is_zero() { Err(wrong()) } else { Ok(duration) }
}
