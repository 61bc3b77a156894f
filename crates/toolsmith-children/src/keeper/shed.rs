//! Lets go of the memory that a copy of our process has no use for.
//!
//! What we hold when the keeper is forked (records, caches, secrets) would otherwise stay in it for
//! ever, be copied whenever we write to it, and make every fork dearer.

use std::ffi::CStr;

use rustix::{
    fs::{Mode, OFlags, open},
    io::read,
};

use super::sys;

const MAPS: &CStr = c"/proc/self/maps";

/// Smaller pieces may be those that the C library itself lives from.
const WORTHWHILE: usize = 256 * 1024;

/// How much of a line matters: two addresses, the rights, the offset, the device, the inode.
const LINE: usize = 96;

/// Empties every large piece of memory that belongs to no file and that we do not stand on.
pub(super) fn memory() {
    let Ok(maps) = open(MAPS, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else { return };
    let here = 0_u8;
    let needed = [&raw const here as usize, sys::place_of_error_number()];
    let (mut line, mut length, mut above) = ([0; LINE], 0, 0);
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = read(&maps, &mut bytes) {
        for byte in bytes.iter().take(count) {
            if *byte != b'\n' {
                if let Some(place) = line.get_mut(length) {
                    *place = *byte;
                    length += 1;
                }
                continue;
            }
            if let Some(piece) = line.get(..length).and_then(Piece::parse) {
                // What follows a file directly are the variables of a program or a library.
                if above != piece.start && piece.can_go(needed) {
                    sys::empty(piece.start, piece.end - piece.start);
                }
                above = if piece.is_anonymous { 0 } else { piece.end };
            }
            length = 0;
        }
    }
}

/// One line of the list of what is where in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    start: usize,
    end: usize,
    is_private: bool,
    is_anonymous: bool,
}

impl Piece {
    /// Reads `start-end rights offset device inode …`.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.split(|byte| *byte == b' ');
        let mut range = words.next()?.split(|byte| *byte == b'-');
        let (start, end) = (hex(range.next()?)?, hex(range.next()?)?);
        let is_private = words.next()? == b"rw-p";
        let is_anonymous = words.nth(2)? == b"0";
        (start < end).then_some(Self { start, end, is_private, is_anonymous })
    }

    fn can_go(self, needed: [usize; 2]) -> bool {
        let is_needed = needed.iter().any(|place| (self.start..self.end).contains(place));
        self.is_private && self.is_anonymous && !is_needed && self.end - self.start >= WORTHWHILE
    }
}

fn hex(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0_usize, |number, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        number.checked_mul(16)?.checked_add(usize::try_from(digit).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_private_memory_of_no_file_goes() {
        let can_go = |line: &str| Piece::parse(line.as_bytes()).unwrap().can_go([0x10, 0x20]);
        assert!(can_go("7f0000000000-7f0000100000 rw-p 00000000 00:00 0 "));
        assert!(can_go("55d000000000-55d000100000 rw-p 00000000 00:00 0       [heap]"));
        assert!(!can_go("0-100000 rw-p 00000000 00:00 0"), "we stand on it");
        assert!(!can_go("7f0000000000-7f0000001000 rw-p 00000000 00:00 0 "));
        assert!(!can_go("7f0000000000-7f0000100000 rw-s 00000000 00:01 77 /dev/zero (deleted)"));
        assert!(!can_go("7f0000000000-7f0000100000 r-xp 00000000 00:00 0 "));
        assert!(!can_go("7f0000000000-7f0000100000 rw-p 00000000 fd:00 1234 /usr/lib/x.so"));
        assert_eq!(Piece::parse(b"vsyscall"), None);
    }
}
