//! The words of the catalogue as they are spelt, to guess what a strange word meant.

use std::{collections::BTreeSet, ops::Bound};

/// Shorter words are not guessed at: too many others are near them.
const SHORTEST: usize = 4;

/// How many words are looked at for one guess, whatever the catalogue holds.
const LOOKED_AT: usize = 8_192;

/// How many guesses are made for one word.
const NEAREST: usize = 4;

/// The spelt words, in order.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    words: BTreeSet<Box<str>>,
    gone: usize,
}

impl Spellings {
    /// Remembers a word.
    pub(super) fn add(&mut self, word: &str) {
        if word.len() >= SHORTEST && !self.words.contains(word) {
            self.words.insert(word.into());
        }
    }

    /// Counts words that no tool holds any more, and sweeps when they are many.
    pub(super) fn forget(&mut self, count: usize, is_held: impl Fn(&str) -> bool) {
        self.gone += count;
        if self.gone > 1_024 && self.gone > self.words.len() / 2 {
            self.words.retain(|word| is_held(word));
            self.gone = 0;
        }
    }

    /// Returns held words that a strange one may have meant: a longer one, or one letter away.
    pub(super) fn near(&self, strange: &str, is_held: impl Fn(&str) -> bool) -> Vec<&str> {
        let Some(first) = strange.chars().next() else { return Vec::new() };
        if strange.len() < SHORTEST {
            return Vec::new();
        }
        let mut start = [0; 4];
        let start: &str = first.encode_utf8(&mut start);
        let mut near: Vec<&str> = self
            .words
            .range::<str, _>((Bound::Included(start), Bound::Unbounded))
            .take_while(|word| word.starts_with(first))
            .take(LOOKED_AT)
            .map(AsRef::as_ref)
            .filter(|word| is_near(strange, word) && is_held(word))
            .collect();
        near.sort_by_key(|word| word.len().abs_diff(strange.len()));
        near.truncate(NEAREST);
        near
    }
}

/// Tells whether a word continues the strange one or is one slip of the hand away from it.
fn is_near(strange: &str, word: &str) -> bool {
    if word.starts_with(strange) {
        return true;
    }
    if strange.len().abs_diff(word.len()) > 1 {
        return false;
    }
    let strange = strange.as_bytes();
    let word = word.as_bytes();
    let same = strange.iter().zip(word).take_while(|(one, other)| one == other).count();
    let (one, other) = (strange.get(same..).unwrap_or(&[]), word.get(same..).unwrap_or(&[]));
    match (one, other) {
        ([_, one @ ..], [_, other @ ..]) if one == other => true,
        ([_, one @ ..], other) if one == other => true,
        (one, [_, other @ ..]) if one == other => true,
        ([a, b, one @ ..], [c, d, other @ ..]) => a == d && b == c && one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(strange: &str) -> Vec<String> {
        let mut spellings = Spellings::default();
        for word in ["weather", "whether", "translat", "imag", "resiz", "größe"] {
            spellings.add(word);
        }
        spellings.near(strange, |_| true).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn one_slip_is_forgiven() {
        for slip in ["wether", "weathr", "wheather", "waether", "weatjer"] {
            assert!(near(slip).contains(&"weather".to_owned()), "{slip} gave {:?}", near(slip));
        }
    }

    #[test]
    fn two_slips_are_not() {
        assert!(near("weeter").is_empty());
        assert!(near("img").is_empty());
    }

    #[test]
    fn a_beginning_finds_the_whole() {
        assert_eq!(near("trans"), ["translat"]);
    }
}
