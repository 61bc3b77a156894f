//! Real processes: what they are given, what comes back, and that nothing of them stays.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail where it stands, and say how long something took"
)]

mod crowd;
mod death;
mod doors;
mod ends;
mod exchange;
mod hostile;
mod standard;
mod strict;
mod support;
