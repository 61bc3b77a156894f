//! `GET /calls`: the records of calls, a page at a time.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsmith_core::{CallId, Record, Text, Timestamp};
use toolsmith_store::{Order, Page, Query};

use super::{
    answer::{Failure, Json},
    asked::Asked,
};
use crate::{Gateway, Visitor};

/// The largest page.
const MOST: u32 = 1_000;

/// What a client may ask for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    conversation_id: Option<Text>,
    tool: Option<Text>,
    caller_id: Option<Text>,
    user_id: Option<Text>,
    workflow_id: Option<Text>,
    task_id: Option<Text>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    success: Option<bool>,
    order: Option<Sorted>,
    /// The `next` of the page before.
    #[schemars(with = "Option<CallId>")]
    cursor: Option<String>,
    limit: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sorted {
    Newest,
    Oldest,
}

/// A page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallList")]
pub(super) struct List {
    calls: Vec<Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<CallId>,
}

/// Answers the records that the caller may see.
pub(super) async fn list(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
) -> Result<Json<List>, Failure> {
    let store = gateway.store()?;
    let is_of_others = wanted.caller_id.as_ref().is_some_and(|owner| *owner != visitor.id);
    if is_of_others && !visitor.is_admin() {
        return Ok(Json(List { calls: Vec::new(), next: None }));
    }
    let cursor = wanted.cursor.as_deref().map(str::parse).transpose();
    let cursor = cursor.map_err(|_| Failure::wrong_cursor("next"))?;
    let query = Query { cursor, ..wanted.query(&visitor) };
    let Page { records, next } = store.records(query).await?;
    Ok(Json(List { calls: records, next }))
}

impl Wanted {
    fn query(self, visitor: &Visitor) -> Query {
        let caller_id = if visitor.is_admin() { self.caller_id } else { Some(visitor.id.clone()) };
        Query {
            conversation_id: self.conversation_id,
            tool_name: self.tool,
            caller_id,
            user_id: self.user_id,
            workflow_id: self.workflow_id,
            task_id: self.task_id,
            since: self.since,
            until: self.until,
            success: self.success,
            order: match self.order {
                Some(Sorted::Oldest) => Order::OldestFirst,
                Some(Sorted::Newest) | None => Order::NewestFirst,
            },
            cursor: None,
            limit: self.limit.unwrap_or(100).min(MOST),
        }
    }
}
