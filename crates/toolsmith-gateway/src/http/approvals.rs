//! `GET /approvals` and `POST /approvals/{id}`: what people are asked about, and their decisions.

use axum::{
    body::Body,
    extract::{Path, State},
    http::HeaderMap,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsmith_core::{CallId, ErrorKind, Role};
use toolsmith_engine::{Decision, Pending};

use super::{
    answer::{Failure, Json},
    body,
};
use crate::{Gateway, Visitor};

/// The calls that wait for a decision.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Approvals")]
pub(super) struct Waiting {
    approvals: Vec<Pending>,
}

/// What a person says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Verdict {
    decision: Word,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Deny,
}

/// What was decided.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Decided {
    approval_id: CallId,
    decision: Word,
}

/// Answers what waits: everything to administrators, to others their own.
pub(super) async fn list(State(gateway): State<Gateway>, visitor: Visitor) -> Json<Waiting> {
    let mut approvals = gateway.0.engine.approvals().pending();
    if visitor.rights.role != Role::Admin {
        approvals.retain(|pending| pending.caller_id.as_ref() == Some(&visitor.id));
    }
    Json(Waiting { approvals })
}

/// Decides about a call that waits; whoever called cannot.
pub(super) async fn decide(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Decided>, Failure> {
    visitor.must_be_known_admin()?;
    let id: CallId = id.parse().map_err(|_| {
        Failure::bad_request(
            "This is no id of an approval; `GET /approvals` lists those that wait.",
        )
    })?;
    let verdict: Verdict = body::json(&headers, body, &gateway.0.config).await?;
    let decision = match verdict.decision {
        Word::Approve => Decision::Grant,
        Word::Deny => Decision::Deny,
    };
    let decided = gateway.0.engine.decide(id, decision, &visitor.id);
    decided.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => Failure::from(&error),
        _ => Failure::not_found("Nothing waits under this id; it may be decided or expired."),
    })?;
    Ok(Json(Decided { approval_id: id, decision: verdict.decision }))
}
