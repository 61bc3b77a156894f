//! Identifiers of calls: unique, and sortable by the time the call began.

use std::{
    cell::RefCell,
    fmt,
    hash::{BuildHasher as _, RandomState},
    str::FromStr,
};

use fastrand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{Timestamp, ToolError};

/// The identifier of one call: a version 7 UUID, so that text order is time order.
///
/// The twelve bits after the millisecond hold the fraction of the millisecond (RFC 9562 §6.2,
/// method 3), so that calls of one millisecond keep their order too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("format" = "uuid"))]
pub struct CallId(u128);

impl CallId {
    /// The length of the text form.
    pub const TEXT_LEN: usize = 36;

    /// Builds an identifier from a moment and random bits.
    pub fn from_parts(at: Timestamp, random: u64) -> Self {
        let micros = at.as_micros().max(0).unsigned_abs();
        let (millis, rest) = (micros / 1_000, micros % 1_000);
        // 1000 microseconds are spread over the 4096 values of twelve bits.
        let fraction = rest * 4_096 / 1_000;
        let high = (u128::from(millis) << 80) | (0x7 << 76) | (u128::from(fraction) << 64);
        let low = (random & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        Self(high | u128::from(low))
    }

    /// Returns the smallest identifier that a call at that moment could have.
    pub fn first_at(at: Timestamp) -> Self {
        let millis = at.as_millis().max(0).unsigned_abs();
        Self(u128::from(millis) << 80)
    }

    /// Returns the sixteen bytes, most significant first: their order is time order.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Reads sixteen bytes written by [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// Returns the millisecond in which the call began.
    pub fn timestamp(self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.0 >> 80).unwrap_or(i64::MAX))
    }
}

impl CallId {
    /// Writes the text form; every answer has one, so no memory is taken for it.
    pub fn to_text(self) -> [u8; Self::TEXT_LEN] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'-'; Self::TEXT_LEN];
        let mut at = 0;
        for (index, byte) in self.to_bytes().into_iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                at += 1;
            }
            text[at] = DIGITS[usize::from(byte >> 4)];
            text[at + 1] = DIGITS[usize::from(byte & 15)];
            at += 2;
        }
        text
    }
}

impl Serialize for CallId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.to_text()).unwrap_or_default())
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.to_text()).unwrap_or_default())
    }
}

impl fmt::Debug for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for CallId {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Self, ToolError> {
        let digits: String = text.chars().filter(|&c| c != '-').collect();
        let legal = text.len() == Self::TEXT_LEN && digits.len() == 32;
        let value = u128::from_str_radix(&digits, 16).ok().filter(|_| legal);
        value.map(Self).ok_or_else(|| {
            ToolError::validation(format!(
                "`{text}` is not a call id; they look like {}",
                Self::first_at(Timestamp::from_millis(1_763_000_000_000))
            ))
        })
    }
}

impl TryFrom<String> for CallId {
    type Error = ToolError;

    fn try_from(text: String) -> Result<Self, ToolError> {
        text.parse()
    }
}

impl From<CallId> for String {
    fn from(id: CallId) -> Self {
        id.to_string()
    }
}

/// Where identifiers come from; tests hand in one that repeats.
pub trait Ids: Send + Sync + fmt::Debug {
    /// Returns a new identifier for a call that begins at `at`.
    fn call_id(&self, at: Timestamp) -> CallId;
}

thread_local! {
    /// Begun with randomness of the system: the generator that every thread has anyway begins with
    /// the clock, and two processes that start in one tick would make the same identifiers.
    static RANDOM: RefCell<Rng> = RefCell::new(Rng::with_seed(RandomState::new().hash_one(())));
}

/// Identifiers with random bits from a fast generator of each thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    fn call_id(&self, at: Timestamp) -> CallId {
        CallId::from_parts(at, RANDOM.with_borrow_mut(|random| random.u64(..)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back_is_the_same_id() {
        let id = CallId::from_parts(Timestamp::from_millis(1_763_000_000_123), 42);
        assert_eq!(id.to_string().parse::<CallId>().unwrap(), id);
        assert_eq!(id.timestamp().as_millis(), 1_763_000_000_123);
        assert_eq!(id.to_string().as_bytes()[14], b'7', "a version 7 UUID: {id}");
    }

    #[test]
    fn later_calls_have_greater_ids_whatever_the_random_bits() {
        let early = CallId::from_parts(Timestamp::from_micros(1_000_001), u64::MAX);
        let late = CallId::from_parts(Timestamp::from_micros(1_000_002), 0);
        assert!(early < late && early.to_string() < late.to_string());
        assert!(CallId::first_at(Timestamp::from_millis(1_000)) <= early);
    }

    #[test]
    fn identifiers_do_not_follow_from_the_clock() {
        let at = Timestamp::from_millis(1);
        let first_of = |seed| {
            fastrand::seed(seed);
            RandomIds.call_id(at)
        };
        assert_ne!(first_of(7), first_of(7));
    }

    #[test]
    fn wrong_text_is_refused() {
        for text in ["", "x", "0199c2f4", &"g".repeat(36), &"-".repeat(36)] {
            assert!(text.parse::<CallId>().is_err(), "{text}");
        }
    }
}
