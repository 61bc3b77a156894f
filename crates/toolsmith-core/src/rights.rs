//! Which tools a caller may see and use.

use serde::{Deserialize, Serialize};

use crate::{Quota, RateLimit, Text};

/// What an authenticated caller may do; a door fills it in, a client can only narrow it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rights {
    /// The tools that it may see and use; none listed means all of them.
    pub tools: Option<AllowList>,
    /// The private namespace of an agent: its own tools, which nobody else sees.
    pub namespace: Option<Text>,
    /// How often it may call; as often as any other when nothing is said.
    pub allowance: Allowance,
    /// What it may do besides.
    pub role: Role,
}

/// What a caller may do besides calling tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It may look at tools, and call none.
    Viewer,
    /// It may call tools, and look at what came of its own calls.
    #[default]
    Caller,
    /// It may do everything: look at all calls, decide about them, change the tools.
    Admin,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Caller, Self::Admin];

    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Caller => "caller",
            Self::Admin => "admin",
        }
    }

    /// Finds the role with that stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

/// How often one caller may call, over all tools, where that differs from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Allowance {
    /// How many calls in a short time.
    pub rate: Option<RateLimit>,
    /// How many calls in a longer period.
    pub quota: Option<Quota>,
    /// How many calls run at once; more of them wait.
    pub concurrency: Option<u32>,
}

impl Rights {
    /// Tells whether a tool is visible to the caller.
    pub fn allows(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|list| list.contains(tool))
    }
}

/// Names and patterns of tools: `*` stands for any run of characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AllowList(std::sync::Arc<[Text]>);

impl AllowList {
    /// Makes a list out of names and patterns.
    pub fn new<T: Into<Text>>(patterns: impl IntoIterator<Item = T>) -> Self {
        Self(patterns.into_iter().map(Into::into).collect())
    }

    /// Returns the names and patterns.
    pub fn patterns(&self) -> Vec<&str> {
        self.0.iter().map(Text::as_str).collect()
    }

    /// Tells whether one of the patterns matches the whole name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| fits_pattern(pattern, name))
    }
}

/// Tells whether a whole name fits a pattern in which `*` stands for any run of characters.
///
/// The time is linear: each star takes as little as it can.
pub fn fits_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("echo", "echo", true),
            ("echo", "echoes", false),
            ("*", "anything", true),
            ("*_file", "read_file", true),
            ("*_file", "read_files", false),
            ("read_*", "read_file", true),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
            ("a*a", "a", false),
            ("", "echo", false),
        ] {
            assert_eq!(fits_pattern(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn without_a_list_everything_is_allowed_and_an_empty_list_allows_nothing() {
        assert!(Rights::default().allows("echo"));
        let none = Rights { tools: Some(AllowList::new(Vec::<&str>::new())), ..Rights::default() };
        assert!(!none.allows("echo"));
    }
}
