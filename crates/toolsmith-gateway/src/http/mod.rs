//! The HTTP door: one file an endpoint.

mod answer;
pub(crate) mod body;
mod health;
mod run_tool;
mod status;
mod tools;

use axum::{
    Router,
    routing::{MethodRouter, get, post},
};

use self::answer::Failure;
use crate::{Gateway, mcp};

/// Returns what answers requests.
pub(crate) fn router(gateway: Gateway) -> Router {
    Router::new()
        .route("/health", get(health::health))
        .route("/tools", get(tools::tools))
        .route("/run_tool", post(run_tool::run_tool))
        .route("/mcp", mcp_methods())
        .route("/mcp/{group}", mcp_methods())
        .method_not_allowed_fallback(async || Failure::wrong_method())
        .fallback(async || Failure::no_such_place())
        .with_state(gateway)
}

fn mcp_methods() -> MethodRouter<Gateway> {
    post(mcp::http::post).get(mcp::http::get).delete(mcp::http::delete)
}
