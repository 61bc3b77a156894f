//! The HTTP door: one file an endpoint.

mod answer;
mod approvals;
pub(crate) mod body;
mod health;
mod run_tool;
mod status;
mod tools;

use axum::{
    Router,
    middleware::from_fn_with_state,
    routing::{MethodRouter, get, post},
};

pub(crate) use self::answer::Failure;
use crate::{Gateway, door, mcp};

/// Returns what answers requests.
pub(crate) fn router(gateway: Gateway) -> Router {
    Router::new()
        .route("/health", get(health::health))
        .route("/tools", get(tools::tools))
        .route("/run_tool", post(run_tool::run_tool))
        .route("/mcp", mcp_methods())
        .route("/mcp/{group}", mcp_methods())
        .route("/approvals", get(approvals::list))
        .route("/approvals/{id}", post(approvals::decide))
        .method_not_allowed_fallback(async || Failure::wrong_method())
        .fallback(async || Failure::no_such_place())
        .layer(from_fn_with_state(gateway.clone(), door::stand))
        .with_state(gateway)
}

fn mcp_methods() -> MethodRouter<Gateway> {
    post(mcp::http::post).get(mcp::http::get).delete(mcp::http::delete)
}
