//! `toolsmith tools search`: the tools for a job, the best first.

use std::process::ExitCode;

use anyhow::Result;

use super::{
    Shelf,
    list::{List, Row},
};
use crate::{Session, args::Which};

/// What is looked for.
pub(super) struct Wanted<'a> {
    pub(super) text: String,
    pub(super) which: &'a Which,
    pub(super) limit: u32,
}

pub(super) fn run(shelf: &Shelf, session: &Session, wanted: &Wanted<'_>) -> Result<ExitCode> {
    let filter = shelf.filter(wanted.which)?;
    let limit = usize::try_from(wanted.limit).unwrap_or(usize::MAX);
    let hits = shelf.engine.registry().search(&wanted.text, &filter, limit);
    let tools =
        hits.iter().map(|hit| Row::of(&hit.tool.spec, &session.redactor).with_score(hit.score));
    let hint = "Nothing fits; try other words, or list everything with `toolsmith tools list`.";
    List::new(tools.collect(), hint).show(session)
}
