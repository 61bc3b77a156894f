//! Time: points on the wall clock, and the one place they come from.

use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;

/// A moment in UTC; its text is RFC 3339 with milliseconds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("format" = "date-time"))]
pub struct Timestamp {
    /// Microseconds since 1970. Finer than the text form, so that ids of one millisecond sort.
    micros: i64,
}

impl Timestamp {
    /// Makes a moment from Unix milliseconds.
    pub fn from_millis(millis: i64) -> Self {
        Self { micros: millis.saturating_mul(1_000) }
    }

    /// Makes a moment from Unix microseconds.
    pub fn from_micros(micros: i64) -> Self {
        Self { micros }
    }

    /// Returns Unix milliseconds.
    pub fn as_millis(self) -> i64 {
        self.micros.div_euclid(1_000)
    }

    /// Returns Unix microseconds.
    pub fn as_micros(self) -> i64 {
        self.micros
    }

    /// Returns the moment that much earlier.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self { micros: self.micros.saturating_sub(micros) }
    }

    /// Returns the moment that much later.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self { micros: self.micros.saturating_add(micros) }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = jiff::Timestamp::from_millisecond(self.as_millis());
        write!(f, "{:.3}", millis.unwrap_or(jiff::Timestamp::MAX))
    }
}

impl FromStr for Timestamp {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Self, ToolError> {
        match text.parse::<jiff::Timestamp>() {
            Ok(moment) => Ok(Self { micros: moment.as_microsecond() }),
            Err(error) => Err(ToolError::validation(format!(
                "`{text}` is not a time; write it like 2026-01-31T12:00:00Z"
            ))
            .with_source(error)),
        }
    }
}

impl TryFrom<String> for Timestamp {
    type Error = ToolError;

    fn try_from(text: String) -> Result<Self, ToolError> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.to_string()
    }
}

/// Where the time of day comes from; tests hand in one that they turn.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Returns the moment that it is.
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine's clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_rfc_3339_in_utc_with_milliseconds() {
        let moment = Timestamp::from_micros(1_763_164_800_007_900);
        assert_eq!(moment.to_string(), "2025-11-15T00:00:00.007Z");
        assert_eq!(
            moment.to_string().parse::<Timestamp>().unwrap().as_millis(),
            moment.as_millis()
        );
    }

    #[test]
    fn other_offsets_are_read_as_the_same_moment() {
        let here: Timestamp = "2026-01-01T08:00:00+08:00".parse().unwrap();
        assert_eq!(here.to_string(), "2026-01-01T00:00:00.000Z");
        assert!("yesterday".parse::<Timestamp>().is_err());
    }
}
