//! `toolsmith import`: tools made of what is there already.

mod mcp;
mod openapi;
mod source;
mod writing;

use std::process::ExitCode;

use anyhow::Result;

use crate::{Session, args::ImportWord};

/// Does what the word says.
pub(crate) fn run(session: &Session, word: &ImportWord) -> Result<ExitCode> {
    match word {
        ImportWord::Openapi(wanted) => openapi::run(session, wanted),
        ImportWord::Mcp(wanted) => mcp::run(session, wanted),
    }
}
