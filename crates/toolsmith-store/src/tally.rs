//! What is summed up of the records of one batch, before it is added to the statistics.

use std::{collections::HashMap, time::Duration};

use toolsmith_core::{Record, Text, histogram::bucket_of};

/// The one name for all tools that do not exist: callers could make up names without end.
///
/// No tool can have it, since it is not a legal name.
pub(crate) const UNKNOWN: &str = "(unknown)";

/// The sums of a batch.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// One for each tool.
    pub(crate) tools: Vec<ToolTally>,
    /// One for each tool and duration bucket.
    pub(crate) durations: Vec<DurationTally>,
}

/// The sums of one tool.
#[derive(Debug)]
pub(crate) struct ToolTally {
    pub(crate) name: Text,
    pub(crate) calls: i64,
    pub(crate) failures: i64,
    pub(crate) total_micros: i64,
}

/// How often a tool took about that long.
#[derive(Debug)]
pub(crate) struct DurationTally {
    pub(crate) tool: Text,
    pub(crate) bucket: u16,
    pub(crate) calls: i64,
}

/// What a tally needs to know of a call.
#[derive(Clone, Debug)]
pub(crate) struct Counted<'a> {
    pub(crate) tool: &'a str,
    /// Whether a version was chosen: a call of a tool that does not exist has none.
    pub(crate) has_version: bool,
    pub(crate) duration: Duration,
    pub(crate) is_success: bool,
}

impl Tally {
    /// Sums up records.
    pub(crate) fn of(records: &[&Record]) -> Self {
        Self::sum(records.iter().map(|record| Counted {
            tool: &record.tool_name,
            has_version: record.version.is_some(),
            duration: record.execution_time,
            is_success: record.is_success,
        }))
    }

    /// Sums up calls.
    pub(crate) fn sum<'a>(calls: impl Iterator<Item = Counted<'a>>) -> Self {
        let mut tools: Vec<(ToolTally, Duration)> = Vec::new();
        let mut places: HashMap<&'a str, usize> = HashMap::new();
        let mut met: Vec<(usize, u16)> = Vec::with_capacity(calls.size_hint().0);
        for call in calls {
            let name = if call.has_version { call.tool } else { UNKNOWN };
            let place = *places.entry(name).or_insert_with(|| {
                tools.push((ToolTally::new(name), Duration::ZERO));
                tools.len() - 1
            });
            if let Some((tool, total)) = tools.get_mut(place) {
                tool.calls += 1;
                tool.failures += i64::from(!call.is_success);
                *total = total.saturating_add(call.duration);
            }
            met.push((place, bucket_of(call.duration)));
        }
        // Rounded once a batch, not once a call: calls of less than a microsecond count too.
        let tools: Vec<ToolTally> =
            tools.into_iter().map(|(tool, total)| tool.with_total(total)).collect();
        Self { durations: count(met, &tools), tools }
    }

    /// Returns what takes these sums away again.
    pub(crate) fn negated(mut self) -> Self {
        for tool in &mut self.tools {
            tool.calls = -tool.calls;
            tool.failures = -tool.failures;
            tool.total_micros = -tool.total_micros;
        }
        for duration in &mut self.durations {
            duration.calls = -duration.calls;
        }
        self
    }
}

impl ToolTally {
    fn new(name: &str) -> Self {
        Self { name: name.into(), calls: 0, failures: 0, total_micros: 0 }
    }

    fn with_total(mut self, total: Duration) -> Self {
        let micros = (total.saturating_add(Duration::from_nanos(500))).as_micros();
        self.total_micros = i64::try_from(micros).unwrap_or(i64::MAX);
        self
    }
}

/// Counts equal pairs of tool and bucket.
fn count(mut met: Vec<(usize, u16)>, tools: &[ToolTally]) -> Vec<DurationTally> {
    met.sort_unstable();
    let runs = met.chunk_by(|one, other| one == other);
    let tallies = runs.filter_map(|run| {
        let &(place, bucket) = run.first()?;
        let tool = Text::clone(&tools.get(place)?.name);
        Some(DurationTally { tool, bucket, calls: i64::try_from(run.len()).unwrap_or(i64::MAX) })
    });
    tallies.collect()
}
