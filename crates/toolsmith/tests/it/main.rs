//! The facade as its users see it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod models;
