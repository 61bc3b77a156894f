//! `POST /run_tool {tool_id, params, context?}`: one call.
//!
//! Its outcome is the answer; with `?async=true` its id is, and with `Accept: text/event-stream`
//! everything that it sends while it runs.

use std::task::{Context, Waker};

use axum::{
    body::HttpBody,
    extract::{Request, State},
    http::{HeaderMap, header::ACCEPT},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsmith_core::{Call, CallId};

use super::{
    answer::{Accepted, Answer, Failure},
    asked::Asked,
    body,
    call_request::CallRequest,
    following,
};
use crate::{Gateway, Visitor, accepted};

/// How the call is made.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Manner {
    /// Whether the client asks for the outcome later.
    #[serde(default, rename = "async")]
    is_async: bool,
}

/// What is told of a call that goes on by itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Begun {
    call_id: CallId,
}

/// Makes the call; a client that leaves cancels it, unless it has asked for the outcome later.
pub(super) async fn run_tool(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    request: Request,
) -> Response {
    answer(&gateway, visitor, request).await
}

/// Answers a request to make a call.
pub(super) async fn answer<B: HttpBody<Data = Bytes>>(
    gateway: &Gateway,
    visitor: Visitor,
    request: Request<B>,
) -> Response {
    let (head, body) = request.into_parts();
    let asked = head.uri.query().map(|_| Asked::of(&head.uri)).transpose();
    let manner: Manner = match asked {
        Ok(asked) => asked.map(|Asked(manner)| manner).unwrap_or_default(),
        Err(failure) => return failure.into_response(),
    };
    let read = body::json::<CallRequest>(&head.headers, body, &gateway.0.config).await;
    let mut call = match read.and_then(|request| request.into_call(gateway, &visitor)) {
        Ok(call) => call,
        Err(failure) => return failure.into_response(),
    };
    if manner.is_async {
        return begin(gateway, &visitor, call).into_response();
    }
    let engine = &gateway.0.engine;
    if wants_events(&head.headers) {
        let (call, enrolled) = gateway.0.underway.enrol(engine, &visitor.id, call);
        return following::follow(gateway, call, enrolled);
    }
    let newcomer = gateway.0.underway.announce(engine, &visitor.id, &mut call);
    Answer(newcomer.during(Box::pin(engine.call(call))).await).into_response()
}

/// Lets a call go on by itself; what comes of it is kept, and recorded as ever.
fn begin(gateway: &Gateway, visitor: &Visitor, call: Call) -> Result<Accepted<Begun>, Failure> {
    let underway = gateway.0.underway.clone();
    let place = underway.place_for(&visitor.id).ok_or_else(Failure::too_many)?;
    let (engine, caller) = (gateway.0.engine.clone(), visitor.id.clone());
    let (call, enrolled) = underway.enrol(&engine, &caller, call);
    let call_id = enrolled.id();
    let mut work = Box::pin(async move {
        let outcome = engine.call(call).await;
        // Kept before it leaves the table, so that it can be found at every moment.
        underway.keep(call_id, caller, outcome);
        drop((enrolled, place));
    });
    // The call is on its way before it is promised: an end that comes right after waits for it.
    let first_steps = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    if first_steps.is_pending() {
        gateway.0.tasks.spawn(work);
    }
    Ok(Accepted(Begun { call_id }))
}

fn wants_events(headers: &HeaderMap) -> bool {
    let ranges = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = ranges.flat_map(|text| text.split(',')).filter_map(accepted::named);
    kinds.any(|kind| kind.eq_ignore_ascii_case("text/event-stream"))
}
