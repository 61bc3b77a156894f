//! `GET /status`: the tools and the agents at a glance.

use axum::extract::State;
use serde::Serialize;
use toolsmith_core::{Value, json};

use super::answer::Json;
use crate::{Gateway, Visitor};

/// The tools and the agents at a glance.
#[derive(Debug, Serialize)]
pub(super) struct Overview {
    tools: Tools,
    coding_agent: Value,
    service_agent: Value,
}

#[derive(Debug, Serialize)]
struct Tools {
    total: usize,
    active: usize,
}

/// Answers what there is; the agents do not run here, so they have nothing under way.
pub(super) async fn overview(State(gateway): State<Gateway>, visitor: Visitor) -> Json<Overview> {
    let counts = gateway.0.counts.of(gateway.0.engine.registry(), &visitor.rights);
    Json(Overview {
        tools: Tools { total: counts.total, active: counts.active },
        coding_agent: json!({
            "running_count": 0,
            "running_task_ids": [],
            "queued_count": 0,
            "recent_tasks": [],
        }),
        service_agent: json!({ "total_windows": 0, "im_connected": false, "windows": [] }),
    })
}
