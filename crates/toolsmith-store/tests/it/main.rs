//! What a store promises, tried on real SQLite files.

mod artifacts;
mod crash;
mod disk;
mod erase;
mod export;
mod opening;
mod processes;
mod queries;
mod queue;
mod retention;
mod summaries;
mod support;
