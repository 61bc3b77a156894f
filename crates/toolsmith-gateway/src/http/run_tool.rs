//! `POST /run_tool {tool_id, params, context?}`: one call, one outcome.

use std::time::Duration;

use axum::{
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use toolsmith_core::{Call, CallerType, Context, Map, Text, Value};

use super::{
    answer::{Answer, Failure},
    body,
};
use crate::{Gateway, Visitor, json};

/// What a client sends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    tool_id: String,
    #[serde(default, deserialize_with = "json::strict")]
    params: Value,
    #[serde(default)]
    context: Option<Wishes>,
}

/// What a client may say about its call; who it is, the door says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wishes {
    conversation_id: Option<Text>,
    thread_id: Option<Text>,
    task_id: Option<Text>,
    workflow_id: Option<Text>,
    timeout: Option<f64>,
    priority: Option<i32>,
    idempotency_key: Option<Text>,
    #[serde(default, deserialize_with = "json::strict_map")]
    variables: Map<String, Value>,
}

impl Wishes {
    fn put_into(self, context: &mut Context) -> Result<(), Failure> {
        context.conversation_id = self.conversation_id;
        context.thread_id = self.thread_id;
        context.task_id = self.task_id;
        context.workflow_id = self.workflow_id;
        context.timeout = self.timeout.map(seconds).transpose()?;
        context.priority = self.priority.unwrap_or_default();
        context.idempotency_key = self.idempotency_key;
        context.variables = self.variables;
        Ok(())
    }
}

fn seconds(timeout: f64) -> Result<Duration, Failure> {
    let wrong = || Failure::bad_request("`context.timeout` must be a number of seconds above 0.");
    let duration = Duration::try_from_secs_f64(timeout).map_err(|_| wrong())?;
    if duration.is_zero() { Err(wrong()) } else { Ok(duration) }
}

/// Makes the call; a client that leaves cancels it.
pub(super) async fn run_tool(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let read = body::json::<Request>(&headers, body, &gateway.0.config).await;
    match read.and_then(|request| call(&gateway, &visitor, request)) {
        Ok(call) => Answer(gateway.0.engine.call(call).await).into_response(),
        Err(failure) => failure.into_response(),
    }
}

fn call(gateway: &Gateway, visitor: &Visitor, request: Request) -> Result<Call, Failure> {
    let mut context = gateway.context(visitor, CallerType::Http);
    if let Some(wishes) = request.context {
        wishes.put_into(&mut context)?;
    }
    Ok(Call::new(request.tool_id, request.params).with_context(context))
}
