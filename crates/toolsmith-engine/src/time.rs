//! Instants that are computed from durations of others.

use std::time::Duration;

use tokio::time::Instant;

/// As good as never, and still an instant that can be computed with.
const FAR: Duration = Duration::from_hours(24 * 365 * 10);

/// Returns the instant that much later; durations from definitions and answers may be absurd.
pub(crate) fn later(from: Instant, wait: Duration) -> Instant {
    from.checked_add(wait.min(FAR)).unwrap_or(from)
}
