//! How many calls in how long.

use std::time::Duration;

use serde_json::Value;
use toolsmith_core::{Quota, RateBy, RateLimit};

use super::{Fault, Kind, Shape, filled, mismatch, parse_age};
use crate::config::{
    Environment,
    yaml::{Content, Node},
};

/// So many calls in so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallsInTime {
    /// How many.
    pub calls: u32,
    /// In how long.
    pub per: Duration,
}

impl CallsInTime {
    /// Reads it as people write it: `10/1s`, `1000/1d`.
    pub fn parse(text: &str) -> Option<Self> {
        let (calls, per) = text.split_once('/')?;
        let calls = calls.parse().ok().filter(|calls| *calls > 0)?;
        Some(Self { calls, per: parse_age(per)? })
    }

    /// Returns it as a rate of one caller.
    pub fn as_rate(self) -> RateLimit {
        RateLimit { calls: self.calls, per: self.per, by: RateBy::Caller }
    }

    /// Returns it as a quota.
    pub fn as_quota(self) -> Quota {
        Quota { calls: self.calls.into(), per: self.per }
    }
}

/// How many calls in how long, such as `10/1s`.
pub(in crate::config) struct Rate;

impl Kind for Rate {
    type Output = CallsInTime;

    fn read(&self, node: &Node, environment: &Environment) -> Result<CallsInTime, Vec<Fault>> {
        filled::read(self, node, environment, |node| match &node.value {
            Content::Text(text) => CallsInTime::parse(text).ok_or_else(|| mismatch(self, node)),
            _ => Err(mismatch(self, node)),
        })
    }

    fn show(&self, value: &CallsInTime) -> Value {
        format!("{}/{}s", value.calls, value.per.as_secs_f64()).into()
    }

    fn expects(&self) -> String {
        "a number of calls and a time, such as `10/1s` or `1000/1d`".to_owned()
    }

    fn shape(&self) -> Shape {
        Shape::Text
    }
}
