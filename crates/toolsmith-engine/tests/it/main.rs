//! The engine as its users see it, part by part.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod approvals;
mod batches;
mod blocking;
mod calls;
mod deadlines;
mod events;
mod failing_store;
mod fakes;
mod indirect;
mod interceptors;
mod json_schema_suite;
mod limits;
mod real_schemas;
mod registry;
mod retries;
mod reuse;
mod secrets;
mod stateful;
mod stateful_life;
mod streams;
