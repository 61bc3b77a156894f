//! Moments and ages as people write them.

use std::time::Duration;

use toolsmith_core::Timestamp;

use crate::config::parse_age;

/// A moment: a time of day, or an age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A time.
    At(Timestamp),
    /// So long ago.
    Ago(Duration),
}

impl Moment {
    /// Returns the time, counted back from now when it is an age.
    pub fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(time) => time,
            Self::Ago(age) => now.minus(age),
        }
    }
}

/// Reads a time such as `2026-01-31T12:00:00Z`, a day such as `2026-01-31`, or an age such as `2h`.
pub(super) fn moment(text: &str) -> Result<Moment, String> {
    // A day begins at midnight, as all times here in UTC.
    let time = text.parse().or_else(|_| format!("{text}T00:00:00Z").parse());
    let moment = time.ok().map(Moment::At).or_else(|| parse_age(text).map(Moment::Ago));
    moment.ok_or_else(|| {
        "expected a time such as 2026-01-31T12:00:00Z, a day such as 2026-01-31, or an age such \
         as 90s, 15m, 2h, 7d or 8w"
            .to_owned()
    })
}

/// Reads an age such as `30d`.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    parse_age(text).ok_or_else(|| "expected an age such as 90s, 15m, 12h, 30d or 8w".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_days_and_ages_are_moments() {
        let now: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
        for (text, time) in [
            ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
            ("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000Z"),
            ("2026-01-31", "2026-01-31T00:00:00.000Z"),
            ("2h", "2026-01-31T22:00:00.000Z"),
            ("1.5d", "2026-01-30T12:00:00.000Z"),
        ] {
            assert_eq!(moment(text).unwrap().before(now).to_string(), time, "{text}");
        }
        for text in ["", "yesterday", "2026-02-30", "12:00", "-2h"] {
            assert!(moment(text).unwrap_err().contains("2026-01-31"), "{text}");
        }
        assert!(age("30").is_ok() && age("30 days").is_err());
    }
}
