//! `POST /run_tools {calls: [{tool_id, params, context?}]}`: many calls at once.

use axum::{body::Body, extract::State, http::HeaderMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsmith_core::{Call, Outcome};

use super::{
    answer::{Failure, Json},
    body,
    call_request::CallRequest,
};
use crate::{Gateway, Visitor};

/// How many calls a request may hold.
const MOST_CALLS: usize = 1_000;

/// A batch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "Calls",
    extend("examples" = [{ "calls": [{ "tool_id": "echo", "params": { "message": "hi" } }] }])
)]
pub(super) struct Request {
    #[schemars(length(max = 1_000))]
    calls: Vec<CallRequest>,
}

/// What came of them, in their order.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Outcomes {
    outcomes: Vec<Outcome>,
}

/// Makes the calls side by side; a client that leaves cancels those under way.
pub(super) async fn run_tools(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Outcomes>, Failure> {
    let request: Request = body::json(&headers, body, &gateway.0.config).await?;
    let count = request.calls.len();
    if count > MOST_CALLS {
        let message = format!("A batch holds at most {MOST_CALLS} calls; this one has {count}.");
        return Err(Failure::bad_request(message));
    }
    let calls = request.calls.into_iter().map(|call| call.into_call(&gateway, &visitor));
    let calls = calls.collect::<Result<Vec<Call>, Failure>>()?;
    let enrol = |call| gateway.0.underway.enrol(&gateway.0.engine, &visitor.id, call);
    let (calls, _enrolled): (Vec<_>, Vec<_>) = calls.into_iter().map(enrol).unzip();
    Ok(Json(Outcomes { outcomes: gateway.0.engine.batch(calls).await }))
}
