//! What a limiter is told: how many, how long the queue, and who goes first.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use toolsmith_core::{Category, ToolError};

/// How many calls may run and wait, and in which order they are served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimiterConfig {
    /// How many calls run at once, over all buckets.
    pub max_concurrent: usize,
    /// How many calls wait, over all buckets; with 0 nobody waits.
    pub queue_size: usize,
    /// Who is served first, or that nobody waits.
    pub strategy: Strategy,
    /// How many calls of a category run at once; `http` and `network` are one.
    pub bucket_limits: BTreeMap<String, usize>,
    /// How long a call must wait to make up for one step of priority, in seconds.
    #[serde(with = "toolsmith_core::seconds")]
    pub aging: Duration,
}

impl LimiterConfig {
    /// Checks that calls can run at all, and names every value that prevents it.
    pub fn check(&self) -> Result<(), ToolError> {
        let mut problems = Vec::new();
        if self.max_concurrent == 0 {
            problems
                .push("`max_concurrent` is 0, so no call could run; set it to 1 or more".into());
        }
        for (category, _) in self.bucket_limits.iter().filter(|(_, limit)| **limit == 0) {
            problems.push(format!(
                "`bucket_limits.{category}` is 0, so no call of this category could run; set it to 1 \
                 or more, or leave it out"
            ));
        }
        if self.strategy == Strategy::Priority && self.aging.is_zero() {
            problems.push(
                "`aging` is 0, so priorities would count for nothing; set it to the seconds of \
                 waiting that make up for one step of priority"
                    .into(),
            );
        }
        if problems.is_empty() { Ok(()) } else { Err(ToolError::validation(problems.join(". "))) }
    }
}

impl Default for LimiterConfig {
    fn default() -> Self {
        Self {
            max_concurrent: 10,
            queue_size: 100,
            strategy: Strategy::default(),
            bucket_limits: BTreeMap::new(),
            aging: Duration::from_secs(1),
        }
    }
}

/// What happens to calls that find no free slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// They wait, and whoever came first is served first.
    #[default]
    Fifo,
    /// They wait, higher priorities first; waiting makes up for priority.
    Priority,
    /// They are refused at once.
    Reject,
}

/// Turns limits of categories into limits of buckets; of two for one bucket the smaller wins.
pub(super) fn by_bucket(limits: BTreeMap<String, usize>) -> BTreeMap<String, usize> {
    let mut smallest = BTreeMap::new();
    for (category, limit) in limits {
        let bucket = Category::new(&category).bucket().to_owned();
        let kept = smallest.entry(bucket).or_insert(limit);
        *kept = limit.min(*kept);
    }
    smallest
}
