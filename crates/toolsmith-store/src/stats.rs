//! What all calls came to, kept as sums so that nothing has to be counted.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::{Text, histogram::Histogram};

use crate::{
    Store, StoreError,
    sqlite::select::{self, ToolSums},
    summary::percentage,
};

/// What all calls came to since the database was made.
///
/// Pruned records still count: these are sums over all time. Erased ones do not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Statistics {
    /// How many calls there were.
    pub total_calls: u64,
    /// How many succeeded.
    pub successful_calls: u64,
    /// How many failed.
    pub failed_calls: u64,
    /// How many of a hundred succeeded; zero when there were no calls.
    pub success_rate: f64,
    /// How often each tool was called, by name; those that do not exist are `(unknown)` together.
    pub tool_usage: BTreeMap<Text, u64>,
    /// More about each tool, by the same names.
    pub tools: BTreeMap<Text, ToolStatistics>,
}

/// What the calls of one tool came to; percentiles are within 3 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ToolStatistics {
    /// How many calls there were.
    pub count: u64,
    /// How many failed.
    pub failures: u64,
    /// How long a call took on average, in milliseconds.
    pub avg_ms: f64,
    /// How long the faster half took at most, in milliseconds.
    pub p50_ms: f64,
    /// How long 95 of a hundred calls took at most, in milliseconds.
    pub p95_ms: f64,
    /// How long 99 of a hundred calls took at most, in milliseconds.
    pub p99_ms: f64,
}

impl Store {
    /// Returns what all calls came to.
    pub async fn stats(&self) -> Result<Statistics, StoreError> {
        let mut reader = self.reader().await?;
        let sums = match select::tools(&mut reader.db).await {
            Ok(sums) => select::durations(&mut reader.db).await.map(|buckets| (sums, buckets)),
            Err(error) => Err(error),
        };
        let (sums, buckets) = reader.give_back(sums)?;
        let mut histograms: BTreeMap<Text, Histogram> = BTreeMap::new();
        for (tool, bucket, calls) in buckets {
            histograms.entry(tool).or_default().push(bucket, calls);
        }
        Ok(Statistics::of(sums, &histograms))
    }
}

impl Statistics {
    fn of(sums: Vec<ToolSums>, histograms: &BTreeMap<Text, Histogram>) -> Self {
        let mut all = Self::default();
        for sum in sums {
            let name = Text::clone(&sum.count.tool);
            let tool = ToolStatistics::of(&sum, histograms.get(&name));
            all.total_calls += tool.count;
            all.failed_calls += tool.failures;
            all.tool_usage.insert(Text::clone(&name), tool.count);
            all.tools.insert(name, tool);
        }
        all.successful_calls = all.total_calls.saturating_sub(all.failed_calls);
        all.success_rate = percentage(all.successful_calls, all.total_calls);
        all
    }
}

impl ToolStatistics {
    fn of(sums: &ToolSums, histogram: Option<&Histogram>) -> Self {
        let percentile =
            |percent| to_millis(histogram.map_or(Duration::ZERO, |all| all.percentile(percent)));
        let total = to_millis(Duration::from_micros(sums.total_micros));
        #[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 calls do not occur")]
        let count = sums.count.calls.max(1) as f64;
        Self {
            count: sums.count.calls,
            failures: sums.count.failures,
            avg_ms: total / count,
            p50_ms: percentile(50),
            p95_ms: percentile(95),
            p99_ms: percentile(99),
        }
    }
}

fn to_millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
