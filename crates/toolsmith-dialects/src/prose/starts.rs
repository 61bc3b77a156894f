//! The bytes that prose is searched for.

use memchr::memchr3;

/// The first bytes of what opens a call in a dialect; ASCII, and none that opens a fence.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Starts {
    /// Only `<`.
    Angle,
    /// Any of these, and `<`.
    AnyOf(&'static Bytes),
}

/// A set of bytes.
#[derive(Debug)]
pub(crate) struct Bytes([bool; 256]);

impl Bytes {
    /// Makes the set of some bytes and of those that open a fence or a tag of reasoning.
    pub(crate) const fn starts(bytes: &[u8]) -> Self {
        let mut set = [false; 256];
        set[b'`' as usize] = true;
        set[b'~' as usize] = true;
        set[b'<' as usize] = true;
        let mut at = 0;
        while at < bytes.len() {
            set[bytes[at] as usize] = true;
            at += 1;
        }
        Self(set)
    }

    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).is_some_and(|is_in| *is_in)
    }
}

impl Starts {
    /// Finds the next byte that may open a call or a fence.
    pub(super) fn find(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Angle => memchr3(b'<', b'`', b'~', text),
            Self::AnyOf(bytes) => text.iter().position(|&byte| bytes.has(byte)),
        }
    }
}
