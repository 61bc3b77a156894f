//! `GET /groups`: tools that belong together, and how they are used.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::{Group, Rights, ToolName};

use super::answer::Json;
use crate::{Gateway, Visitor};

/// The groups.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Groups {
    groups: Vec<Group>,
}

/// Answers the groups that have a member the caller may see.
pub(super) async fn groups(State(gateway): State<Gateway>, visitor: Visitor) -> Json<Groups> {
    Json(Groups { groups: visible(&gateway, &visitor.rights) })
}

/// Returns the groups that have a member the caller may see, with no other members.
pub(super) fn visible(gateway: &Gateway, rights: &Rights) -> Vec<Group> {
    let registry = gateway.0.engine.registry();
    let is_visible = |name: &ToolName| registry.visible(name.as_str(), rights).is_some();
    let seen = gateway.0.house.groups().into_iter().map(|group| {
        let mut group = Group::clone(&group);
        group.tool_ids.retain(is_visible);
        group.usage_order.retain(is_visible);
        group
    });
    seen.filter(|group| !group.tool_ids.is_empty()).collect()
}
