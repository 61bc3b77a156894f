//! Where asynchronous work runs: on the thread of the command, or on every core.

use anyhow::{Context, Result};
use tokio::runtime::Builder;

/// Runs a command that serves many to its end, on a thread for each core.
pub(crate) fn block_on_all_cores<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("cannot start the runtime")?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}

/// Runs a command to its end.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the runtime")?;
    let result = runtime.block_on(work);
    // A thread that still reads standard input must not hold the end of the program up.
    runtime.shutdown_background();
    result
}
