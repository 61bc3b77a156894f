//! Identifiers that repeat from run to run.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use toolsmith_core::{CallId, Ids, Timestamp};

/// Counts 1, 2, 3 … in the place of random bits; clones go on with the same count.
#[derive(Clone, Debug, Default)]
pub struct CountingIds {
    given: Arc<AtomicU64>,
}

impl CountingIds {
    /// Starts at 1.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns how many identifiers were given out.
    pub fn given(&self) -> u64 {
        self.given.load(Ordering::Relaxed)
    }
}

impl Ids for CountingIds {
    fn call_id(&self, at: Timestamp) -> CallId {
        CallId::from_parts(at, self.given.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_moment_are_counted() {
        let ids = CountingIds::new();
        let at = Timestamp::from_millis(0);
        assert_eq!(ids.call_id(at).to_string(), "00000000-0000-7000-8000-000000000001");
        assert_eq!(ids.clone().call_id(at).to_string(), "00000000-0000-7000-8000-000000000002");
        assert_eq!(ids.given(), 2);
    }
}
