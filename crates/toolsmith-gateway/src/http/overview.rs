//! `GET /status`: the tools and the agents at a glance.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::{Map, Text, Value};

use super::answer::Json;
use crate::{Gateway, Visitor};

/// The tools and the agents at a glance.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Overview {
    tools: Tools,
    coding_agent: CodingAgent,
    service_agent: ServiceAgent,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct CodingAgent {
    running_count: usize,
    running_task_ids: Vec<Text>,
    queued_count: usize,
    recent_tasks: Vec<Map<String, Value>>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct ServiceAgent {
    total_windows: usize,
    im_connected: bool,
    windows: Vec<Map<String, Value>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ToolCounts")]
struct Tools {
    total: usize,
    active: usize,
}

/// Answers what there is; the agents do not run here, so they have nothing under way.
pub(super) async fn overview(State(gateway): State<Gateway>, visitor: Visitor) -> Json<Overview> {
    let counts = gateway.0.counts.of(gateway.0.engine.registry(), &visitor.rights);
    Json(Overview {
        tools: Tools { total: counts.total, active: counts.active },
        coding_agent: CodingAgent::default(),
        service_agent: ServiceAgent::default(),
    })
}
