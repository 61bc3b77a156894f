//! What the system says about processes, and on which core they run.

use std::{fs, process::Command, time::Duration};

use anyhow::{Context, Result, ensure};
use rustix::{
    process::{getpriority_process, setpriority_process},
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
};

/// How far the processes of the contest go before others of the machine.
const PRIORITY: i32 = -10;

/// What a tick of the system's accounts is, in microseconds: Linux shows hundredths of seconds.
const TICK_US: f64 = 10_000.0;

/// The cores of the contest: one for what is measured, one for everything else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    /// For the side that is measured.
    pub(crate) server: usize,
    /// For the load, and for servers behind the side that is measured.
    pub(crate) others: usize,
}

impl Cores {
    /// Takes the last two cores that this process may use.
    pub(crate) fn take() -> Result<Self> {
        let allowed = sched_getaffinity(None)?;
        let mut cores = (0..CpuSet::MAX_CPU).rev().filter(|&core| allowed.is_set(core));
        let two = cores.next().zip(cores.next());
        let (server, others) = two.context("two cores are needed: one of them makes the load")?;
        Ok(Self { server, others })
    }
}

/// Keeps this process, and those that it starts from then on, on a core.
pub(crate) fn stay_on(core: usize) -> Result<()> {
    let mut one = CpuSet::new();
    one.set(core);
    Ok(sched_setaffinity(None, &one)?)
}

/// Lets this process and its children go before others, where that is allowed.
pub(crate) fn go_first() -> bool {
    setpriority_process(None, PRIORITY).is_ok()
        && getpriority_process(None).is_ok_and(|priority| priority == PRIORITY)
}

/// Where Linux keeps how far the processes of a session go before others.
const SESSION: &str = "/proc/self/autogroup";

/// Returns how far the session of this process goes before others, as Linux writes it.
pub(crate) fn priority_of_session() -> String {
    let written = fs::read_to_string(SESSION).unwrap_or_default();
    written.split_whitespace().last().unwrap_or("0").to_owned()
}

/// Lets the session of this process go as far before others as another one.
///
/// A gateway may start its servers in sessions of their own, which on a busy machine would leave
/// them behind: that is no trait of the gateway.
pub(crate) fn keep_up_with_session(priority: &str) {
    if priority_of_session() != priority {
        fs::write(SESSION, priority).ok();
    }
}

/// Returns the processor time of a process and its children, as they are now.
///
/// A server that the process has started is not counted: it is the same on all sides.
pub(crate) fn processor_time(pid: u32) -> Result<Duration> {
    let mut ticks = ticks_of(pid)?;
    for child in children_of(pid) {
        let words = fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
        if !words.contains("speak-rmcp") {
            ticks += processor_ticks_of_tree(child);
        }
    }
    Ok(Duration::from_secs_f64(ticks * TICK_US / 1e6))
}

fn processor_ticks_of_tree(pid: u32) -> f64 {
    let words = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if words.contains("speak-rmcp") {
        return 0.0;
    }
    let below: f64 = children_of(pid).into_iter().map(processor_ticks_of_tree).sum();
    ticks_of(pid).unwrap_or_default() + below
}

fn ticks_of(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name, in brackets, may hold spaces; user and system time are 12th and 13th behind it.
    let (_, rest) = stat.rsplit_once(')').context("no name in /proc")?;
    let ticks: Vec<f64> =
        rest.split_whitespace().skip(11).take(2).filter_map(|text| text.parse().ok()).collect();
    ensure!(ticks.len() == 2, "no times in /proc");
    Ok(ticks.iter().sum())
}

fn children_of(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            let pids: Vec<u32> =
                list.split_whitespace().filter_map(|text| text.parse().ok()).collect();
            pids
        })
        .collect()
}

/// Returns the memory that a process holds, in megabytes.
pub(crate) fn memory_of(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: f64 = line
        .and_then(|line| line.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .context("no VmRSS in /proc")?;
    Ok(kilobytes / 1_024.0)
}

/// Begins a command that starts this program once more in another part.
pub(crate) fn this_program(words: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words);
    Ok(command)
}

/// Returns the middle one of some figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Keeps two digits behind the point: more is noise.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}
