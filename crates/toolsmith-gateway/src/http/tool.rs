//! `/tools/{name}`: one tool, whole; administrators remove, switch, start and stop it.

use axum::{
    extract::{FromRequestParts, Path, State},
    http::request::Parts,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::{State as ToolState, Text, ToolName, ToolSpec};

use super::{
    answer::{Failure, Json},
    groups,
};
use crate::{Gateway, Switch, Visitor};

/// The tool that an address names, as it is written there.
#[derive(Debug)]
pub(super) struct Named(String);

/// What became of a tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Changed {
    tool_id: ToolName,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<ToolState>,
}

/// What was done with a tool.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Change")]
enum Status {
    Active,
    Inactive,
    Removed,
}

/// Everything that is known of a tool.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tool")]
pub(super) struct Shown {
    #[serde(flatten)]
    spec: ToolSpec,
    group_ids: Vec<Text>,
    state: ToolState,
}

/// Answers everything that is known of a tool; one that the caller may not see is not there.
pub(super) async fn show(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Named(name): Named,
) -> Result<Json<Shown>, Failure> {
    let rights = &visitor.rights;
    let entry = gateway.0.engine.registry().visible(&name, rights).ok_or_else(no_such_tool)?;
    let spec = &entry.spec;
    let groups = groups::visible(&gateway, rights);
    let of_tool = groups.into_iter().filter(|group| group.tool_ids.contains(&spec.name));
    let group_ids = of_tool.map(|group| group.group_id).collect();
    Ok(Json(Shown { spec: spec.clone(), group_ids, state: gateway.0.house.state(spec) }))
}

/// Removes a tool and its definition.
pub(super) async fn remove(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Named(name): Named,
) -> Result<Json<Changed>, Failure> {
    let tool_id = known(&gateway, &visitor, &name)?;
    let removed = gateway.caretaker()?.remove(&tool_id).await;
    removed.map_err(|error| Failure::from(&error))?;
    Ok(Json(Changed { tool_id, status: Some(Status::Removed), state: None }))
}

/// Lets a tool be called.
pub(super) async fn enable(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Named(name): Named,
) -> Result<Json<Changed>, Failure> {
    switch(&gateway, &visitor, &name, Switch::On).await
}

/// Keeps a tool from being called.
pub(super) async fn disable(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Named(name): Named,
) -> Result<Json<Changed>, Failure> {
    switch(&gateway, &visitor, &name, Switch::Off).await
}

async fn switch(
    gateway: &Gateway,
    visitor: &Visitor,
    name: &str,
    to: Switch,
) -> Result<Json<Changed>, Failure> {
    let tool_id = known(gateway, visitor, name)?;
    let switched = gateway.caretaker()?.switch(&tool_id, to).await;
    switched.map_err(|error| Failure::from(&error))?;
    let status = if to == Switch::On { Status::Active } else { Status::Inactive };
    Ok(Json(Changed { tool_id, status: Some(status), state: None }))
}

/// Starts the service of a tool.
pub(super) async fn start(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Named(name): Named,
) -> Result<Json<Changed>, Failure> {
    let tool_id = known(&gateway, &visitor, &name)?;
    let started = gateway.caretaker()?.start(&tool_id).await;
    let state = Some(started.map_err(|error| Failure::from(&error))?);
    Ok(Json(Changed { tool_id, status: None, state }))
}

/// Stops the service of a tool.
pub(super) async fn stop(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Named(name): Named,
) -> Result<Json<Changed>, Failure> {
    let tool_id = known(&gateway, &visitor, &name)?;
    let stopped = gateway.caretaker()?.stop(&tool_id).await;
    let state = Some(stopped.map_err(|error| Failure::from(&error))?);
    Ok(Json(Changed { tool_id, status: None, state }))
}

/// Returns the tool that an administrator means.
fn known(gateway: &Gateway, visitor: &Visitor, name: &str) -> Result<ToolName, Failure> {
    visitor.must_be_known_admin()?;
    let entry = gateway.0.engine.registry().visible(name, &visitor.rights);
    entry.map(|entry| entry.spec.name.clone()).ok_or_else(no_such_tool)
}

fn no_such_tool() -> Failure {
    Failure::not_found("There is no such tool.")
}

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        let unreadable = |_| Failure::bad_request("The name of the tool cannot be read.");
        read.map(|Path(name)| Self(name)).map_err(unreadable)
    }
}
