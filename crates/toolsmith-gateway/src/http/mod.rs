//! The HTTP door: one file an endpoint.

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
        .route("/health/live", get(health::live))
        .route("/health/ready", get(health::ready))
        .route("/metrics", get(metrics::metrics))
        .route("/tools", get(tools::tools).post(define::define))
        .route("/tools/{name}", get(tool::show).delete(tool::remove))
        .route("/tools/{name}/enable", post(tool::enable))
        .route("/tools/{name}/disable", post(tool::disable))
        .route("/tools/{name}/start", post(tool::start))
        .route("/tools/{name}/stop", post(tool::stop))
        .route("/reload", post(reload::reload))
        .route("/groups", get(groups::groups))
        .route("/status", get(overview::overview))
        .route("/run_tool", post(run_tool::run_tool))
        .route("/mcp", mcp_methods())
        .route("/mcp/{group}", mcp_methods())
        .route("/run_tools", post(run_tools::run_tools))
        .route("/calls", get(records::list))
        .route("/calls/summary", get(summary::summary))
        .route("/calls/{id}", get(call::show).delete(call::cancel))
        .route("/events", get(events::events))
        .route("/chat", post(chat::chat))
        .route("/openapi.json", get(openapi::document))
        .route("/docs", get(openapi::docs))
        .route("/stats", get(stats::stats))
        .route("/artifacts/{id}", get(artifacts::read))
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
