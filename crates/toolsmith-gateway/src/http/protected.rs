//! `GET /.well-known/oauth-protected-resource`: who issues tokens for this server (RFC 9728).

use axum::{
    extract::{Path, State},
    http::{HeaderMap, header::HOST},
};
use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::Role;

use super::answer::{Failure, Json};
use crate::{Gateway, door};

/// What a client must know to get a token.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProtectedResource")]
pub(super) struct Described {
    resource: String,
    resource_name: &'static str,
    authorization_servers: Vec<String>,
    scopes_supported: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
}

/// Describes the whole server.
pub(super) async fn whole(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
) -> Result<Json<Described>, Failure> {
    describe(&gateway, &headers, "")
}

/// Describes the address of MCP clients.
pub(super) async fn mcp(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
) -> Result<Json<Described>, Failure> {
    describe(&gateway, &headers, "/mcp")
}

/// Describes the address of one group; whether there is such a group is not for strangers.
pub(super) async fn group(
    State(gateway): State<Gateway>,
    Path(group): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Described>, Failure> {
    describe(&gateway, &headers, &format!("/mcp/{group}"))
}

fn describe(
    gateway: &Gateway,
    headers: &HeaderMap,
    path: &str,
) -> Result<Json<Described>, Failure> {
    let nobody =
        || Failure::not_found("This server takes tokens of nobody; `serve.jwt` is not set.");
    let tokens = gateway.0.door.tokens.as_ref().ok_or_else(nobody)?;
    let base = door::base(gateway, headers.get(HOST)).ok_or_else(nobody)?;
    let owned = |text: &str| text.to_owned();
    Ok(Json(Described {
        resource: format!("{base}{path}"),
        resource_name: "Toolsmith",
        authorization_servers: tokens.issuers().map(owned).collect(),
        // What most clients need: they ask for all of them, and few should administrate.
        scopes_supported: tokens
            .scopes(&[Role::Viewer, Role::Caller])
            .into_iter()
            .map(owned)
            .collect(),
        bearer_methods_supported: ["header"],
    }))
}
