//! Versions of tools: semantic versions, with `1` and `1.2` read as `1.0.0` and `1.2.0`.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;

/// The version of a tool; `1.0.0` when a definition does not say.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Version(semver::Version);

impl Version {
    /// Makes a version out of its three numbers.
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    /// Tells whether this version lies in a range.
    pub fn is_in(&self, range: &semver::VersionReq) -> bool {
        range.matches(&self.0)
    }

    /// Tells whether this is a pre-release such as `2.0.0-beta.1`.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }
}

impl Default for Version {
    fn default() -> Self {
        Self::new(1, 0, 0)
    }
}

impl FromStr for Version {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Self, ToolError> {
        let numbers = text.split('.').count();
        let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let full = match numbers {
            1 if plain => format!("{text}.0.0"),
            2 if plain => format!("{text}.0"),
            _ => text.to_owned(),
        };
        semver::Version::parse(&full).map(Self).map_err(|error| {
            ToolError::validation(format!(
                "`{text}` is not a version; write three numbers such as 1.0.0"
            ))
            .with_source(error)
        })
    }
}

impl TryFrom<String> for Version {
    type Error = ToolError;

    fn try_from(text: String) -> Result<Self, ToolError> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.to_string()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_versions_are_filled_up() {
        assert_eq!("1".parse::<Version>().unwrap(), Version::new(1, 0, 0));
        assert_eq!("1.2".parse::<Version>().unwrap(), Version::new(1, 2, 0));
        assert_eq!("2.0.0-beta.1".parse::<Version>().unwrap().to_string(), "2.0.0-beta.1");
    }

    #[test]
    fn nonsense_is_refused_with_an_example() {
        let error = "latest".parse::<Version>().unwrap_err();
        assert!(error.message().contains("1.0.0"), "{error}");
    }
}
