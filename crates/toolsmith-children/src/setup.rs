//! What happens in a child between its birth and its program.

use std::{io, os::unix::process::CommandExt, process};

use rustix::{
    io::Errno,
    process::{
        Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_parent_process_death_signal,
        setrlimit, setsid,
    },
};

use crate::Limits;

/// The flag of the kernel that says when to close; it has another type in every C library.
const CLOSE_RANGE_CLOEXEC: libc::c_int = 4;

/// Lets a child lead a session, die with the thread that starts it, and keep within its limits.
///
/// A session has no terminal, so nothing can ask there for a password and wait. The child gets its
/// three pipes and no other open file.
#[expect(
    unsafe_code,
    reason = "sessions, files, death signals and limits are set by the child itself, and the standard \
              library has no safe way to let it"
)]
pub(crate) fn prepare(command: &mut process::Command, limits: Limits) {
    let parent = getpid();
    let limits = ceilings(limits);
    let enter = move || -> io::Result<()> {
        setsid()?;
        // SAFETY: the call only marks open files to be closed when the program starts. A kernel
        // that does not know it leaves files open that we inherited ourselves, no others.
        unsafe {
            libc::close_range(3, libc::c_uint::MAX, CLOSE_RANGE_CLOEXEC);
        }
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that died before the line above sends no signal any more.
        if getppid() != Some(parent) {
            return Err(Errno::SRCH.into());
        }
        for (resource, ceiling) in limits.iter().flatten() {
            setrlimit(*resource, *ceiling)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe work is allowed. The closure makes system
    // calls on values that it owns: it allocates nothing, takes no lock and does not panic.
    unsafe {
        command.pre_exec(enter);
    }
}

type Ceiling = Option<(Resource, Rlimit)>;

fn ceilings(limits: Limits) -> [Ceiling; 5] {
    [
        // The hard limit is a second later, so that the child is told before it is killed.
        ceiling(Resource::Cpu, limits.cpu_seconds, 1),
        ceiling(Resource::As, limits.memory, 0),
        ceiling(Resource::Fsize, limits.file_size, 0),
        ceiling(Resource::Nofile, limits.open_files, 0),
        ceiling(Resource::Nproc, limits.processes, 0),
    ]
}

/// Returns the limit to set; nobody but root may go above the present hard limit.
fn ceiling(resource: Resource, limit: Option<u64>, spare: u64) -> Ceiling {
    let limit = limit?;
    let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let soft = limit.min(most);
    let hard = limit.saturating_add(spare).min(most);
    Some((resource, Rlimit { current: Some(soft), maximum: Some(hard) }))
}
