//! Connectors against real servers, and against servers that misbehave.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the support of tests fails like a test, and clippy knows only functions marked as tests"
)]

mod asking;
mod bench;
mod besides;
mod bound;
mod calls;
mod confined;
mod conformance;
mod hostile;
mod http;
mod lists;
mod logins;
mod posted;
mod real;
mod states;
mod suite_client;
