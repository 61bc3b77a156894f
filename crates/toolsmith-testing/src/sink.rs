//! Sinks for records that need no store.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use parking_lot::Mutex;
use toolsmith_core::{Receipt, Record, RecordSink};

/// Keeps records in memory; clones share them.
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    kept: Arc<Mutex<Vec<Record>>>,
    pushed: CountingSink,
}

impl MemorySink {
    /// Starts empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the records that are kept, in the order of their arrival.
    pub fn records(&self) -> Vec<Record> {
        self.kept.lock().clone()
    }

    /// Returns the records that are kept, and keeps none of them.
    pub fn take(&self) -> Vec<Record> {
        std::mem::take(&mut *self.kept.lock())
    }

    /// Returns the record that came last.
    pub fn last(&self) -> Option<Record> {
        self.kept.lock().last().cloned()
    }

    /// Returns how many records have come since the start, taken ones too.
    pub fn count(&self) -> u64 {
        self.pushed.count()
    }
}

impl RecordSink for MemorySink {
    fn push(&self, record: Record) -> Receipt {
        let mut kept = self.kept.lock();
        self.pushed.add_one();
        kept.push(record);
        Receipt::done()
    }
}

/// Counts records and drops them: a sink for benchmarks; clones share the count.
#[derive(Clone, Debug, Default)]
pub struct CountingSink {
    count: Arc<Apart>,
}

/// Alone in its cache lines, so that counting slows nothing but the counting.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart(AtomicU64);

impl CountingSink {
    /// Starts at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns how many records have come.
    pub fn count(&self) -> u64 {
        self.count.0.load(Ordering::Relaxed)
    }

    fn add_one(&self) {
        self.count.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl RecordSink for CountingSink {
    fn push(&self, _record: Record) -> Receipt {
        self.add_one();
        Receipt::done()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use toolsmith_core::{CallId, CallerType, JsonText, Text, Timestamp};

    use super::*;

    fn record(tool: &str) -> Record {
        Record {
            record_id: CallId::from_parts(Timestamp::from_millis(0), 1),
            tool_name: Text::from(tool),
            version: None,
            params: JsonText::of(&toolsmith_core::json!({})),
            result: None,
            execution_time: Duration::ZERO,
            is_success: true,
            error: None,
            error_type: None,
            caller_id: None,
            caller_type: CallerType::default(),
            conversation_id: None,
            workflow_id: None,
            node_id: None,
            task_id: None,
            user_id: None,
            created_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn records_are_kept_in_order_until_they_are_taken() {
        let sink = MemorySink::new();
        assert!(sink.push(record("one")).is_done());
        assert!(sink.clone().push(record("two")).is_done());
        let names: Vec<String> =
            sink.records().iter().map(|record| record.tool_name.to_string()).collect();
        assert_eq!(names, ["one", "two"]);
        assert_eq!(sink.last().unwrap().tool_name.to_string(), "two");
        assert_eq!(sink.take().len(), 2);
        assert!(sink.records().is_empty());
        assert_eq!(sink.count(), 2);
    }

    #[test]
    fn threads_count_together() {
        let sink = CountingSink::new();
        let push_hundred = || (0..100).all(|_| sink.push(record("one")).is_done());
        std::thread::scope(|scope| {
            scope.spawn(push_hundred);
            scope.spawn(push_hundred);
        });
        assert_eq!(sink.count(), 200);
    }
}
