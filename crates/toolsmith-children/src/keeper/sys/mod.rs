//! The system calls that have no safe form: processes, signals, memory and the program itself.

#![expect(
    unsafe_code,
    reason = "a process that outlives ours has to be forked, and the standard library cannot fork"
)]

mod confine;
mod files;
mod memory;
mod process;
mod signals;

use rustix::io::{Errno, Result};

pub(super) use self::{
    confine::{Below, drop_bounding_set, filter, keep_to, seal, switch_loopback_on},
    files::{close, close_all_but, close_at_execution, close_stdio, watch},
    memory::{Mapping, Stack, bytes_of, empty, open, place_of_error_number},
    process::{
        CHILDREN, Ended, Fork, await_end, execute, fork, fork_into, fork_sharing, peek, quit, rest,
    },
    signals::{
        alarm, block_signals, heed_alarm, heed_children, ignore_children, reset_signals,
        restore_signals, unblock_signals, watch_children,
    },
};

fn checked(done: libc::c_long) -> Result<()> {
    if done < 0 { Err(last_error()) } else { Ok(()) }
}

fn last_error() -> Errno {
    // SAFETY: the place of the error number is always there.
    Errno::from_raw_os_error(unsafe { *libc::__errno_location() })
}
