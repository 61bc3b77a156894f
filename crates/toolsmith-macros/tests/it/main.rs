//! Tools that `#[tool]` makes: what models see of them, and what their calls do.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod attributes;
mod calls;
mod names;
mod schemas;
mod ui;
mod workbench;
