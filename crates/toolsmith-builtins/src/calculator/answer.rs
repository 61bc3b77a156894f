//! The value of an expression as JSON.

use toolsmith_core::Value;

use super::{number::Number, ratio::approximate};

/// A result, ready to be given.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    /// The number: whole where the value is whole and fits 64 bits, a float otherwise.
    pub(super) result: Value,
    /// Every digit of a whole number that is too large for `result` to carry exactly.
    pub(super) exact: Option<String>,
}

impl Answer {
    /// Writes a value with 15 significant digits at most; whole numbers keep all of theirs.
    pub(super) fn of(value: Number) -> Self {
        if let Some(whole) = value.as_whole() {
            return Self::whole(whole);
        }
        // What differs from a whole number by noise only is given as that whole number.
        let shown = value.significant();
        match Number::Float(shown).as_whole() {
            Some(whole) => Self::whole(whole),
            None => Self { result: shown.into(), exact: None },
        }
    }

    fn whole(whole: i128) -> Self {
        let small = i64::try_from(whole).map(Value::from);
        match small.or_else(|_| u64::try_from(whole).map(Value::from)) {
            Ok(result) => Self { result, exact: None },
            Err(_) => Self { result: approximate(whole).into(), exact: Some(whole.to_string()) },
        }
    }
}
