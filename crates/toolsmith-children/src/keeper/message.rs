//! What a guard tells us about its child, and what we tell the guard.

use std::{
    io::{IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{BorrowedFd, OwnedFd},
};

use rustix::{
    io::{Errno, Result},
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
    },
};

/// The word that lets a guard forget a child that has ended.
pub(super) const RELEASE: [u8; 1] = *b"R";

const LENGTH: usize = 16;

/// Who lives of a tree when its child has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nobody; the guard waits for its next child.
    Nobody,
    /// Perhaps somebody, so that the guard stays until nobody is left.
    Unknown,
}

/// What a guard says.
#[derive(Debug)]
pub(crate) enum Message {
    /// The guard is there.
    Ready { guard: i32 },
    /// The program runs.
    Started { child: i32 },
    /// A step of the plan failed, so that the program does not run; the guard is idle.
    Failed { step: usize, error: Errno },
    /// How the program in a sandbox of its own ended, said from within.
    Ended { code: i32, signal: i32 },
    /// The child has ended.
    Exited { code: i32, signal: i32, rest: Rest },
    /// A socket that was opened inside, for us to listen at.
    Listening(OwnedFd),
    /// A socket that was made inside, for us to connect with.
    Door(OwnedFd),
    /// Nothing is left of the child that was released.
    Idle,
}

/// Sends a message; a reader that has gone does not want to know.
pub(super) fn tell(control: BorrowedFd<'_>, message: &Message) {
    let (words, file) = match message {
        Message::Started { child } => ([1, *child, 0, 0], None),
        Message::Failed { step, error } => {
            ([2, i32::try_from(*step).unwrap_or(i32::MAX), error.raw_os_error(), 0], None)
        }
        Message::Exited { code, signal, rest } => {
            ([3, *code, *signal, i32::from(*rest == Rest::Unknown)], None)
        }
        Message::Listening(file) => ([4, 0, 0, 0], Some(file)),
        Message::Ready { guard } => ([5, *guard, 0, 0], None),
        Message::Ended { code, signal } => ([6, *code, *signal, 0], None),
        Message::Idle => ([7, 0, 0, 0], None),
        Message::Door(file) => ([8, 0, 0, 0], Some(file)),
    };
    let mut bytes = [0; LENGTH];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    let Some(file) = file else {
        send(control, &bytes, SendFlags::NOSIGNAL).ok();
        return;
    };
    let files = [std::os::fd::AsFd::as_fd(file)];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&files));
    sendmsg(control, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL).ok();
}

/// Receives a message; nothing when there will be none any more.
pub(super) fn hear(control: BorrowedFd<'_>, flags: RecvFlags) -> Result<Option<Message>> {
    let mut bytes = [0; LENGTH];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(control, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, flags)?;
    if received.bytes != LENGTH {
        return Ok(None);
    }
    let mut words = [0; LENGTH / 4];
    for (word, place) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = i32::from_ne_bytes(place.try_into().unwrap_or_default());
    }
    let file = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    Ok(match (words, file) {
        ([1, child, ..], _) => Some(Message::Started { child }),
        ([2, step, error, _], _) => Some(Message::Failed {
            step: usize::try_from(step).unwrap_or_default(),
            error: Errno::from_raw_os_error(error),
        }),
        ([3, code, signal, rest], _) => {
            let rest = if rest == 0 { Rest::Nobody } else { Rest::Unknown };
            Some(Message::Exited { code, signal, rest })
        }
        ([4, ..], Some(file)) => Some(Message::Listening(file)),
        ([5, guard, ..], _) => Some(Message::Ready { guard }),
        ([6, code, signal, _], _) => Some(Message::Ended { code, signal }),
        ([7, ..], _) => Some(Message::Idle),
        ([8, ..], Some(file)) => Some(Message::Door(file)),
        _ => None,
    })
}
