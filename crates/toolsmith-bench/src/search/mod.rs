//! The search: how good and how fast it is.

mod eval;
mod judge;
mod load;
mod made;
mod plain;
mod sample;
mod sets;

use std::path::PathBuf;

use anyhow::{Context, Result};
use toolsmith_testing::fixtures;

pub(crate) use self::{eval::eval, load::bench};

/// Returns the folder of the public sets.
fn folder() -> Result<PathBuf> {
    let shared = fixtures::shared().context("there is no ../shared/data beside the project")?;
    Ok(shared.join("retrieval"))
}
