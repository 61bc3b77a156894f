//! `POST /tools`: a tool by its definition, as JSON or YAML; live when it is answered.

use axum::{body::Body, extract::State, http::HeaderMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsmith_core::ToolName;

use super::{
    answer::{Created, Failure},
    asked::Asked,
    body,
};
use crate::{Definition, Form, Gateway, OnClash, Visitor};

/// How the tool is added.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Manner {
    /// Whether it may take the place of a tool of the same name.
    #[serde(default)]
    replace: bool,
}

/// What was added.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Added {
    tool_id: ToolName,
}

/// Adds a tool.
pub(super) async fn define(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Asked(manner): Asked<Manner>,
    headers: HeaderMap,
    body: Body,
) -> Result<Created<Added>, Failure> {
    visitor.must_be_known_admin()?;
    let form = if body::is_yaml(&headers) { Form::Yaml } else { Form::Json };
    let text = body::text(&headers, body, &gateway.0.config).await?;
    let on_clash = if manner.replace { OnClash::Replace } else { OnClash::Refuse };
    let added = gateway.caretaker()?.add(Definition { text, form, on_clash }).await;
    Ok(Created(Added { tool_id: added.map_err(|error| Failure::from(&error))? }))
}
