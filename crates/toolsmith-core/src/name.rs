//! Names of tools: checked once, cheap to clone, cheap to compare.

use std::{borrow::Borrow, fmt, str::FromStr};

use schemars::JsonSchema;
use semver::VersionReq;
use serde::{Deserialize, Serialize};

use crate::ToolError;

/// Text that is cheap to clone: identifiers, captions, descriptions.
///
/// Up to 23 bytes stand in the value itself, longer text is shared. A call clones its tool's name
/// and version several times; inline, that touches no counter that another thread counts on too.
pub type Text = smol_str::SmolStr;

/// The longest legal tool name, in bytes: what the strictest model provider accepts.
const LONGEST: usize = 64;

/// The checked name of a tool: 1 to 64 characters out of `A-Z a-z 0-9 _ . -`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[A-Za-z0-9_.-]{1,64}$"))]
pub struct ToolName(Text);

impl ToolName {
    /// Checks a name.
    pub fn new(name: &str) -> Result<Self, ToolError> {
        if name.is_empty() || name.len() > LONGEST {
            return Err(ToolError::validation(format!(
                "a tool name has 1 to {LONGEST} characters; `{}` has {}",
                shorten(name),
                name.chars().count()
            )));
        }
        match name.chars().find(|&c| !is_legal(c)) {
            None => Ok(Self(name.into())),
            Some(wrong) => Err(ToolError::validation(format!(
                "a tool name is made of letters, digits, `_`, `.` and `-`; `{name}` contains {wrong:?}"
            ))),
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the shared text of the name.
    pub fn text(&self) -> &Text {
        &self.0
    }
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Keeps a hostile name from filling an error message.
fn shorten(name: &str) -> String {
    let start: String = name.chars().take(40).collect();
    if start.len() < name.len() { format!("{start}…") } else { start }
}

impl FromStr for ToolName {
    type Err = ToolError;

    fn from_str(name: &str) -> Result<Self, ToolError> {
        Self::new(name)
    }
}

impl TryFrom<String> for ToolName {
    type Error = ToolError;

    fn try_from(name: String) -> Result<Self, ToolError> {
        Self::new(&name)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0.into()
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// How a caller names a tool: `name`, `name@1.2.0` or `name@^1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ToolRef {
    /// The tool meant.
    pub name: ToolName,
    /// Which of its versions; none means the default one.
    pub version: Option<VersionReq>,
}

impl ToolRef {
    /// Splits `name@range` without checking either half.
    pub fn split(text: &str) -> (&str, Option<&str>) {
        match text.split_once('@') {
            Some((name, range)) => (name, Some(range)),
            None => (text, None),
        }
    }

    /// Reads a version range; a bare full version such as `1.2.0` means exactly that one.
    pub fn parse_range(range: &str) -> Result<VersionReq, ToolError> {
        let exact = semver::Version::parse(range).is_ok();
        let text = if exact { format!("={range}") } else { range.to_owned() };
        VersionReq::parse(&text).map_err(|error| {
            ToolError::validation(format!(
                "`{}` is not a version or a range such as 1.2.0, ^1 or >=1, <2",
                shorten(range)
            ))
            .with_source(error)
        })
    }
}

impl FromStr for ToolRef {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Self, ToolError> {
        let (name, range) = Self::split(text);
        Ok(Self { name: name.parse()?, version: range.map(Self::parse_range).transpose()? })
    }
}

impl TryFrom<String> for ToolRef {
    type Error = ToolError;

    fn try_from(text: String) -> Result<Self, ToolError> {
        text.parse()
    }
}

impl From<ToolRef> for String {
    fn from(tool: ToolRef) -> Self {
        tool.to_string()
    }
}

impl fmt::Display for ToolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            None => fmt::Display::fmt(&self.name, f),
            Some(range) => write!(f, "{}@{range}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_names_are_kept_as_they_are() {
        for name in ["a", "web_search", "server__tool", "v1.2-beta", &"x".repeat(64)] {
            assert_eq!(ToolName::new(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn illegal_names_are_refused_with_the_reason() {
        for (name, reason) in
            [("", "1 to 64"), ("a b", "' '"), ("拼图", "'拼'"), (&*"x".repeat(65), "1 to 64")]
        {
            let message = ToolName::new(name).unwrap_err().message().to_owned();
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn a_bare_version_means_exactly_that_one() {
        let tool: ToolRef = "echo@1.2.0".parse().unwrap();
        let range = tool.version.unwrap();
        assert!(range.matches(&"1.2.0".parse().unwrap()));
        assert!(!range.matches(&"1.3.0".parse().unwrap()));
    }

    #[test]
    fn a_range_matches_what_it_says() {
        let tool: ToolRef = "echo@^1".parse().unwrap();
        assert!(tool.version.unwrap().matches(&"1.9.0".parse().unwrap()));
        assert!("echo@one".parse::<ToolRef>().is_err());
    }
}
