//! Which records, and which page of them.

use serde::Serialize;
use toolsmith_core::{CallId, Record, Text, Timestamp};

use crate::{Store, StoreError, sqlite::select};

/// The largest page.
const LARGEST_PAGE: u32 = 10_000;

/// Which records; what is absent does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Those of one conversation.
    pub conversation_id: Option<Text>,
    /// Those of one tool.
    pub tool_name: Option<Text>,
    /// Those of one caller.
    pub caller_id: Option<Text>,
    /// Those of one person.
    pub user_id: Option<Text>,
    /// Those of one workflow.
    pub workflow_id: Option<Text>,
    /// Those of one task.
    pub task_id: Option<Text>,
    /// Those that arrived at this moment or later.
    pub since: Option<Timestamp>,
    /// Those that arrived before this moment.
    pub until: Option<Timestamp>,
    /// Those that succeeded, or those that failed.
    pub success: Option<bool>,
    /// In which order.
    pub order: Order,
    /// Those that come after this one: the `next` of the page before.
    pub cursor: Option<CallId>,
    /// How many, at most; never more than 10,000.
    pub limit: u32,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            conversation_id: None,
            tool_name: None,
            caller_id: None,
            user_id: None,
            workflow_id: None,
            task_id: None,
            since: None,
            until: None,
            success: None,
            order: Order::NewestFirst,
            cursor: None,
            limit: 100,
        }
    }
}

/// In which order records come, by the time that their calls arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The latest call first.
    #[default]
    NewestFirst,
    /// The earliest call first.
    OldestFirst,
}

/// A page of records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    /// The records.
    pub records: Vec<Record>,
    /// The cursor of the next page, when there is one.
    pub next: Option<CallId>,
}

impl Store {
    /// Returns a page of records.
    pub async fn records(&self, query: Query) -> Result<Page, StoreError> {
        let limit = query.limit.clamp(1, LARGEST_PAGE) as usize;
        let mut reader = self.reader().await?;
        // One more than asked for tells whether there is a next page.
        let found = select::records(&mut reader.db, &query, limit + 1).await;
        let mut records = reader.give_back(found)?;
        let has_more = records.len() > limit;
        records.truncate(limit);
        let last = records.last().map(|record| record.record_id);
        Ok(Page { next: last.filter(|_| has_more), records })
    }

    /// Returns the record of one call.
    pub async fn record(&self, id: CallId) -> Result<Option<Record>, StoreError> {
        let mut reader = self.reader().await?;
        let found = select::record(&mut reader.db, id).await;
        reader.give_back(found)
    }
}
