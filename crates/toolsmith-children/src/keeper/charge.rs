//! A child that has begun, and everything that comes of it, in the hands of its guard.

use std::os::fd::{AsFd, OwnedFd};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, open},
    io::{Errno, read},
    net::{RecvFlags, recv},
    process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, wait, waitpid},
};

use super::{
    confine,
    guard::Guard,
    message::{Message, Rest},
    plan::{Tenure, View},
    sys::{self, Ended},
};

/// How long killing waits before it looks again.
const SOON: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };

/// A child that has begun, and everything that comes of it.
pub(super) struct Charge<'a> {
    guard: &'a Guard,
    view: View<'a>,
    child: Pid,
    /// Whether our program knows that the child has ended.
    is_told: bool,
    /// Whether our program has no more use for the child's number.
    is_released: bool,
}

/// Whether anything of a child is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Something,
    Nothing,
}

impl<'a> Charge<'a> {
    pub(super) fn new(guard: &'a Guard, view: View<'a>, child: Pid) -> Self {
        Self { guard, view, child, is_told: false, is_released: false }
    }

    /// Stays until nothing is left.
    pub(super) fn stay(mut self) {
        while self.tend() == Left::Something {
            let mut polled = [
                PollFd::from_borrowed_fd(self.guard.control.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.guard.ends.as_fd(), PollFlags::IN),
            ];
            if poll(&mut polled, None).is_err() {
                continue;
            }
            let [control, ends] = polled.map(|polled| !polled.revents().is_empty());
            if ends {
                self.guard.forget_signals();
            }
            if control {
                match recv(&self.guard.control, &mut [0; 8], RecvFlags::DONTWAIT) {
                    Ok((_, 0)) => self.mourn(),
                    Ok(_) => self.release(),
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(_) => self.mourn(),
                }
            }
        }
    }

    /// Kills the group of a child that has ended; an empty one is the usual case.
    fn release(&mut self) {
        // The child has not been reaped, so that its number is nobody else's.
        if self.is_told && !self.is_released {
            kill_process_group(self.child, Signal::KILL).ok();
            self.is_released = true;
        }
    }

    /// Reaps whoever has ended; the child itself only when its number is no longer needed.
    fn tend(&mut self) -> Left {
        loop {
            match sys::peek() {
                Ok(None) | Err(Errno::INTR) => return Left::Something,
                Ok(Some(ended)) if ended.pid == self.child && !self.is_released => {
                    return self.announce(ended);
                }
                Ok(Some(ended)) => {
                    waitpid(Some(ended.pid), WaitOptions::NOHANG).ok();
                }
                Err(_) => {
                    confine::tidy(self.view);
                    self.guard.tell(&Message::Idle);
                    return Left::Nothing;
                }
            }
        }
    }

    /// Says how the child ended, and that this was all if nobody else is there.
    ///
    /// By the end of a process those that it started have become children of ours already.
    fn announce(&mut self, ended: Ended) -> Left {
        if self.is_told {
            return Left::Something;
        }
        self.is_told = true;
        let is_brief = self.view.tenure() == Tenure::Brief;
        let is_alone = is_brief && self.guard.has_one_child();
        if is_alone {
            waitpid(Some(ended.pid), WaitOptions::NOHANG).ok();
            confine::tidy(self.view);
        }
        let Ended { code, signal, .. } = ended;
        let rest = if is_alone { Rest::Nobody } else { Rest::Unknown };
        self.guard.tell(&Message::Exited { code, signal, rest });
        if is_alone { Left::Nothing } else { Left::Something }
    }

    /// Kills until nobody is left; whoever loses its parent by that becomes a child of ours.
    fn mourn(&self) -> ! {
        loop {
            if !kill_children() {
                kill_process(self.child, Signal::KILL).ok();
                kill_process_group(self.child, Signal::KILL).ok();
            }
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(_) => {
                        confine::tidy(self.view);
                        sys::quit(0)
                    }
                }
            }
            let mut polled = [PollFd::from_borrowed_fd(self.guard.ends.as_fd(), PollFlags::IN)];
            poll(&mut polled, Some(&SOON)).ok();
            self.guard.forget_signals();
        }
    }
}

/// Opens the list of the children of this process, where the kernel has one.
pub(super) fn open_list() -> Option<OwnedFd> {
    open(sys::CHILDREN, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Kills all children of this process; tells whether the kernel could say who they are.
///
/// Nobody else reaps them, so that their numbers are nobody else's.
pub(super) fn kill_children() -> bool {
    let Some(list) = open_list() else { return false };
    let mut pid = 0_i32;
    loop {
        let mut bytes = [0; 1024];
        let length = match read(&list, &mut bytes) {
            Ok(0) | Err(_) => return true,
            Ok(length) => length,
        };
        for byte in bytes.iter().take(length) {
            if byte.is_ascii_digit() {
                pid = pid.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
            } else {
                if let Some(pid) = Pid::from_raw(pid) {
                    kill_process(pid, Signal::KILL).ok();
                }
                pid = 0;
            }
        }
    }
}
