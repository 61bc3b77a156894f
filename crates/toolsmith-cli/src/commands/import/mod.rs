//! `toolsmith import`: tools made of what is there already.

mod registry;
mod report;
mod toml;
mod writing;

use std::process::ExitCode;

use anyhow::Result;

use crate::{Session, args::ImportWord};

/// Does what the word says.
pub(crate) fn run(session: &Session, word: &ImportWord) -> Result<ExitCode> {
    match word {
        ImportWord::Toml(wanted) => toml::run(session, wanted),
        ImportWord::Registry(wanted) => registry::run(session, wanted),
    }
}
