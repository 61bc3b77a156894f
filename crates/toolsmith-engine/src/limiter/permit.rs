//! The right to run, given back on drop.

use std::fmt;

use tokio::time::Instant;

use super::{BucketId, Limiter};

/// A slot of a limiter; dropping it, in whatever way, gives the slot to the next call.
#[must_use = "the slot is given back as soon as the permit is dropped"]
pub struct Permit<'a> {
    limiter: &'a Limiter,
    bucket: BucketId,
    since: Instant,
}

impl<'a> Permit<'a> {
    /// Wraps a slot that was taken for its holder already.
    pub(super) fn new(limiter: &'a Limiter, bucket: BucketId) -> Self {
        Self { limiter, bucket, since: Instant::now() }
    }

    /// Returns when the slot was taken.
    pub fn since(&self) -> Instant {
        self.since
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limiter.give_back(self.bucket, self.since.elapsed());
    }
}

impl fmt::Debug for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("bucket", &self.bucket)
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}
