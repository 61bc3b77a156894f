//! The parent of one child at a time: whatever a child leaves without a parent becomes this one's.
//!
//! It tells us how the child ended. When nothing of the child is left, it waits for the next one.
//! When we let go of it, or die, it kills all that came of the child and ends.

use std::{
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, open},
    io::{Errno, pread, read},
    net::{RecvFlags, recv},
    pipe::{PipeFlags, pipe_with},
    process::{
        Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
        wait, waitpid,
    },
};

use super::{
    child::{self, Confession, Errand},
    confine,
    message::{Message, Rest, tell},
    parcel::{self, Delivery, INLINE, Parcel},
    plan::{Tenure, View},
    sys::{self, Ended, Fork, Stack},
};

/// How long killing waits before it looks again.
const SOON: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };

/// How many seconds a child may take to begin: a folder of a server that is gone can hold it for
/// ever, and us with it.
const PATIENCE: u32 = 30;

/// Starts one child after the other until our program has no more use for it.
pub(super) fn run(control: OwnedFd) -> ! {
    let Ok(mut guard) = Guard::new(control) else { sys::quit(1) };
    let number = guard.number.as_raw_nonzero().get();
    guard.tell(&Message::Ready { guard: number });
    let mut words = [0; INLINE];
    loop {
        match parcel::receive(&guard.control, &mut words) {
            Delivery::Parcel(mut parcel) => {
                let mut plan = parcel.plan.take();
                let words = plan.as_mut().map_or(&mut words[..], |plan| plan.words());
                guard.serve(sys::open(words), parcel);
            }
            Delivery::Word => {}
            Delivery::End => sys::quit(0),
        }
    }
}

type Failure = (usize, Errno);

struct Guard {
    control: OwnedFd,
    /// What tells when a child has ended.
    ends: OwnedFd,
    /// The list of our children, where the kernel has one.
    list: Option<OwnedFd>,
    stack: Stack,
    number: Pid,
}

impl Guard {
    fn new(control: OwnedFd) -> Result<Self, Errno> {
        sys::heed_children();
        sys::heed_alarm();
        set_child_subreaper(Some(getpid()))?;
        let list = open_list();
        Ok(Self {
            control,
            ends: sys::watch_children()?,
            list,
            stack: Stack::new()?,
            number: getpid(),
        })
    }

    fn tell(&self, message: &Message) {
        tell(self.control.as_fd(), message);
    }

    /// Starts a child and stays until nothing of it is left.
    fn serve(&mut self, view: View<'_>, parcel: Parcel) {
        let started = self.start(view, &parcel);
        // Whoever reads the pipes of a child hears when the child has closed them, not we.
        drop(parcel);
        match started {
            Ok(child) => {
                if view.tenure() == Tenure::Held {
                    self.tell(&Message::Started { child: child.as_raw_nonzero().get() });
                }
                Charge { guard: self, view, child, is_told: false, is_released: false }.stay();
            }
            Err((step, error)) => {
                confine::tidy(view);
                self.tell(&Message::Failed { step, error });
            }
        }
    }

    fn start(&mut self, view: View<'_>, parcel: &Parcel) -> Result<Pid, Failure> {
        if view.clone_flags() != 0 {
            return self.start_apart(view, parcel);
        }
        let note = AtomicU64::new(0);
        let (guard, confession) = (self.number, Confession::Note(&note));
        let errand = Errand { view, parcel, control: &self.control, guard, confession };
        sys::alarm(PATIENCE);
        let child = sys::fork_sharing(&mut self.stack, child::run, &errand);
        sys::alarm(0);
        let child = child.map_err(|error| (0, error))?;
        match child::read_failure(note.load(Ordering::Relaxed)) {
            None => Ok(child),
            Some(failure) => {
                waitpid(Some(child), WaitOptions::empty()).ok();
                Err(failure)
            }
        }
    }

    /// Starts a child in namespaces of its own, with a copy of our memory: a process of it stays.
    fn start_apart(&self, view: View<'_>, parcel: &Parcel) -> Result<Pid, Failure> {
        let plain = |error| (0, error);
        let (failure, failed) = pipe_with(PipeFlags::CLOEXEC).map_err(plain)?;
        let (guard, confession) = (self.number, Confession::Pipe(&failed));
        let errand = Errand { view, parcel, control: &self.control, guard, confession };
        let child = match sys::fork_into(view.clone_flags()).map_err(plain)? {
            Fork::Child => child::run(&errand),
            Fork::Parent(child) => child,
        };
        drop(failed);
        let Some(failure) = listen(&failure, &self.control) else { return Ok(child) };
        kill_process(child, Signal::KILL).ok();
        waitpid(Some(child), WaitOptions::empty()).ok();
        Err(failure)
    }

    /// Tells whether we have exactly one child, dead or alive.
    fn has_one_child(&self) -> bool {
        let mut bytes = [0; 32];
        let Some(Ok(length)) = self.list.as_ref().map(|list| pread(list, &mut bytes, 0)) else {
            return false;
        };
        bytes.iter().take(length).filter(|byte| **byte == b' ').count() == 1
    }

    fn forget_signals(&self) {
        // What has ended is looked up afresh; here the signals only have to go.
        read(&self.ends, &mut [MaybeUninit::<u8>::uninit(); 1024]).ok();
    }
}

/// Waits until the program runs; returns what failed otherwise, be it our program's patience.
fn listen(failure: &OwnedFd, control: &OwnedFd) -> Option<Failure> {
    let mut bytes = [0; 8];
    loop {
        let mut polled =
            [failure, control].map(|file| PollFd::from_borrowed_fd(file.as_fd(), PollFlags::IN));
        let patience = Timespec { tv_sec: PATIENCE.into(), tv_nsec: 0 };
        if poll(&mut polled, Some(&patience)) == Ok(0) {
            return Some((0, Errno::TIMEDOUT));
        }
        match polled.map(|polled| !polled.revents().is_empty()) {
            [true, _] => match read(failure, &mut bytes) {
                Err(Errno::INTR) => {}
                Ok(8) => return child::read_failure(u64::from_ne_bytes(bytes)),
                Ok(_) | Err(_) => return None,
            },
            [false, true] => return Some((0, Errno::CANCELED)),
            [false, false] => {}
        }
    }
}

/// A child that has begun, and everything that comes of it.
struct Charge<'a> {
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

impl Charge<'_> {
    /// Stays until nothing is left.
    fn stay(mut self) {
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

fn open_list() -> Option<OwnedFd> {
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
