//! Text with `${VAR}`, `${VAR:default}` and `${file:path}` in it, filled in when it is used.

use std::fmt;

use crate::{Secret, Variables};

/// A text whose variables and files are looked up at the last moment.
///
/// ```
/// use toolsmith_core::{Redactor, Template, Vault};
///
/// let template = Template::parse("https://${HOST:localhost}/v1").unwrap();
/// let vault = Vault::with_values([("OTHER", "x")], Redactor::default());
/// assert_eq!(vault.fill(&template).unwrap().expose(), "https://localhost/v1");
/// assert_eq!(template.to_string(), "https://***/v1");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    /// Whether the whole text is a secret, wherever its pieces come from.
    is_secret: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable { name: String, default: Option<String> },
    File(String),
}

/// A template filled in.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The whole text.
    pub text: Secret<String>,
    /// The pieces that came from variables and files, for redaction; defaults are not among them.
    ///
    /// Of a text that is a secret as such, the whole is among them.
    pub secrets: Vec<Secret<String>>,
}

/// Why a template could not be read or filled in, as a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError(String);

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Takes a text as it is.
    pub fn literal(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Literal(text.into())], is_secret: false }
    }

    /// The same, whose whole text is a secret also where it is written down plainly.
    #[must_use]
    pub fn into_secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// Finds the variables and files in a text; `$${` stands for a plain `${`.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, from) = rest.split_at(start);
            let from = from.get(2..).unwrap_or_default();
            if let Some(before) = before.strip_suffix('$') {
                literal.push_str(before);
                literal.push_str("${");
                rest = from;
                continue;
            }
            literal.push_str(before);
            let (inside, after) = from.split_once('}').ok_or_else(|| {
                TemplateError("`${` has no closing `}`; write `$${` for a plain `${`".to_owned())
            })?;
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(placeholder(inside)?);
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() || parts.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Self { parts, is_secret: false })
    }

    /// Fills in the variables and files.
    pub fn resolve(&self, variables: &dyn Variables) -> Result<Resolved, TemplateError> {
        let mut text = String::new();
        let mut secrets = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Variable { name, default } => match (variables.variable(name), default) {
                    (Some(value), _) => {
                        text.push_str(&value);
                        secrets.push(Secret::new(value));
                    }
                    (None, Some(default)) => text.push_str(default),
                    (None, None) => return Err(unset(name)),
                },
                Part::File(path) => {
                    let value = variables.file(path).map_err(TemplateError)?;
                    text.push_str(&value);
                    secrets.push(Secret::new(value));
                }
            }
        }
        if self.is_secret {
            secrets.push(Secret::new(text.clone()));
        }
        Ok(Resolved { text: Secret::new(text), secrets })
    }

    /// Says what is missing to fill it in; files are only looked for, not read.
    pub fn missing(&self, variables: &dyn Variables) -> Vec<TemplateError> {
        let is_missing = |part: &Part| match part {
            Part::Variable { name, default: None } if variables.variable(name).is_none() => {
                Some(unset(name))
            }
            Part::File(path) if !variables.has_file(path) => {
                Some(TemplateError(format!("the file `{path}` is not there")))
            }
            _ => None,
        };
        self.parts.iter().filter_map(is_missing).collect()
    }
}

/// Shows the text with `***` for each variable and file, or for all of a secret.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_secret {
            return f.write_str("***");
        }
        self.parts.iter().try_for_each(|part| match part {
            Part::Literal(text) => f.write_str(text),
            Part::Variable { .. } | Part::File(_) => f.write_str("***"),
        })
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({self})")
    }
}

fn placeholder(inside: &str) -> Result<Part, TemplateError> {
    let (name, default) = match inside.split_once(':') {
        Some(("file", path)) if !path.is_empty() => return Ok(Part::File(path.to_owned())),
        Some((name, default)) => (name, Some(default.to_owned())),
        None => (inside, None),
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(TemplateError(format!(
            "`${{{inside}}}` is none of `${{NAME}}`, `${{NAME:default}}`, `${{file:path}}`; \
             write `$${{` for a plain `${{`"
        )));
    }
    Ok(Part::Variable { name: name.to_owned(), default })
}

fn unset(name: &str) -> TemplateError {
    TemplateError(format!("the variable `{name}` is not set and has no default"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug)]
    struct Fixed;

    impl Variables for Fixed {
        fn variable(&self, name: &str) -> Option<String> {
            let known = [("KEY", "s3cret"), ("EMPTY", "")];
            known.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        }

        fn file(&self, path: &str) -> Result<String, String> {
            if path == "key" { Ok("from file".to_owned()) } else { Err("no such file".to_owned()) }
        }

        fn has_file(&self, path: &str) -> bool {
            path == "key"
        }
    }

    fn resolve(text: &str) -> Result<String, String> {
        let template = Template::parse(text).map_err(|error| error.to_string())?;
        let resolved = template.resolve(&Fixed).map_err(|error| error.to_string())?;
        Ok(resolved.text.expose().clone())
    }

    #[test]
    fn variables_and_defaults_are_filled_in() {
        assert_eq!(resolve("").unwrap(), "");
        assert_eq!(resolve("plain $5 {x}").unwrap(), "plain $5 {x}");
        assert_eq!(resolve("a ${KEY} b").unwrap(), "a s3cret b");
        assert_eq!(resolve("${KEY}${KEY}").unwrap(), "s3crets3cret");
        assert_eq!(resolve("${NOPE:x:y}").unwrap(), "x:y");
        assert_eq!(resolve("${NOPE:}").unwrap(), "");
        assert_eq!(resolve("${EMPTY:x}").unwrap(), "");
        assert_eq!(resolve("$${KEY}").unwrap(), "${KEY}");
    }

    #[test]
    fn what_cannot_be_filled_in_is_said() {
        assert_eq!(
            resolve("${NOPE}").unwrap_err(),
            "the variable `NOPE` is not set and has no default"
        );
        assert_eq!(
            resolve("${KEY").unwrap_err(),
            "`${` has no closing `}`; write `$${` for a plain `${`"
        );
        assert_eq!(
            resolve("${a b}").unwrap_err(),
            "`${a b}` is none of `${NAME}`, `${NAME:default}`, `${file:path}`; \
             write `$${` for a plain `${`"
        );
        assert_eq!(resolve("${file:nowhere}").unwrap_err(), "no such file");
        assert_eq!(resolve("<${file:key}>").unwrap(), "<from file>");
    }

    #[test]
    fn missing_things_are_listed_without_stopping() {
        let template = Template::parse("${A} ${B:x} ${C} ${file:nowhere}").unwrap();
        let missing: Vec<String> =
            template.missing(&Fixed).iter().map(ToString::to_string).collect();
        assert_eq!(
            missing,
            [
                "the variable `A` is not set and has no default",
                "the variable `C` is not set and has no default",
                "the file `nowhere` is not there"
            ]
        );
    }

    #[test]
    fn secrets_are_the_looked_up_pieces_and_nothing_else() {
        let template = Template::parse("Bearer ${KEY} ${NOPE:default}").unwrap();
        let resolved = template.resolve(&Fixed).unwrap();
        assert_eq!(resolved.secrets, [Secret::new("s3cret".to_owned())]);
        assert!(!format!("{resolved:?}").contains("s3cret"));
        assert_eq!(template.to_string(), "Bearer *** ***");
        let plain = Template::parse("written-down-key").unwrap().into_secret();
        assert_eq!(format!("{plain} {plain:?}"), "*** Template(***)");
    }

    proptest! {
        #[test]
        fn text_without_placeholders_is_kept_to_the_byte(text in "[^$]*") {
            prop_assert_eq!(resolve(&text).unwrap(), text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[${}:a-cA-C_ ]{0,24}") {
            resolve(&text).ok();
        }
    }
}
