//! Real processes: what they are given, what comes back, and that nothing of them stays.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod crowd;
mod death;
mod doors;
mod ends;
mod exchange;
mod standard;
mod strict;
mod support;
