//! `GET /artifacts/{id}`: an output that was too large to show whole, in pages.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use toolsmith_core::{ArtifactPage, Artifacts as _};

use super::{
    answer::{Failure, Json},
    asked::{Asked, OfCall},
};
use crate::{Gateway, Visitor};

/// How much a page holds when nobody says, and at most.
const USUAL_PAGE: u64 = 64 << 10;
const LARGEST_PAGE: u64 = 4 << 20;

/// Which piece, in bytes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default)]
    offset: u64,
    limit: Option<u64>,
}

/// Answers a piece; an artifact of somebody else is not there.
pub(super) async fn read(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    OfCall(id): OfCall,
    Asked(wanted): Asked<Wanted>,
) -> Result<Json<ArtifactPage>, Failure> {
    let store = gateway.store()?;
    let nothing = || Failure::not_found("There is no such artifact, or it was pruned.");
    let found = store.artifact(id).await?;
    found.filter(|found| visitor.may_see(found.caller_id.as_ref())).ok_or_else(nothing)?;
    let limit = wanted.limit.unwrap_or(USUAL_PAGE).clamp(1, LARGEST_PAGE);
    // Its file may have gone since.
    store.read(id, wanted.offset, limit).await.map(Json).map_err(|_| nothing())
}
