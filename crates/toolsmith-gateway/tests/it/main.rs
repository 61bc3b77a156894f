//! The doors, as other programs meet them: over real connections.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the support of tests fails like a test, and clippy knows only functions marked as tests"
)]

mod approving;
mod bodies;
mod calls;
mod conformance;
mod contract;
mod door;
mod eliciting;
mod ending;
mod every_door;
mod fixtures;
mod hearing;
mod hostile;
mod issuer;
mod joined;
mod later;
mod listing;
mod many;
mod mcp;
mod metrics;
mod packing;
mod pages;
mod protocol;
mod records;
mod refusals;
mod restricted;
mod sharing;
mod streams;
mod support;
mod tasks;
mod telemetry;
mod tls;
mod tokens;
mod tools;
mod watching;
mod webhooks;
mod wording;
