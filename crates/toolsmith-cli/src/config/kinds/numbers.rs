//! Counts and durations.

use std::time::Duration;

use serde_json::Value;

use super::{Fault, Kind, filled, mismatch};
use crate::config::{
    Environment,
    yaml::{Content, Node},
};

/// The longest time that a call or an interval may take: a year, far from any overflow.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// The greatest age that records may reach: a century.
const OLDEST: Duration = Duration::from_hours(100 * 366 * 24);

/// A whole number with a lower bound.
pub(in crate::config) struct Count {
    pub(in crate::config) least: usize,
}

impl Kind for Count {
    type Output = usize;

    fn read(&self, node: &Node, environment: &Environment) -> Result<usize, Vec<Fault>> {
        filled::read(self, node, environment, |node| {
            let number = match &node.value {
                Content::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
                _ => None,
            };
            number.filter(|n| *n >= self.least).ok_or_else(|| mismatch(self, node))
        })
    }

    fn show(&self, value: &usize) -> Value {
        (*value).into()
    }

    fn expects(&self) -> String {
        format!("a whole number of at least {}", self.least)
    }
}

/// A duration in seconds.
pub(in crate::config) struct Seconds;

impl Kind for Seconds {
    type Output = Duration;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Duration, Vec<Fault>> {
        filled::read(self, node, environment, |node| {
            let length = number(node).and_then(|seconds| duration(seconds, LONGEST));
            length.ok_or_else(|| mismatch(self, node))
        })
    }

    fn show(&self, value: &Duration) -> Value {
        seconds(*value)
    }

    fn expects(&self) -> String {
        "a number of seconds above 0, at most a year".to_owned()
    }
}

/// A duration in milliseconds.
pub(in crate::config) struct Milliseconds;

impl Kind for Milliseconds {
    type Output = Duration;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Duration, Vec<Fault>> {
        filled::read(self, node, environment, |node| {
            let length = number(node).and_then(|number| duration(number / 1_000.0, LONGEST));
            length.ok_or_else(|| mismatch(self, node))
        })
    }

    fn show(&self, value: &Duration) -> Value {
        seconds(*value)
    }

    fn expects(&self) -> String {
        "a number of milliseconds above 0, at most a year".to_owned()
    }
}

/// An age in seconds, or as a number with a unit: `90s`, `15m`, `12h`, `30d`, `8w`.
pub(in crate::config) struct Age;

impl Kind for Age {
    type Output = Duration;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Duration, Vec<Fault>> {
        filled::read(self, node, environment, |node| {
            let seconds = match &node.value {
                Content::Text(text) => with_unit(text),
                _ => number(node),
            };
            let age = seconds.and_then(|seconds| duration(seconds, OLDEST));
            age.ok_or_else(|| mismatch(self, node))
        })
    }

    fn show(&self, value: &Duration) -> Value {
        seconds(*value)
    }

    fn expects(&self) -> String {
        "a number of seconds, or a number with `s`, `m`, `h`, `d` or `w` behind it, such as `30d`"
            .to_owned()
    }
}

/// Reads an age as people write it: `90s`, `15m`, `12h`, `30d`, `8w`, or plain seconds.
pub fn parse_age(text: &str) -> Option<Duration> {
    let seconds = with_unit(text).or_else(|| text.parse().ok())?;
    duration(seconds, OLDEST)
}

fn number(node: &Node) -> Option<f64> {
    match &node.value {
        Content::Number(number) => number.as_f64(),
        _ => None,
    }
}

fn with_unit(text: &str) -> Option<f64> {
    const UNITS: [(char, f64); 5] =
        [('s', 1.0), ('m', 60.0), ('h', 3_600.0), ('d', 86_400.0), ('w', 604_800.0)];
    let (unit, seconds) = UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
    Some(number * seconds)
}

fn duration(seconds: f64, longest: Duration) -> Option<Duration> {
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    (!duration.is_zero() && duration <= longest).then_some(duration)
}

/// Shows whole seconds without a fraction.
fn seconds(duration: Duration) -> Value {
    if duration.subsec_nanos() == 0 {
        duration.as_secs().into()
    } else {
        duration.as_secs_f64().into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::yaml;

    fn read<K: Kind>(kind: &K, text: &str) -> Result<Value, String> {
        match kind.read(&yaml::scalar(text), &Environment::default()) {
            Ok(value) => Ok(kind.show(&value)),
            Err(faults) => Err(faults[0].message.clone()),
        }
    }

    #[test]
    fn counts_have_a_lower_bound_and_no_fraction() {
        let count = Count { least: 1 };
        assert_eq!(read(&count, "3"), Ok(json!(3)));
        for text in ["0", "-1", "1.5", "ten", "true", "99999999999999999999999"] {
            let message = read(&count, text).unwrap_err();
            assert!(
                message.starts_with("expected a whole number of at least 1, found "),
                "{message}"
            );
        }
    }

    #[test]
    fn durations_are_positive_and_bounded() {
        assert_eq!(read(&Seconds, "30"), Ok(json!(30)));
        assert_eq!(read(&Seconds, "0.5"), Ok(json!(0.5)));
        assert_eq!(read(&Milliseconds, "30000"), Ok(json!(30)));
        assert_eq!(read(&Milliseconds, "1500"), Ok(json!(1.5)));
        for text in ["0", "-1", "1e300", "soon"] {
            assert!(read(&Seconds, text).is_err(), "{text}");
            assert!(read(&Milliseconds, text).is_err(), "{text}");
        }
    }

    #[test]
    fn ages_of_the_command_line_are_read_like_those_of_the_file() {
        assert_eq!(parse_age("90"), Some(Duration::from_secs(90)));
        assert_eq!(parse_age("1.5h"), Some(Duration::from_mins(90)));
        for text in ["", "d", "soon", "-1d", "0", "30y"] {
            assert_eq!(parse_age(text), None, "{text}");
        }
    }

    #[test]
    fn ages_may_have_units() {
        for (text, seconds) in [
            ("60", 60),
            ("90s", 90),
            ("15m", 900),
            ("12h", 43_200),
            ("30d", 2_592_000),
            ("1 w", 604_800),
        ] {
            assert_eq!(read(&Age, text), Ok(json!(seconds)), "{text}");
        }
        for text in ["d", "30y", "infd", "nand", "-1d", "99999999999d"] {
            assert!(read(&Age, text).is_err(), "{text}");
        }
    }
}
