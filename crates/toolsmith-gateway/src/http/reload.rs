//! `POST /reload`: all definitions are read again.

use axum::extract::State;

use super::answer::{Failure, Json};
use crate::{Gateway, Reload, Visitor};

/// Reads all definitions again, and answers what changed and what is wrong.
pub(super) async fn reload(
    State(gateway): State<Gateway>,
    visitor: Visitor,
) -> Result<Json<Reload>, Failure> {
    visitor.must_be_known_admin()?;
    let reloaded = gateway.caretaker()?.reload().await;
    reloaded.map(Json).map_err(|error| Failure::from(&error))
}
