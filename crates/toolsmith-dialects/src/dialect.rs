//! The dialects by name.

use std::{fmt, str::FromStr};

use crate::{
    format::Format,
    formats::{auto, xml},
};

/// A way of writing tool calls as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Whichever the text turns out to be.
    #[default]
    Auto,
    /// `<function_calls>` with `<invoke name>` and `<parameter name>`, in all its spellings.
    Xml,
}

impl Dialect {
    /// All dialects but [`Auto`](Self::Auto), the more exact ones first.
    pub const ALL: &'static [Self] = &[Self::Xml];

    /// Returns the name that the command line and files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Xml => "xml",
        }
    }

    pub(crate) fn format(self) -> &'static dyn Format {
        match self {
            Self::Auto => &auto::Auto,
            Self::Xml => &xml::Xml,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is no dialect's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect();
        write!(f, "no dialect `{}`; there are auto, {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownDialect {}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        std::iter::once(&Self::Auto)
            .chain(Self::ALL)
            .find(|dialect| dialect.as_str() == name)
            .copied()
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}
