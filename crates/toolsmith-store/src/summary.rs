//! What a conversation did with tools, summed up.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::Text;

use crate::{Store, StoreError, sqlite::select};

/// What a conversation did with tools.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// The conversation.
    pub conversation_id: Text,
    /// How many calls it made.
    pub total_calls: u64,
    /// How many succeeded.
    pub successful_calls: u64,
    /// How many failed.
    pub failed_calls: u64,
    /// How many of a hundred succeeded; zero when there were no calls.
    pub success_rate: f64,
    /// How often each tool was called, by name.
    pub tool_usage: BTreeMap<Text, u64>,
}

/// The short form of a summary.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Brief {
    /// How many calls there were.
    pub total_calls: u64,
    /// How many of a hundred succeeded; zero when there were no calls.
    pub success_rate: f64,
    /// How often each tool was called, by name.
    pub tool_usage: BTreeMap<Text, u64>,
    /// Whether any call failed.
    pub has_errors: bool,
}

impl Summary {
    /// Returns the short form.
    pub fn brief(&self) -> Brief {
        Brief {
            total_calls: self.total_calls,
            success_rate: self.success_rate,
            tool_usage: self.tool_usage.clone(),
            has_errors: self.failed_calls > 0,
        }
    }
}

impl Store {
    /// Sums up a conversation; one that nobody knows has no calls.
    pub async fn summary(&self, conversation_id: impl Into<Text>) -> Result<Summary, StoreError> {
        self.sum_up(conversation_id.into(), None).await
    }

    /// Sums up what one caller did in a conversation.
    pub async fn summary_of(
        &self,
        caller_id: &Text,
        conversation_id: impl Into<Text>,
    ) -> Result<Summary, StoreError> {
        self.sum_up(conversation_id.into(), Some(caller_id)).await
    }

    async fn sum_up(
        &self,
        conversation_id: Text,
        caller_id: Option<&Text>,
    ) -> Result<Summary, StoreError> {
        let mut reader = self.reader().await?;
        let counts = select::conversation(&mut reader.db, &conversation_id, caller_id).await;
        let counts = reader.give_back(counts)?;
        let total_calls: u64 = counts.iter().map(|count| count.calls).sum();
        let failed_calls: u64 = counts.iter().map(|count| count.failures).sum();
        let successful_calls = total_calls.saturating_sub(failed_calls);
        Ok(Summary {
            conversation_id,
            total_calls,
            successful_calls,
            failed_calls,
            success_rate: percentage(successful_calls, total_calls),
            tool_usage: counts.into_iter().map(|count| (count.tool, count.calls)).collect(),
        })
    }
}

/// Returns how many of a hundred; zero when there is nothing to divide by.
#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 calls do not occur")]
pub(crate) fn percentage(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 * 100.0 / whole as f64
}
