//! What a guard is sent to start a child: a plan and the files that go with it.

use std::{
    fs::File,
    io::{self, IoSlice, IoSliceMut, Write},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    fs::{MemfdFlags, memfd_create},
    io::Errno,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    },
};

use super::sys::{self, Mapping};

/// How many words of a plan fit into a message; a longer one is sent as a file.
pub(super) const INLINE: usize = 2048;

/// The length of a message that announces a plan in a file: the length of the plan.
const ANNOUNCEMENT: usize = 8;

/// How many open files may come with a message: three pipes, a plan, rules.
const FILES: usize = 5;

/// Sends a plan and its files.
pub(super) fn send(
    socket: BorrowedFd<'_>,
    plan: &[u8],
    stdio: [BorrowedFd<'_>; 3],
    rules: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let length = plan.len().to_ne_bytes();
    let file = if plan.len() > INLINE * 8 { Some(store(plan)?) } else { None };
    let message = if file.is_some() { &length[..] } else { plan };
    let files = stdio.into_iter().chain(file.as_ref().map(AsFd::as_fd)).chain(rules);
    let files: Vec<BorrowedFd<'_>> = files.collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&files));
    sendmsg(socket, &[IoSlice::new(message)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn store(plan: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(c"toolsmith-plan", MemfdFlags::CLOEXEC)?);
    file.write_all(plan)?;
    Ok(file.into())
}

/// The files of a child, as its guard has received them.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// Rules for files, which only some children have.
    pub(super) rules: Option<OwnedFd>,
    /// A plan that was too long for a message.
    pub(super) plan: Option<Mapping>,
}

/// What arrives at a guard.
#[derive(Debug)]
pub(super) enum Delivery {
    Parcel(Parcel),
    /// A word without files, or a parcel that lost its files on the way.
    Word,
    /// Our program is gone, or has no more use for the guard.
    End,
}

/// Waits for a delivery; a plan that fits is put into the words.
pub(super) fn receive(socket: &OwnedFd, words: &mut [u64; INLINE]) -> Delivery {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut into = [IoSliceMut::new(sys::bytes_of(words))];
    let length = match recvmsg(socket, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
        Err(Errno::INTR | Errno::AGAIN) => return Delivery::Word,
        Err(_) => return Delivery::End,
        Ok(received) if received.bytes == 0 => return Delivery::End,
        Ok(received) => received.bytes,
    };
    let mut files = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let mut next = || files.as_mut().and_then(Iterator::next);
    let (Some(stdin), Some(stdout), Some(stderr)) = (next(), next(), next()) else {
        return Delivery::Word;
    };
    let plan = if length == ANNOUNCEMENT {
        let length = words.first().and_then(|word| usize::try_from(*word).ok());
        let file = next();
        let mapping = file.zip(length).map(|(file, length)| Mapping::of(file.as_fd(), length));
        let Some(Ok(mapping)) = mapping else { return Delivery::Word };
        Some(mapping)
    } else {
        None
    };
    Delivery::Parcel(Parcel { stdin, stdout, stderr, rules: next(), plan })
}
