//! Text with `{parameter}` and `${VARIABLE}` in it.

use toolsmith_core::{Template, TemplateError, ToolError, Value, Vault};

/// Text in which parameters of the call and variables of the configuration stand.
///
/// It is taken apart once. What comes from a call is never read again, so a value with `${…}` or
/// `{…}` in it stays what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Fixed(Template),
    Parameter(String),
}

/// A text that was filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filled<'a> {
    pub(super) text: String,
    /// The parameter that the first letter comes from, if it is the caller's choice.
    pub(super) first: Option<&'a str>,
}

impl Phrase {
    /// Takes a text apart; `{{name}}` stands for a plain `{name}`, other braces for themselves.
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut fixed = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(['$', '{']) {
            let (before, from) = rest.split_at(start);
            fixed.push_str(before);
            if let Some((name, after)) = placeholder(from) {
                if !fixed.is_empty() {
                    pieces.push(Piece::Fixed(Template::parse(&std::mem::take(&mut fixed))?));
                }
                pieces.push(Piece::Parameter(name.to_owned()));
                rest = after;
                continue;
            }
            let (plain, after) = plain(from);
            fixed.push_str(&plain);
            rest = after;
        }
        fixed.push_str(rest);
        if !fixed.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Fixed(Template::parse(&fixed)?));
        }
        Ok(Self(pieces))
    }

    /// Returns the names of its parameters.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Parameter(name) => Some(name.as_str()),
            Piece::Fixed(_) => None,
        })
    }

    /// Returns the parameter, if it is nothing else.
    pub(super) fn only_parameter(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Parameter(name)] => Some(name),
            _ => None,
        }
    }

    /// Tells whether it is this text, without parameters and variables.
    pub(super) fn is(&self, text: &str) -> bool {
        self.0 == [Piece::Fixed(Template::literal(text))]
    }

    /// Fills everything in; nothing when a parameter is absent.
    pub(super) fn fill(
        &self,
        vault: &Vault,
        input: &Value,
    ) -> Result<Option<Filled<'_>>, ToolError> {
        let mut filled = Filled { text: String::new(), first: None };
        for piece in &self.0 {
            let is_first = filled.text.is_empty();
            match piece {
                Piece::Fixed(template) => {
                    filled.text.push_str(vault.fill(template)?.expose());
                }
                Piece::Parameter(name) => {
                    let Some(value) = given(input, name) else { return Ok(None) };
                    filled.text.push_str(&written(value));
                    if is_first && !filled.text.is_empty() {
                        filled.first = Some(name);
                    }
                }
            }
        }
        Ok(Some(filled))
    }

    /// Fills everything in, with nothing in the place of absent parameters.
    pub(super) fn fill_loosely(&self, vault: &Vault, input: &Value) -> Result<String, ToolError> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Fixed(template) => text.push_str(vault.fill(template)?.expose()),
                Piece::Parameter(name) => {
                    text.push_str(&given(input, name).map(written).unwrap_or_default());
                }
            }
        }
        Ok(text)
    }
}

/// Returns a parameter of a call; `null` counts as absent.
pub(super) fn given<'a>(input: &'a Value, name: &str) -> Option<&'a Value> {
    input.get(name).filter(|value| !value.is_null())
}

/// Writes a value as text: a text as it is, everything else as JSON.
pub(super) fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads `{name}` at the beginning of a text.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_name.then_some((name, after))
}

/// Reads what begins like a placeholder and is none; variables are left to the template.
fn plain(text: &str) -> (String, &str) {
    if let Some(after) = text.strip_prefix("$${") {
        return ("$${".to_owned(), after);
    }
    if text.starts_with("${") {
        let end = text.find('}').map_or(text.len(), |end| end + 1);
        let (variable, after) = text.split_at(end);
        return (variable.to_owned(), after);
    }
    let doubled = text.strip_prefix('{').and_then(placeholder);
    if let Some((name, after)) = doubled
        && let Some(after) = after.strip_prefix('}')
    {
        return (format!("{{{name}}}"), after);
    }
    let mut characters = text.chars();
    (characters.next().map(String::from).unwrap_or_default(), characters.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toolsmith_core::{Redactor, json};

    use super::*;

    fn fill(text: &str, input: &Value) -> Option<String> {
        let vault = Vault::with_values([("KEY", "{name}")], Redactor::default());
        let phrase = Phrase::parse(text).unwrap();
        phrase.fill(&vault, input).unwrap().map(|filled| filled.text)
    }

    #[test]
    fn parameters_and_variables_are_filled_in_once() {
        let input = json!({ "name": "${KEY}", "n": 3, "list": [1, "a"] });
        assert_eq!(fill("<{name}>", &input).unwrap(), "<${KEY}>");
        assert_eq!(fill("${KEY}/{n}", &input).unwrap(), "{name}/3");
        assert_eq!(fill("x={list}", &input).unwrap(), "x=[1,\"a\"]");
        assert_eq!(fill("${NOPE:d}", &input).unwrap(), "d");
        assert_eq!(fill("{gone}", &input), None);
    }

    #[test]
    fn other_braces_stand_for_themselves() {
        let input = json!({ "name": "x" });
        for text in ["{\"a\":{\"b\":1}}", "{print $1}", "{}", "{ name }", "a$b", "{1}", "}{", "$"] {
            assert_eq!(fill(text, &input).unwrap(), text);
        }
        assert_eq!(fill("{{name}} $${name}", &input).unwrap(), "{name} ${name}");
    }

    proptest! {
        /// What the check of definitions takes is taken here: nobody else tells about the rest.
        #[test]
        fn it_takes_what_a_template_takes(text in "[${}:a-cA_ -]{0,24}") {
            prop_assert_eq!(Phrase::parse(&text).is_ok(), Template::parse(&text).is_ok());
        }

        #[test]
        fn no_text_makes_it_panic(text in "[${}:a-cA_ -]{0,24}") {
            Phrase::parse(&text).ok();
        }

        #[test]
        fn text_without_marks_is_kept_to_the_byte(text in "[^${]*") {
            prop_assert_eq!(fill(&text, &json!({})).unwrap(), text);
        }

        #[test]
        fn values_are_never_read_again(value in "[${}a-zA-Z]{0,16}") {
            let input = json!({ "name": value });
            prop_assert_eq!(fill("{name}", &input).unwrap(), value);
        }
    }
}
