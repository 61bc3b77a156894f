//! What a store promises, tried on real database files.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail where it stands")]

mod artifacts;
mod crash;
mod disk;
mod erase;
mod export;
mod keys;
mod opening;
mod processes;
mod queries;
mod queue;
mod retention;
mod summaries;
mod support;
mod trouble;
