//! Every built-in tool, as an engine sees it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod attacks;
mod catalogue;
mod files;
mod formats;
mod oracle;
mod special_files;
mod swapping;
mod system;
mod workbench;
