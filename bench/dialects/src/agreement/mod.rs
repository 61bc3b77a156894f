//! How far two other parsers agree with ours, case by case.

mod compare;
mod page;
mod reasons;
mod table;

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, bail};

use self::compare::{Compared, compare};
use crate::cases;

/// What is done about the page of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    /// It must be as it would be written.
    Compare,
    /// It is written.
    Write,
}

/// Prints the agreement; fails when a difference is unexplained, or an explained one is none.
pub(crate) fn eval(page: Page) -> Result<ExitCode> {
    if !cfg!(feature = "peers") {
        bail!("this was built without the other parsers; build with `--features peers`");
    }
    let compared = compare(&cases::cases()?);
    let mut out = io::stdout();
    out.write_all(table::write(&compared).as_bytes())?;
    let complaints = reasons::complaints(&compared);
    for complaint in &complaints {
        writeln!(out, "{complaint}")?;
    }
    let is_current = settle(page, &compared)?;
    if !is_current {
        writeln!(out, "{} is not as it would be written: --write", place().display())?;
    }
    let is_fine = complaints.is_empty() && is_current;
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the page or compares it; tells whether it is as it should be.
fn settle(page: Page, compared: &[Compared]) -> Result<bool> {
    let text = page::write(compared);
    let path = root().join(place());
    if page == Page::Write {
        fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        return Ok(true);
    }
    Ok(fs::read_to_string(&path).is_ok_and(|old| old == text))
}

fn place() -> &'static Path {
    Path::new("docs/reference/dialect-agreement.md")
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
