//! `GET /stats`: what all calls came to, for administrators.

use axum::extract::State;
use toolsmith_store::Statistics;

use super::answer::{Failure, Json};
use crate::{Gateway, Visitor};

/// Answers the sums over all callers, which only administrators may see.
pub(super) async fn stats(
    State(gateway): State<Gateway>,
    visitor: Visitor,
) -> Result<Json<Statistics>, Failure> {
    visitor.must_be_admin()?;
    Ok(Json(gateway.store()?.stats().await?))
}
