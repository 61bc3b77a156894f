//! Time: points on the wall clock, and the one place they come from.

use std::{
    fmt,
    ops::Range,
    str::FromStr,
    time::{Duration, SystemTime},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::ToolError;

/// A moment in UTC; its text is RFC 3339 with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("format" = "date-time"))]
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

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.usual_text() {
            Some(text) => serializer.serialize_str(std::str::from_utf8(&text).unwrap_or_default()),
            None => serializer.collect_str(self),
        }
    }
}

impl Timestamp {
    /// Writes the text of a moment from 1970 to nearly the end of 9999; every answer has one.
    fn usual_text(self) -> Option<[u8; 24]> {
        let millis = u64::try_from(self.as_millis()).ok().filter(|millis| *millis < TOO_LATE)?;
        let (days, of_day) = (millis / 86_400_000, millis % 86_400_000);
        // Years that begin in March have their leap day last; 400 of them are 146,097 days.
        let days = days + 719_468;
        let (era, day) = (days / 146_097, days % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let mut text = *b"0000-00-00T00:00:00.000Z";
        put(&mut text, 0..4, year + 400 * era + later);
        put(&mut text, 5..7, month);
        put(&mut text, 8..10, day);
        put(&mut text, 11..13, of_day / 3_600_000);
        put(&mut text, 14..16, of_day / 60_000 % 60);
        put(&mut text, 17..19, of_day / 1_000 % 60);
        put(&mut text, 20..23, of_day % 1_000);
        Some(text)
    }
}

/// From here on, near the end of the year 9999, the calendar of the other way to write it ends.
const TOO_LATE: u64 = 253_402_207_200_000;

/// Writes a number into a place of digits.
fn put(text: &mut [u8; 24], place: Range<usize>, mut number: u64) {
    for digit in text.get_mut(place).unwrap_or_default().iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
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
    fn in_json_it_is_the_same_text() {
        let written = |millis| {
            let moment = Timestamp::from_millis(millis);
            assert_eq!(serde_json::to_value(moment).unwrap(), moment.to_string(), "{millis}");
        };
        // A step of 13 days and some reaches every day of leap years and centuries, each hour.
        (-5_000..300_000).for_each(|step: i64| written(step * 1_190_123_457 % 253_402_300_800_000));
        [-1, 0, 951_782_399_999, 951_782_400_000, 253_402_207_199_999, 253_402_207_200_000]
            .into_iter()
            .for_each(written);
    }

    #[test]
    fn other_offsets_are_read_as_the_same_moment() {
        let here: Timestamp = "2026-01-01T08:00:00+08:00".parse().unwrap();
        assert_eq!(here.to_string(), "2026-01-01T00:00:00.000Z");
        assert!("yesterday".parse::<Timestamp>().is_err());
    }
}
