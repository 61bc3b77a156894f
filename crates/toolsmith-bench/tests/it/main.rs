//! What only a process of its own can show: it is killed, and it is soaked.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod kill;
mod soak;
mod two_processes;
