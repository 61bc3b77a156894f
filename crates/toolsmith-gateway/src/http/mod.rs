//! The HTTP door: one file an endpoint.

mod addresses;
mod answer;
mod approvals;
mod artifacts;
mod asked;
pub(crate) mod body;
mod call;
mod call_request;
mod chat;
mod define;
mod event_stream;
mod events;
mod following;
mod groups;
mod health;
mod metrics;
mod openapi;
mod overview;
mod protected;
mod records;
mod reload;
mod rendering;
mod run_tool;
mod run_tools;
mod short;
mod stats;
mod status;
mod summary;
mod tagged;
mod tool;
mod tools;

use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};

pub(crate) use self::{
    addresses::paths,
    answer::{Failure, Why},
    call::outcome_of,
    short::Answering,
};
use crate::{Gateway, Visitor, door};

/// Returns what answers requests.
fn router(gateway: Gateway) -> Router {
    addresses::routes()
        .method_not_allowed_fallback(async || Failure::wrong_method())
        .fallback(async || Failure::no_such_place())
        .layer(from_fn_with_state(gateway.clone(), through_the_door))
        .with_state(gateway)
}

/// Lets requests in that are routed; handlers find out by whom they were sent.
async fn through_the_door(
    State(gateway): State<Gateway>,
    request: Request,
    next: Next,
) -> Response {
    let inside = |visitor: Option<Visitor>, mut request: Request| {
        if let Some(visitor) = visitor {
            request.extensions_mut().insert(visitor);
        }
        next.run(request)
    };
    door::stand(&gateway, request, inside).await
}
