//! The command as a user meets it: the built binary, in folders of its own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the support of tests fails like a test, and clippy knows only functions marked as tests"
)]

mod artifacts;
mod batch;
mod calls;
mod completions;
mod config_show;
mod disk;
mod dry_run;
mod export;
mod help;
mod init;
mod interrupt;
mod prune;
mod reference;
mod run;
mod seed_sample;
mod support;
mod together;
mod tools;
mod usage;
