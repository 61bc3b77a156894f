//! Sets of JSON types, as small as a byte.

use serde_json::{Number, Value};

/// The words of the `type` keyword, with what they stand for.
const WORDS: [(&str, Types); 7] = [
    ("null", Types::NULL),
    ("boolean", Types::BOOLEAN),
    ("integer", Types::INTEGER),
    ("number", Types::NUMBER),
    ("string", Types::STRING),
    ("array", Types::ARRAY),
    ("object", Types::OBJECT),
];

/// A set of JSON types; whole numbers and fractions are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ANY: Self = Self(127);

    /// Returns the type of a value; a number without a fraction is whole however it is written.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if is_whole(number) => Self::INTEGER,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// Reads the value of a `type` keyword.
    pub(super) fn of_keyword(value: &Value) -> Self {
        match value {
            Value::String(word) => Self::named(word),
            Value::Array(words) => words
                .iter()
                .filter_map(Value::as_str)
                .fold(Self::NONE, |all, word| all.or(Self::named(word))),
            _ => Self::ANY,
        }
    }

    /// Returns the types of a list of values, as in `enum`.
    pub(super) fn of_all(values: &[Value]) -> Self {
        values.iter().fold(Self::NONE, |all, value| all.or(Self::of(value)))
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Tells whether every type of the other set is in this one.
    pub(super) fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    fn named(word: &str) -> Self {
        WORDS.iter().find(|(name, _)| *name == word).map_or(Self::NONE, |(_, types)| *types)
    }
}

fn is_whole(number: &Number) -> bool {
    number.is_i64()
        || number.is_u64()
        || number.as_f64().is_some_and(|value| value.is_finite() && value.fract() == 0.0)
}

/// Returns the word for the type of a value.
pub(super) fn word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if is_whole(number) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
