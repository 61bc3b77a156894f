//! `GET /health`: is everything well?

use std::collections::BTreeMap;

use axum::extract::State;
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
