//! Memory: what children read before their program, and what the keeper has no use for.

use std::{ffi::c_void, os::fd::BorrowedFd, ptr, slice};

use rustix::{
    io::Result,
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap},
};

use crate::keeper::plan::View;

/// A private copy of a file in memory.
#[derive(Debug)]
pub(in crate::keeper) struct Mapping {
    start: *mut u64,
    length: usize,
}

impl Mapping {
    /// Maps the beginning of a file that is at least as long as that.
    pub(in crate::keeper) fn of(file: BorrowedFd<'_>, length: usize) -> Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private mapping at an address that the kernel chooses touches nothing else.
        let start = unsafe { mmap(ptr::null_mut(), length, access, MapFlags::PRIVATE, file, 0)? };
        Ok(Self { start: start.cast(), length })
    }

    pub(in crate::keeper) fn words(&mut self) -> &mut [u64] {
        // SAFETY: the mapping begins at a page, is as long as that and lives as long as `self`,
        // which is borrowed for as long as the words are.
        unsafe { slice::from_raw_parts_mut(self.start, self.length / 8) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: whoever borrowed the words has borrowed `self` and is gone.
        unsafe { munmap(self.start.cast(), self.length).ok() };
    }
}

/// Shows words as the bytes that they consist of, to be filled in.
pub(in crate::keeper) fn bytes_of(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: every byte of a word is a byte, and every byte makes a word; the borrow goes on.
    unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

/// Turns the lists of a plan that has arrived into addresses; from here on it is only read.
pub(in crate::keeper) fn open(words: &mut [u64]) -> View<'_> {
    let start = words.as_ptr() as u64;
    for head in [2, 3] {
        let list = words.get(head).and_then(|word| usize::try_from(*word).ok());
        let list = words.get_mut(list.unwrap_or(usize::MAX)..).unwrap_or_default();
        for word in list.iter_mut().take_while(|word| **word != 0) {
            *word += start;
        }
    }
    let words: &[u64] = words;
    // SAFETY: every byte of a word is a byte; both views are for reading and live equally long.
    let bytes = unsafe { slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) };
    View { words, bytes }
}

/// Room for what a child does on our memory before its program.
#[derive(Debug)]
pub(in crate::keeper) struct Stack(*mut c_void);

impl Stack {
    /// Generous: what is not used costs nothing.
    const SIZE: usize = 256 * 1024;

    pub(in crate::keeper) fn new() -> Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private mapping at an address that the kernel chooses touches nothing else.
        let start =
            unsafe { mmap_anonymous(ptr::null_mut(), Self::SIZE, access, MapFlags::PRIVATE)? };
        Ok(Self(start))
    }

    /// Returns where it begins: stacks grow downwards on every architecture that we run on.
    pub(super) fn top(&mut self) -> *mut c_void {
        self.0.wrapping_byte_add(Self::SIZE)
    }
}

/// Tells where the number of the last error is kept, beside what else a thread needs.
pub(in crate::keeper) fn place_of_error_number() -> usize {
    // SAFETY: the call has no conditions.
    unsafe { libc::__errno_location() as usize }
}

/// Gives memory back to the system; it reads as zeros afterwards.
pub(in crate::keeper) fn empty(start: usize, length: usize) {
    let start = ptr::with_exposed_provenance_mut(start);
    // SAFETY: only the keeper calls this, for memory that neither it nor a guard reads or writes.
    unsafe { madvise(start, length, Advice::LinuxDontNeed).ok() };
}
