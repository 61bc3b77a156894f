//! Makes choices, texts and values out of bytes, so that any bytes are a valid case.

use serde_json::{Map, Value};

use super::scraps::SCRAPS;

/// The longest text that is made by repeating.
const LONGEST: usize = 1 << 14;

/// The deepest that generated values are nested.
const DEEPEST: usize = 4;

/// Reads choices from the front of some bytes; when they are used up, every choice is the first.
#[derive(Debug)]
pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes one byte.
    pub(super) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Picks one of a list.
    pub(super) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    /// Takes a text of all that is left, which a rare choice repeats as an attacker would.
    ///
    /// Rare, because long texts are slow; what is not linear is a find by its time alone.
    pub(super) fn rest_repeated(self, choice: u8) -> String {
        let text = text(self.0);
        if choice < u8::MAX || text.is_empty() {
            return text;
        }
        text.repeat((LONGEST / text.len()).max(1))
    }

    /// Takes a text whose length in bytes stands before it.
    pub(super) fn text(&mut self) -> String {
        let len = usize::from(self.byte()).min(self.0.len());
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        text(taken)
    }

    /// Takes a JSON value.
    pub(super) fn value(&mut self) -> Value {
        self.value_at(0)
    }

    /// Takes the fields of an object, whose names a model could write in any dialect.
    pub(super) fn arguments(&mut self) -> Map<String, Value> {
        const NAMES: [&str; 6] = ["a", "b", "text", "count", "is_open", "name"];
        let count = self.byte() % 5;
        (0..count).map(|_| (self.pick(&NAMES).to_owned(), self.value())).collect()
    }

    fn value_at(&mut self, depth: usize) -> Value {
        match self.byte() % 10 {
            0 => Value::Null,
            1 => Value::Bool(self.byte() % 2 == 1),
            2 => Value::from(i64::from_le_bytes(self.eight())),
            3 => Value::from(i64::from(self.byte()) - 128),
            4 => Value::from(f64::from_bits(u64::from_le_bytes(self.eight()))),
            5 if depth < DEEPEST => {
                let count = self.byte() % 4;
                (0..count).map(|_| self.value_at(depth + 1)).collect()
            }
            6 if depth < DEEPEST => {
                let count = self.byte() % 4;
                (0..count).map(|_| (self.text(), self.value_at(depth + 1))).collect()
            }
            _ => Value::String(self.text()),
        }
    }

    fn eight(&mut self) -> [u8; 8] {
        std::array::from_fn(|_| self.byte())
    }
}

/// Reads bytes as text: UTF-8 as it is, and each byte that is not stands for a scrap of a dialect.
///
/// So the fuzzer puts a whole marker in by changing one byte, and breaks one up by its letters.
fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(SCRAPS[usize::from(byte & 0x7f) % SCRAPS.len()]);
        }
    }
    text
}
