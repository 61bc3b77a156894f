//! The command as a user meets it: the built binary, in folders of its own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the support of tests fails like a test, and clippy knows only functions marked as tests"
)]

mod completions;
mod config_show;
mod init;
mod seed_sample;
mod support;
mod usage;
