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
mod stats;
mod status;
mod summary;
mod tagged;
mod tool;
mod tools;

use axum::{Router, middleware::from_fn_with_state};

pub(crate) use self::{
    addresses::paths,
    answer::{Failure, Why},
    call::outcome_of,
};
use crate::{Gateway, door};

/// Returns what answers requests.
pub(crate) fn router(gateway: Gateway) -> Router {
    addresses::routes()
        .method_not_allowed_fallback(async || Failure::wrong_method())
        .fallback(async || Failure::no_such_place())
        .layer(from_fn_with_state(gateway.clone(), door::stand))
        .with_state(gateway)
}
