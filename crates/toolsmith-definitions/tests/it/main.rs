//! Definitions in real files, as their users see them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod entries;
mod faults;
mod given;
mod grouping;
mod hostile;
mod json_registry;
mod many;
mod needs;
mod reloading;
mod saving;
mod scaffolds;
mod support;
mod switching;
mod toml_registry;
mod variables;
mod watching;
