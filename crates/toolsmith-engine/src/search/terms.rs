//! Terms: what is looked up, as a number instead of a text.

/// A token, a pair of words or a whole name, as 64 bits of hash.
///
/// Texts would cost several times the memory; two texts of one hash would only disturb a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term(u64);

impl Term {
    /// Returns the term of a token.
    pub(super) fn token(text: &str) -> Self {
        Self(hash(0, text.as_bytes()))
    }

    /// Returns the term of a whole name, given in compact form.
    pub(super) fn name(compact: &str) -> Self {
        Self(hash(1, compact.as_bytes()))
    }

    /// Returns the term of two words that follow each other.
    pub(super) fn pair(first: Self, second: Self) -> Self {
        Self(hash(first.0, &second.0.to_le_bytes()))
    }
}

/// Mixes bytes into a number, after Fowler, Noll and Vo.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mixed = bytes.iter().fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed ^ (mixed >> 32)
}
