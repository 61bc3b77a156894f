//! `GET /health`: is everything well?

use std::collections::BTreeMap;

use axum::extract::State;
use serde::Serialize;

use super::answer::Json;
use crate::{Gateway, Health};

/// How the program is.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: &'static str,
    version: &'static str,
    uptime_s: u64,
    parts: BTreeMap<&'static str, Health>,
}

/// Answers how the program is; a part that fails makes it `degraded`, not dead.
pub(super) async fn health(State(gateway): State<Gateway>) -> Json<Report> {
    let parts = gateway.0.house.health();
    let is_well = parts.values().all(|part| part.ok);
    Json(Report {
        status: if is_well { "ok" } else { "degraded" },
        version: env!("CARGO_PKG_VERSION"),
        uptime_s: gateway.0.started.elapsed().as_secs(),
        parts,
    })
}
