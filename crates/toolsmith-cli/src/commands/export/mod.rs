//! `toolsmith export`: tools for other systems.

mod registry;

use std::process::ExitCode;

use anyhow::Result;

use crate::{Session, args::ExportWord};

/// Does what the word says.
pub(crate) fn run(session: &Session, word: &ExportWord) -> Result<ExitCode> {
    match word {
        ExportWord::Registry(wanted) => registry::run(session, wanted),
    }
}
