//! `GET /calls/summary?conversation_id=`: what a conversation did with tools.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::Deserialize;
use toolsmith_core::Text;
use toolsmith_store::{Brief, Summary};

use super::{
    answer::{Failure, Json},
    asked::Asked,
};
use crate::{Gateway, Visitor};

/// Which conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    conversation_id: Text,
    #[serde(default)]
    form: Form,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Form {
    #[default]
    Whole,
    Brief,
}

/// Either form.
#[derive(Debug, JsonSchema)]
#[schemars(untagged, rename = "SummaryOrBrief")]
#[expect(dead_code, reason = "the forms that an answer can have, for the description")]
pub(super) enum Summed {
    Whole(Summary),
    Brief(Brief),
}

/// Sums up the calls of a conversation that the caller may see; a strange one has none.
pub(super) async fn summary(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Failure> {
    let store = gateway.store()?;
    let summary = if visitor.is_admin() {
        store.summary(wanted.conversation_id).await?
    } else {
        store.summary_of(&visitor.id, wanted.conversation_id).await?
    };
    Ok(match wanted.form {
        Form::Whole => Json(summary).into_response(),
        Form::Brief => Json(summary.brief()).into_response(),
    })
}
