//! The `toolsmith` command: arguments, configuration, and one file for each word.
//!
//! The binary is a thin shell around [`run`]; the rest is public so that it can be tested and so
//! that references are generated from it.

mod app;
pub mod args;
mod asking;
mod catalogue;
mod commands;
mod compose;
pub mod config;
pub mod exit;
pub mod files;
mod interrupt;
mod logging;
mod memory;
pub mod output;
pub mod params;
pub mod progress;
mod running;
mod runtime;
mod session;
pub mod table;
mod wording;

pub use app::run;
pub use session::Session;
