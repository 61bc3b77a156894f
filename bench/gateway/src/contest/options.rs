//! What the contest is told on its command line.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// What the contest is told.
pub(super) struct Options {
    /// Our program.
    pub(super) toolsmith: PathBuf,
    /// The proxy of others, when it could be built.
    pub(super) proxy: Option<PathBuf>,
    /// Why it could not.
    pub(super) without: Option<String>,
    /// The only part that is run.
    only: Option<String>,
    /// Whether few and short rounds are enough.
    pub(super) is_quick: bool,
}

impl Options {
    pub(super) fn parse(words: &[&str]) -> Result<Self> {
        let (mut toolsmith, mut proxy, mut without, mut only) = (None, None, None, None);
        let mut is_quick = false;
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word {
                "--toolsmith" => toolsmith = Some(PathBuf::from(value()?)),
                "--proxy" => proxy = Some(PathBuf::from(value()?)),
                "--without" => without = Some((*value()?).to_owned()),
                "--only" => only = Some((*value()?).to_owned()),
                "--quick" => is_quick = true,
                _ => bail!("`{word}` is not an option of this"),
            }
        }
        let toolsmith = toolsmith.context("--toolsmith is needed")?;
        Ok(Self { toolsmith, proxy, without, only, is_quick })
    }

    /// Tells whether a part is to be run.
    pub(super) fn wants(&self, part: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == part)
    }
}
