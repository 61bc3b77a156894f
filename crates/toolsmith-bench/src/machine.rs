//! What the system says about processes: memory, processor time.

use std::{fs, time::Duration};

use anyhow::{Context, Result};
use rustix::{
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
    time::{ClockId, clock_gettime},
};

/// Returns the memory that a process holds, in bytes.
pub(crate) fn memory_of(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: u64 = line
        .and_then(|line| line.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .context("no VmRSS in /proc")?;
    Ok(kilobytes * 1_024)
}

/// Returns the memory that this process holds, in bytes.
pub(crate) fn memory() -> Result<u64> {
    memory_of(std::process::id())
}

/// Processor time, read from the clocks of the system.
#[derive(Clone, Copy)]
pub(crate) struct ProcessorTime {
    /// Of all threads of this process, ended ones too.
    pub(crate) process: Duration,
    /// Of the thread that asks.
    pub(crate) thread: Duration,
}

impl ProcessorTime {
    pub(crate) fn now() -> Self {
        Self { process: read(ClockId::ProcessCPUTime), thread: read(ClockId::ThreadCPUTime) }
    }
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

/// Keeps this process, and those that it starts, on one processor.
///
/// What two processes cost that wake each other depends on where they happen to run: waking another
/// processor of a virtual machine can cost more than all the rest.
pub(crate) fn stay_on_one_processor() -> Result<()> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|&number| allowed.is_set(number));
    let mut one = CpuSet::new();
    one.set(last.context("there is no processor")?);
    Ok(sched_setaffinity(None, &one)?)
}

/// Returns the path of this program, to be started once more in another part.
pub(crate) fn this_program() -> Result<String> {
    let path = std::env::current_exe()?;
    path.to_str().map(ToOwned::to_owned).context("the path of this program is no text")
}

/// Returns the middle one of some figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns nanoseconds for one of many.
pub(crate) fn nanos_each(took: Duration, count: usize) -> f64 {
    took.as_secs_f64() * 1e9 / as_f64(count)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a benchmark are far below 2^52")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Keeps two digits behind the point: more is noise.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}
