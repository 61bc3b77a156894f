//! The options of a chore: `--name value`, or `--name` alone.

use std::{collections::BTreeMap, str::FromStr};

use anyhow::{Context, Result, bail};

/// The options of a chore.
pub(crate) struct Arguments(BTreeMap<String, String>);

impl Arguments {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = BTreeMap::new();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let Some(name) = word.strip_prefix("--") else { bail!("`{word}` is not an option") };
            let value = words.next_if(|next| !next.starts_with("--")).unwrap_or_default();
            options.insert(name.to_owned(), value);
        }
        Ok(Self(options))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str> {
        self.0.get(name).map(String::as_str).with_context(|| format!("--{name} is needed"))
    }

    /// Returns a number, or what stands for it when the option is not given.
    pub(crate) fn number<T: FromStr>(&self, name: &str, otherwise: T) -> Result<T> {
        match self.0.get(name) {
            None => Ok(otherwise),
            Some(text) => {
                let number = text.parse().ok();
                number.with_context(|| format!("--{name} takes a number, not `{text}`"))
            }
        }
    }
}
