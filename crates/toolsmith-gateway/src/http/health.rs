//! `GET /health`: is everything well? `/health/live` and `/health/ready` say it by their status.

use std::collections::BTreeMap;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Failure, Json};
use crate::{Gateway, Health, Visitor};

/// How the program is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HealthReport")]
pub(super) struct Report {
    status: Status,
    version: &'static str,
    uptime_s: u64,
    /// Not for strangers.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<BTreeMap<&'static str, Health>>,
}

/// Whether everything does what it should.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "HealthStatus")]
enum Status {
    Ok,
    Degraded,
}

/// Whether a program that watches this one should let it be.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HealthSign")]
pub(super) struct Sign {
    status: Stage,
}

/// How far a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "HealthStage")]
enum Stage {
    Starting,
    Ok,
    Ending,
}

/// Answers how the program is; a part that fails makes it `degraded`, not dead.
pub(super) async fn health(
    State(gateway): State<Gateway>,
    visitor: Result<Visitor, Failure>,
) -> Json<Report> {
    let parts = gateway.health();
    let is_well = parts.values().all(|part| part.ok);
    Json(Report {
        status: if is_well { Status::Ok } else { Status::Degraded },
        version: env!("CARGO_PKG_VERSION"),
        uptime_s: gateway.0.started.elapsed().as_secs(),
        parts: visitor.is_ok().then_some(parts),
    })
}

/// Answers that it lives: whoever reads this has an answer.
pub(super) async fn live() -> Json<Sign> {
    Json(Sign { status: Stage::Ok })
}

/// Answers whether calls may be sent: not before everything is there, and not while it ends.
pub(super) async fn ready(State(gateway): State<Gateway>) -> Response {
    let status = if gateway.0.closing.is_cancelled() {
        Stage::Ending
    } else if gateway.0.house.is_ready() {
        Stage::Ok
    } else {
        Stage::Starting
    };
    let mut response = Json(Sign { status }).into_response();
    if status != Stage::Ok {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}
