//! What happens in a child between its birth and its program: the steps of its plan, in order.

use std::{
    os::fd::OwnedFd,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    io::{Errno, Result, write},
    process::{
        DumpableBehavior, Pid, Resource, Rlimit, Signal, chdir, getppid, set_dumpable_behavior,
        set_parent_process_death_signal, setrlimit, setsid,
    },
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
};

use super::{act::Act, confine, parcel::Parcel, plan::View, sys};

/// What can be limited; a plan names it by its place here.
pub(crate) const RESOURCES: [Resource; 6] = [
    Resource::Cpu,
    Resource::As,
    Resource::Fsize,
    Resource::Nofile,
    Resource::Nproc,
    Resource::Core,
];

/// What a child is given on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errand<'a> {
    pub(super) view: View<'a>,
    pub(super) parcel: &'a Parcel,
    pub(super) control: &'a OwnedFd,
    pub(super) guard: Pid,
    pub(super) confession: Confession<'a>,
}

/// Where a child says which step failed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Confession<'a> {
    /// In memory that it shares with its guard.
    Note(&'a AtomicU64),
    Pipe(&'a OwnedFd),
}

/// Takes every step and becomes the program; tells the guard what failed otherwise.
pub(super) fn run(errand: &Errand<'_>) -> ! {
    let (step, error) = take_steps(*errand);
    // Counted from 1, so that a failure is never zero.
    let step = u64::try_from(step).unwrap_or_default() + 1;
    let word = step << 32 | u64::from(error.raw_os_error().cast_unsigned());
    match errand.confession {
        Confession::Note(note) => note.store(word, Ordering::Relaxed),
        Confession::Pipe(pipe) => {
            write(pipe, &word.to_ne_bytes()).ok();
        }
    }
    sys::quit(127)
}

/// Reads what [`run`] wrote; nothing when nothing failed.
pub(super) fn read_failure(word: u64) -> Option<(usize, Errno)> {
    let step = usize::try_from(word >> 32).ok()?.checked_sub(1)?;
    let error = i32::try_from(word & 0xffff_ffff).unwrap_or_default();
    Some((step, Errno::from_raw_os_error(error)))
}

fn take_steps(errand: Errand<'_>) -> (usize, Errno) {
    let Errand { view, parcel, .. } = errand;
    if let Err(error) = wire(parcel).and_then(|()| own_up(view)) {
        return (0, error);
    }
    let mut count = 0;
    for step in view.steps() {
        count += 1;
        let done = match step {
            Some((act, words)) => take(act, words, errand),
            None => Err(Errno::INVAL),
        };
        if let Err(error) = done {
            return (count, error);
        }
    }
    (count + 1, sys::execute(view))
}

/// Connects the three pipes; no other file stays open, and no signal keeps a meaning of ours.
fn wire(parcel: &Parcel) -> Result<()> {
    sys::unblock_signals();
    dup2_stdin(&parcel.stdin)?;
    dup2_stdout(&parcel.stdout)?;
    dup2_stderr(&parcel.stderr)?;
    sys::close_at_execution();
    Ok(())
}

/// Lets a child that is a copy of its guard write to its own files in /proc.
fn own_up(view: View<'_>) -> Result<()> {
    if view.clone_flags() == 0 {
        return Ok(());
    }
    set_dumpable_behavior(DumpableBehavior::Dumpable)
}

fn take(act: Act, [a, b, c]: [u64; 3], errand: Errand<'_>) -> Result<()> {
    let view = errand.view;
    match act {
        Act::Session => setsid().map(drop),
        Act::Bind => bind(errand.guard),
        Act::Enter => chdir(view.text(a)),
        Act::Limit => {
            let resource = usize::try_from(a).ok().and_then(|a| RESOURCES.get(a));
            let limit = Rlimit { current: Some(b), maximum: Some(c) };
            setrlimit(*resource.ok_or(Errno::INVAL)?, limit)
        }
        _ => confine::take(act, [a, b, c], errand),
    }
}

/// Dies with the guard, be it gone already.
fn bind(guard: Pid) -> Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // A guard outside of the child's namespace has no number there.
    if getppid().is_some_and(|parent| parent != guard) {
        return Err(Errno::SRCH);
    }
    Ok(())
}
