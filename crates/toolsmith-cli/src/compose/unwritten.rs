//! What stands in the place of a store that cannot write.

use std::sync::atomic::{AtomicU64, Ordering};

use toolsmith_core::{ErrorKind, Receipt, Record, RecordSink, ToolError};
use toolsmith_store::Durability;

/// Counts records that nobody can keep; where records are promised, it refuses calls.
#[derive(Debug)]
pub(super) struct Unwritten {
    reason: String,
    durability: Durability,
    count: AtomicU64,
}

impl Unwritten {
    /// Makes one, with the reason why nothing can be written.
    pub(super) fn new(reason: String, durability: Durability) -> Self {
        Self { reason, durability, count: AtomicU64::new(0) }
    }

    /// Returns how many records were lost whose calls were answered.
    pub(super) fn count(&self) -> u64 {
        match self.durability {
            Durability::Batched => self.count.load(Ordering::Relaxed),
            // A refused call has said already why nothing is kept of it.
            Durability::Sync => 0,
        }
    }

    /// Returns why nothing can be written.
    pub(super) fn reason(&self) -> &str {
        &self.reason
    }
}

impl RecordSink for Unwritten {
    fn push(&self, _record: Record) -> Receipt {
        self.count.fetch_add(1, Ordering::Relaxed);
        Receipt::done()
    }

    fn ready(&self) -> Result<(), ToolError> {
        if self.durability == Durability::Batched {
            return Ok(());
        }
        let reason = &self.reason;
        Err(ToolError::new(
            ErrorKind::Rejected,
            format!(
                "Records cannot be written ({reason}), and calls are refused while \
                 `records.durability` is `sync`. Make room or choose another folder with --data."
            ),
        ))
    }
}
