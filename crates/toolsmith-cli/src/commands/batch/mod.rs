//! `toolsmith batch`: many calls, a thousand at a time.

mod counting;
mod report;
mod source;

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::{Context as _, Result};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use toolsmith_core::Call;

use self::{counting::Counting, report::Report, source::Source};
use crate::{
    Session, args::Batch, compose::Workshop, config::Settings, exit, interrupt::Interrupt,
    runtime::block_on,
};

/// Makes the calls.
pub(crate) fn run(session: &Session, batch: &Batch) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let source = Source::open(&batch.file)?;
    block_on(call_all(session, &settings, source))
}

async fn call_all(session: &Session, settings: &Settings, source: Source) -> Result<ExitCode> {
    let mut workshop = Workshop::open(session, settings).await?;
    workshop.watch(settings);
    let interrupt = Interrupt::watch().context("cannot listen for Ctrl-C")?;
    let mut report = Report::new(session.output);
    let ended = call_chunks(&workshop, interrupt.token(), source, &mut report).await;
    let code = report.end(ended);
    workshop.close().await;
    let code = code?;
    Ok(if interrupt.token().is_cancelled() { exit::CANCELLED } else { code }.into())
}

async fn call_chunks(
    workshop: &Workshop,
    cancel: &CancellationToken,
    mut source: Source,
    report: &mut Report,
) -> Result<()> {
    let mut counting = Counting::begin();
    loop {
        // Reading may take as long as it likes; Ctrl-C leaves the reading thread where it is.
        let reading = spawn_blocking(move || {
            let chunk = source.next_chunk();
            (source, chunk)
        });
        let Some(read) = cancel.run_until_cancelled(reading).await else { return Ok(()) };
        let (rest, chunk) = read.context("the calls could not be read")?;
        source = rest;
        let chunk = chunk?;
        if chunk.is_empty() {
            return Ok(());
        }
        let count = chunk.len() as u64;
        let calls = chunk.into_iter().map(|item| item.into_call(workshop.context(), cancel));
        let calls: Vec<Call> = calls.collect();
        for tool in unknown(workshop, &calls) {
            // Why a server does not start was said by it; its calls say that there is no such tool.
            workshop.look_for(&tool).await.ok();
        }
        let work = Box::pin(workshop.batch(calls));
        let outcomes = counting.wait(workshop.engine(), count, work).await;
        report.add(&outcomes)?;
        if cancel.is_cancelled() {
            return Ok(());
        }
    }
}

/// Returns the tools of calls that the engine does not know, each once.
fn unknown(workshop: &Workshop, calls: &[Call]) -> BTreeSet<String> {
    let is_unknown = |call: &&Call| workshop.engine().registry().get(&call.tool).is_none();
    calls.iter().filter(is_unknown).map(|call| call.tool.clone()).collect()
}
