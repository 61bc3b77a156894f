//! The arguments of a command, filled in for a call.

use toolsmith_core::{ToolError, Value, Vault, json};

use super::phrase::{Filled, Phrase, given, written};

/// The arguments of a command before a call fills them in.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    /// Each group stands or falls as a whole; a single argument is a group of one.
    pub(super) groups: Vec<Vec<Phrase>>,
    pub(super) dashes: Dashes,
}

/// Whether an argument that the caller chooses may begin with `-` and so be taken for an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dashes {
    /// Only after `--`, which ends the options of most programs.
    #[default]
    AfterDoubleDash,
    /// Anywhere.
    Allowed,
}

impl Arguments {
    /// Tells whether any argument comes from the input.
    pub(super) fn has_parameters(&self) -> bool {
        self.groups.iter().flatten().any(|phrase| phrase.parameters().next().is_some())
    }

    /// Fills everything in.
    pub(super) fn fill(&self, vault: &Vault, input: &Value) -> Result<Vec<String>, ToolError> {
        let mut filled = Vec::new();
        let mut dashes = self.dashes;
        for group in &self.groups {
            let mut words = Vec::new();
            let mut is_whole = true;
            let mut inside = dashes;
            for phrase in group {
                match fill(phrase, vault, input, inside)? {
                    Some(more) => words.extend(more),
                    None => is_whole = false,
                }
                if phrase.is("--") {
                    inside = Dashes::Allowed;
                }
            }
            // A `--` that is left out with its group ends nothing.
            if is_whole {
                filled.extend(words);
                dashes = inside;
            }
        }
        Ok(filled)
    }
}

/// Fills in one argument; nothing when its parameter is absent.
fn fill(
    phrase: &Phrase,
    vault: &Vault,
    input: &Value,
    dashes: Dashes,
) -> Result<Option<Vec<String>>, ToolError> {
    let first = phrase.only_parameter();
    let items = first.and_then(|name| given(input, name)?.as_array());
    let words = match items {
        Some(items) => items.iter().map(|item| Filled { text: written(item), first }).collect(),
        None => match phrase.fill(vault, input)? {
            Some(word) => vec![word],
            None => return Ok(None),
        },
    };
    for word in &words {
        check(word, phrase, dashes)?;
    }
    Ok(Some(words.into_iter().map(|word| word.text).collect()))
}

fn check(word: &Filled<'_>, phrase: &Phrase, dashes: Dashes) -> Result<(), ToolError> {
    if word.text.contains('\0') {
        let name = phrase.parameters().next().unwrap_or_default();
        let message = format!("`{name}` contains a NUL character, which no argument can hold.");
        return Err(ToolError::validation(message).with_details(json!({ "parameter": name })));
    }
    let risky = word.first.filter(|_| word.text.starts_with('-'));
    if let Some(name) = risky.filter(|_| dashes == Dashes::AfterDoubleDash) {
        let message = format!(
            "`{name}` begins with `-`, and the program could take it for an option. Use another \
             value. (The tool's author can put `--` before it, or set `allow_dashes: true`.)"
        );
        return Err(ToolError::validation(message).with_details(json!({ "parameter": name })));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{ErrorKind, Redactor};

    use super::*;

    fn arguments(groups: &[&[&str]]) -> Arguments {
        let parse = |text: &&str| Phrase::parse(text).unwrap();
        let groups = groups.iter().map(|group| group.iter().map(parse).collect()).collect();
        Arguments { groups, dashes: Dashes::AfterDoubleDash }
    }

    fn fill(groups: &[&[&str]], input: &Value) -> Result<Vec<String>, ToolError> {
        let vault = Vault::with_values([("HOST", "-h")], Redactor::default());
        arguments(groups).fill(&vault, input)
    }

    #[test]
    fn a_value_stays_within_its_argument() {
        let input = json!({ "q": "a; rm -rf / $(id) `id` '\"\n*" });
        assert_eq!(fill(&[&["{q}"]], &input).unwrap(), [input["q"].as_str().unwrap()]);
        assert_eq!(fill(&[&["--q={q}!"]], &json!({ "q": "a b" })).unwrap(), ["--q=a b!"]);
    }

    #[test]
    fn a_list_becomes_several_arguments_only_when_it_stands_alone() {
        let input = json!({ "files": ["a", 2, true, {"k": 1}], "none": [] });
        assert_eq!(fill(&[&["{files}"]], &input).unwrap(), ["a", "2", "true", "{\"k\":1}"]);
        assert_eq!(fill(&[&["-f={files}"]], &input).unwrap(), ["-f=[\"a\",2,true,{\"k\":1}]"]);
        assert!(fill(&[&["{none}"]], &input).unwrap().is_empty());
    }

    #[test]
    fn an_absent_parameter_takes_its_argument_and_its_group_with_it() {
        let input = json!({ "a": 1, "b": null });
        let groups: &[&[&str]] = &[&["{a}"], &["{b}"], &["--c={c}"], &["--b", "{b}"], &["end"]];
        assert_eq!(fill(groups, &input).unwrap(), ["1", "end"]);
    }

    #[test]
    fn an_option_by_accident_is_refused() {
        for input in [json!({ "x": "-rf" }), json!({ "x": ["a", "--all"] }), json!({ "x": -1 })] {
            let error = fill(&[&["{x}"]], &input).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ValidationError);
            assert!(error.message().contains("`x` begins with `-`"), "{error}");
        }
        assert!(fill(&[&["{x}.txt"]], &json!({ "x": "-o" })).is_err());
        assert!(fill(&[&["{x}{y}"]], &json!({ "x": "", "y": "-o" })).is_err());
    }

    #[test]
    fn dashes_are_fine_where_they_can_do_no_harm() {
        let input = json!({ "x": "-rf" });
        assert_eq!(fill(&[&["--"], &["{x}"]], &input).unwrap(), ["--", "-rf"]);
        assert_eq!(fill(&[&["--x={x}"]], &input).unwrap(), ["--x=-rf"]);
        assert_eq!(fill(&[&["${HOST}"]], &input).unwrap(), ["-h"]);
        let allowed = Arguments { dashes: Dashes::Allowed, ..arguments(&[&["{x}"]]) };
        let vault = Vault::with_values([("", "")], Redactor::default());
        assert_eq!(allowed.fill(&vault, &input).unwrap(), ["-rf"]);
    }

    #[test]
    fn an_option_in_disguise_is_refused() {
        let input = json!({ "x": "-rf", "empty": "" });
        // The group with the `--` is left out, so nothing ends the options.
        assert!(fill(&[&["--", "{gone}"], &["{x}"]], &input).is_err());
        assert!(fill(&[&["--", "{gone}", "{x}"], &["{x}"]], &input).is_err());
        for text in ["${NOT_SET:}{x}", "{empty}{x}", "${NOT_SET:}{empty}{x}"] {
            let error = fill(&[&[text]], &input).unwrap_err();
            assert!(error.message().contains("`x` begins with `-`"), "{text}: {error}");
        }
        assert_eq!(fill(&[&["--", "{x}"], &["{x}"]], &input).unwrap(), ["--", "-rf", "-rf"]);
        assert_eq!(fill(&[&["${HOST}{x}"]], &input).unwrap(), ["-h-rf"]);
        assert_eq!(fill(&[&["{empty}-f{x}"]], &input).unwrap(), ["-f-rf"]);
    }

    #[test]
    fn a_nul_is_refused() {
        let error = fill(&[&["a{x}"]], &json!({ "x": "a\0b" })).unwrap_err();
        assert!(error.message().contains("NUL"), "{error}");
    }
}
