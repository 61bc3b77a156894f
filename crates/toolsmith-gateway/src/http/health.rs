//! `GET /health`: is everything well? `/health/live` and `/health/ready` say it by their status.

use std::collections::BTreeMap;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;

use super::answer::{Failure, Json};
use crate::{Gateway, Health, Visitor};

/// How the program is.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: &'static str,
    version: &'static str,
    uptime_s: u64,
    /// Not for strangers.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<BTreeMap<&'static str, Health>>,
}

/// Whether a program that watches this one should let it be.
#[derive(Debug, Serialize)]
struct Sign {
    status: &'static str,
}

/// Answers how the program is; a part that fails makes it `degraded`, not dead.
pub(super) async fn health(
    State(gateway): State<Gateway>,
    visitor: Result<Visitor, Failure>,
) -> Json<Report> {
    let parts = gateway.0.house.health();
    let is_well = parts.values().all(|part| part.ok);
    Json(Report {
        status: if is_well { "ok" } else { "degraded" },
        version: env!("CARGO_PKG_VERSION"),
        uptime_s: gateway.0.started.elapsed().as_secs(),
        parts: visitor.is_ok().then_some(parts),
    })
}

/// Answers that it lives: whoever reads this has an answer.
pub(super) async fn live() -> Response {
    Json(Sign { status: "ok" }).into_response()
}

/// Answers whether calls may be sent: not before everything is there, and not while it ends.
pub(super) async fn ready(State(gateway): State<Gateway>) -> Response {
    let status = if gateway.0.closing.is_cancelled() {
        "ending"
    } else if gateway.0.house.is_ready() {
        return Json(Sign { status: "ok" }).into_response();
    } else {
        "starting"
    };
    let mut response = Json(Sign { status }).into_response();
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}
