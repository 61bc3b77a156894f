//! `toolsmith import`: tools made of what is there already.

mod mcp;
mod openapi;
mod registry;
mod report;
mod source;
mod toml;
mod writing;

use std::process::ExitCode;

use anyhow::Result;

use crate::{Session, args::ImportWord};

/// Does what the word says.
pub(crate) fn run(session: &Session, word: &ImportWord) -> Result<ExitCode> {
    match word {
        ImportWord::Openapi(wanted) => openapi::run(session, wanted),
        ImportWord::Mcp(wanted) => mcp::run(session, wanted),
        ImportWord::Toml(wanted) => toml::run(session, wanted),
        ImportWord::Registry(wanted) => registry::run(session, wanted),
    }
}
