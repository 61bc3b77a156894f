//! The dialects against what real models wrote and what real benchmarks hold.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod checks;
mod corpus;
mod definitions;
mod generated;
mod gold;
mod names;
mod providers;
mod recorded;
mod replay;
mod results;
mod schemas;
mod streams;
