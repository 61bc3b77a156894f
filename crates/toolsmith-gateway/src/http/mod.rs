//! The HTTP door: one file an endpoint.

mod answer;
mod body;
mod health;
mod run_tool;
mod status;
mod tools;

use axum::{
    Router,
    routing::{get, post},
};

use self::answer::Failure;
use crate::Gateway;

/// Returns what answers requests.
pub(crate) fn router(gateway: Gateway) -> Router {
    Router::new()
        .route("/health", get(health::health))
        .route("/tools", get(tools::tools))
        .route("/run_tool", post(run_tool::run_tool))
        .method_not_allowed_fallback(async || Failure::wrong_method())
        .fallback(async || Failure::no_such_place())
        .with_state(gateway)
}
