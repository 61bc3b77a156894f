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
    io::{Errno, pread, read},
    pipe::{PipeFlags, pipe_with},
    process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid},
};

use super::{
    charge::{Charge, open_list},
    child::{self, Confession, Errand},
    confine,
    message::{Message, tell},
    parcel::{self, Delivery, INLINE, Parcel},
    plan::{Tenure, View},
    sys::{self, Fork, Stack},
};

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
                let plan = plan.as_mut().map_or(&mut words[..], |plan| plan.words());
                guard.serve(sys::open(plan), parcel);
                // What one child was told is not for the copy of us that looks after another.
                words.fill(0);
            }
            Delivery::Word => {}
            Delivery::End => sys::quit(0),
        }
    }
}

type Failure = (usize, Errno);

/// What a guard has for as long as it lives.
pub(super) struct Guard {
    pub(super) control: OwnedFd,
    /// What tells when a child has ended.
    pub(super) ends: OwnedFd,
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

    pub(super) fn tell(&self, message: &Message) {
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
                Charge::new(self, view, child).stay();
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
    pub(super) fn has_one_child(&self) -> bool {
        let mut bytes = [0; 32];
        let Some(Ok(length)) = self.list.as_ref().map(|list| pread(list, &mut bytes, 0)) else {
            return false;
        };
        bytes.iter().take(length).filter(|byte| **byte == b' ').count() == 1
    }

    pub(super) fn forget_signals(&self) {
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
