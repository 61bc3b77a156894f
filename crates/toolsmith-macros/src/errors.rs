//! What is wrong with a tool: collected, so that its author sees everything at once.

use std::fmt::Display;

use quote::ToTokens;
use syn::{Error, Token, meta::ParseNestedMeta, parse::ParseStream};

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(Option<Error>);

impl Problems {
    /// Adds a problem.
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Adds a problem at a place in the source.
    pub(crate) fn at(&mut self, place: impl ToTokens, message: impl Display) {
        self.add(Error::new_spanned(place, message));
    }

    /// Takes the value out of a result, and keeps its problem otherwise.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Returns all problems as one error, if there are any.
    pub(crate) fn into_error(self) -> Option<Error> {
        self.0
    }
}

/// Reads the keys of an attribute; a bad key does not keep those behind it from being read.
#[derive(Debug)]
pub(crate) struct Keys<'a> {
    attribute: &'static str,
    known: &'static [&'static str],
    seen: Vec<String>,
    problems: &'a mut Problems,
}

impl<'a> Keys<'a> {
    /// Starts to read an attribute with these keys.
    pub(crate) fn new(
        attribute: &'static str,
        known: &'static [&'static str],
        problems: &'a mut Problems,
    ) -> Self {
        Self { attribute, known, seen: Vec::new(), problems }
    }

    /// Checks that a key is known and stands there once, and lets `read` take its value.
    pub(crate) fn read(
        &mut self,
        meta: &ParseNestedMeta<'_>,
        read: impl FnOnce(&str) -> syn::Result<()>,
    ) -> syn::Result<()> {
        let key: String = meta.path.to_token_stream().to_string().split_whitespace().collect();
        let result = if !self.known.contains(&key.as_str()) {
            Err(meta.error(self.unknown(&key)))
        } else if self.seen.contains(&key) {
            Err(meta.error(format!("`{key}` is given twice")))
        } else {
            read(&key)
        };
        self.seen.push(key);
        self.problems.take(result);
        skip_to_comma(meta.input)
    }

    /// Notes what is wrong with the form of the attribute itself.
    pub(crate) fn note(&mut self, result: syn::Result<()>) {
        self.problems.take(result);
    }

    fn unknown(&self, key: &str) -> String {
        let Self { attribute, known, .. } = self;
        let near = nearest(key, known).map(|near| format!("; did you mean `{near}`?"));
        let near = near.unwrap_or_default();
        let list: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
        let list = list.join(", ");
        format!("there is no `{key}`{near}\n`#[{attribute}]` knows {list}")
    }
}

/// Finds the key that someone probably meant.
fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    known
        .iter()
        .map(|key| (strsim::normalized_damerau_levenshtein(word, key), *key))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, key)| key)
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_keys_are_found_and_far_ones_are_not() {
        let known = ["timeout", "title", "tags", "read_only"];
        assert_eq!(nearest("timout", &known), Some("timeout"));
        assert_eq!(nearest("readonly", &known), Some("read_only"));
        assert_eq!(nearest("tag", &known), Some("tags"));
        assert_eq!(nearest("retries", &known), None);
    }
}
