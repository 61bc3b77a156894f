//! `toolsmith import`: tools made of what is there already.

mod mcp;

use std::process::ExitCode;

use anyhow::Result;

use crate::{Session, args::ImportWord};

/// Does what the word says.
pub(crate) fn run(session: &Session, word: &ImportWord) -> Result<ExitCode> {
    match word {
        ImportWord::Mcp(wanted) => mcp::run(session, wanted),
    }
}
