//! The parent of one child: whatever the child leaves without a parent becomes this one's.
//!
//! It tells us how the child ended. When we let go of it, or die, it kills all that came of the
//! child and ends.

use std::{
    mem::MaybeUninit,
    os::fd::{AsFd, AsRawFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, open},
    io::{Errno, read},
    net::{RecvFlags, recv},
    pipe::{PipeFlags, pipe_with},
    process::{
        Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
        wait, waitpid,
    },
};

use super::{
    child, confine,
    message::{Message, tell},
    plan::View,
    sys::{self, Fork},
    zygote::Parcel,
};

/// How long killing waits before it looks again.
const SOON: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };

/// Starts the child and stays until nothing of it is left.
pub(super) fn run(parcel: Parcel) -> ! {
    match start(&parcel) {
        Ok((view, child, children)) => {
            let Parcel { control, .. } = parcel;
            let (is_told, is_released) = (false, false);
            Guard { view, control, children, child, is_told, is_released }.stay()
        }
        Err((step, error)) => {
            tell(parcel.control.as_fd(), &Message::Failed { step, error });
            sys::quit(1)
        }
    }
}

type Failure = (usize, Errno);

/// Starts the child; returns its plan, its number and what tells when a child has ended.
fn start(parcel: &Parcel) -> Result<(View<'static>, Pid, OwnedFd), Failure> {
    let plain = |error| (0, error);
    sys::heed_children();
    set_child_subreaper(Some(getpid())).map_err(plain)?;
    let children = sys::watch_children().map_err(plain)?;
    let view = sys::map(parcel.plan.as_fd(), parcel.length).map_err(plain)?;
    let (failure, failed) = pipe_with(PipeFlags::CLOEXEC).map_err(plain)?;
    let guard = getpid();
    let child = match sys::fork_into(view.clone_flags()).map_err(plain)? {
        Fork::Child => child::run(child::Errand { view, parcel, guard }, &failed),
        Fork::Parent(child) => child,
    };
    drop(failed);
    close_files(parcel, &children, &failure);
    if let Some(failure) = listen(&failure, &parcel.control) {
        kill_process(child, Signal::KILL).ok();
        waitpid(Some(child), WaitOptions::empty()).ok();
        confine::tidy(view);
        return Err(failure);
    }
    let [child_number, guard] = [child, guard].map(|pid| pid.as_raw_nonzero().get());
    let message = Message::Started { child: child_number, guard };
    tell(parcel.control.as_fd(), &message);
    Ok((view, child, children))
}

/// Closes the child's files, so that whoever reads its pipes hears when the child has closed them.
fn close_files(parcel: &Parcel, children: &OwnedFd, failure: &OwnedFd) {
    let mut kept = [parcel.control.as_fd(), children.as_fd(), failure.as_fd()];
    kept.sort_unstable_by_key(AsRawFd::as_raw_fd);
    sys::close_all_but(&kept);
}

/// Waits until the program runs; returns what failed otherwise, be it our program's patience.
fn listen(failure: &OwnedFd, control: &OwnedFd) -> Option<Failure> {
    let mut bytes = [0; 8];
    loop {
        let mut polled =
            [failure, control].map(|file| PollFd::from_borrowed_fd(file.as_fd(), PollFlags::IN));
        poll(&mut polled, None).ok();
        match polled.map(|polled| !polled.revents().is_empty()) {
            [true, _] => match read(failure, &mut bytes) {
                Err(Errno::INTR) => {}
                Ok(8) => return Some(child::read_failure(bytes)),
                Ok(_) | Err(_) => return None,
            },
            [false, true] => return Some((0, Errno::CANCELED)),
            [false, false] => {}
        }
    }
}

struct Guard {
    view: View<'static>,
    control: OwnedFd,
    children: OwnedFd,
    child: Pid,
    /// Whether our program knows that the child has ended.
    is_told: bool,
    /// Whether our program has no more use for the child's number.
    is_released: bool,
}

impl Guard {
    fn stay(mut self) -> ! {
        loop {
            self.tend();
            let mut polled = [
                PollFd::from_borrowed_fd(self.control.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(self.children.as_fd(), PollFlags::IN),
            ];
            if poll(&mut polled, None).is_err() {
                continue;
            }
            let [control, children] = polled.map(|polled| !polled.revents().is_empty());
            if children {
                // What has ended is looked up afresh; here the signals only have to go.
                read(&self.children, &mut [MaybeUninit::<u8>::uninit(); 1024]).ok();
            }
            if control {
                match recv(&self.control, &mut [0; 8], RecvFlags::DONTWAIT) {
                    Ok((_, 0)) => self.mourn(),
                    Ok(_) => self.is_released = true,
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(_) => self.mourn(),
                }
            }
        }
    }

    /// Reaps whoever has ended; the child itself only when its number is no longer needed.
    fn tend(&mut self) {
        loop {
            match sys::peek() {
                Ok(None) => return,
                Ok(Some(ended)) if ended.pid == self.child => {
                    if !self.is_told {
                        self.is_told = true;
                        let sys::Ended { code, signal, .. } = ended;
                        tell(self.control.as_fd(), &Message::Exited { code, signal });
                    }
                    if !self.is_released {
                        return;
                    }
                    waitpid(Some(ended.pid), WaitOptions::NOHANG).ok();
                }
                Ok(Some(ended)) => {
                    waitpid(Some(ended.pid), WaitOptions::NOHANG).ok();
                }
                Err(_) => self.part(),
            }
        }
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
                    Err(_) => self.part(),
                }
            }
            let mut polled = [PollFd::from_borrowed_fd(self.children.as_fd(), PollFlags::IN)];
            poll(&mut polled, Some(&SOON)).ok();
            read(&self.children, &mut [MaybeUninit::<u8>::uninit(); 1024]).ok();
        }
    }

    /// Ends, since nothing is left to guard.
    fn part(&self) -> ! {
        confine::tidy(self.view);
        sys::quit(0)
    }
}

/// Kills all children of this process; tells whether the kernel could say who they are.
///
/// Nobody else reaps them, so that their numbers are nobody else's.
fn kill_children() -> bool {
    let Ok(list) = open(sys::CHILDREN, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else {
        return false;
    };
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
