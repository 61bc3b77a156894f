//! Text with `{parameter}` of the input and `${VARIABLE}` of the operator in it.

use toolsmith_core::{Map, Template, TemplateError, ToolError, Value, Vault};

/// A text that is filled in when a call is made.
///
/// What the operator wrote and what the input says are told apart when the text is read, so a
/// value of either can never be taken for a placeholder.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pieces: Vec<Piece>,
    /// Whether something of the operator's is filled in, which nobody else may get.
    pub(super) has_secret: bool,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(Template),
    Parameter(String),
}

/// What a pattern is filled in with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'a> {
    pub(super) input: &'a Map<String, Value>,
    pub(super) vault: &'a Vault,
    /// The parameters whose null is a value.
    pub(super) nulls: &'a [String],
}

impl<'a> Values<'a> {
    /// Returns a parameter; null counts as absent, unless the definition keeps it.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        let is_kept = || self.nulls.iter().any(|kept| kept == name);
        self.input.get(name).filter(|value| !value.is_null() || is_kept())
    }
}

impl Pattern {
    /// Reads a text; `{{name}}` stands for a plain `{name}`, and other braces for themselves.
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let (before, from) = rest.split_at(start);
            literal.push_str(before);
            if before.ends_with('$') {
                let end = from.find('}').map_or(from.len(), |end| end + 1);
                let (variable, after) = from.split_at(end);
                literal.push_str(variable);
                rest = after;
            } else if let Some((name, after)) = placeholder(from, "{{", "}}") {
                literal.extend(["{", name, "}"]);
                rest = after;
            } else if let Some((name, after)) = placeholder(from, "{", "}") {
                if !literal.is_empty() {
                    pieces.push(Piece::Text(Template::parse(&std::mem::take(&mut literal))?));
                }
                pieces.push(Piece::Parameter(name.to_owned()));
                rest = after;
            } else {
                literal.push('{');
                rest = from.get(1..).unwrap_or_default();
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Text(Template::parse(&literal)?));
        }
        Ok(Self { pieces, has_secret: text.contains("${") })
    }

    /// Returns the parameters that it needs.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Parameter(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// Returns the parameter that it is, when it is nothing but one.
    pub(super) fn whole(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Parameter(name)] => Some(name),
            _ => None,
        }
    }

    /// Fills it in, with each parameter rewritten; nothing when a parameter is absent.
    pub(super) fn fill(
        &self,
        values: Values<'_>,
        rewrite: impl Fn(&str, &Value) -> Result<String, ToolError>,
    ) -> Result<Option<String>, ToolError> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(template) => text.push_str(values.vault.fill(template)?.expose()),
                Piece::Parameter(name) => {
                    let Some(value) = values.get(name) else { return Ok(None) };
                    text.push_str(&rewrite(name, value)?);
                }
            }
        }
        Ok(Some(text))
    }

    /// Fills it in with the parameters as they are.
    pub(super) fn fill_plain(&self, values: Values<'_>) -> Result<Option<String>, ToolError> {
        self.fill(values, |_, value| Ok(plain(value)))
    }
}

/// Writes a value as text: lists with commas, objects as JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Takes a name between two marks off the beginning of a text.
fn placeholder<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    let inside = text.strip_prefix(open)?;
    let end = inside.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    let (name, rest) = inside.split_at_checked(end)?;
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    rest.strip_prefix(close).filter(|_| begins).map(|after| (name, after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toolsmith_core::{Redactor, json};

    use super::*;

    fn fill(text: &str) -> Option<String> {
        let input = json!({ "id": 7, "name": "{id} ${KEY}", "list": ["a", 1], "none": null });
        let vault = Vault::with_values([("KEY", "k{id}")], Redactor::default());
        let values = Values { input: input.as_object().unwrap(), vault: &vault, nulls: &[] };
        Pattern::parse(text).unwrap().fill_plain(values).unwrap()
    }

    #[test]
    fn parameters_and_variables_are_filled_in_and_never_taken_for_each_other() {
        for (text, filled) in [
            ("", ""),
            ("plain", "plain"),
            ("{id}", "7"),
            ("a{id}b{id}", "a7b7"),
            ("{name}", "{id} ${KEY}"),
            ("${KEY}/{id}", "k{id}/7"),
            ("${NO:x}{list}", "xa,1"),
            ("{{id}} {id}", "{id} 7"),
            ("{\"a\": {\"b\": {id}}}", "{\"a\": {\"b\": 7}}"),
            ("{ id } {} {1}", "{ id } {} {1}"),
        ] {
            assert_eq!(fill(text).as_deref(), Some(filled), "{text}");
        }
        assert_eq!(fill("x{none}"), None);
        assert_eq!(fill("x{absent}"), None);
    }

    #[test]
    fn what_it_needs_is_known() {
        let pattern = Pattern::parse("{a}/${V}/{b-c}").unwrap();
        assert_eq!(pattern.parameters().collect::<Vec<_>>(), ["a", "b-c"]);
        assert_eq!((pattern.whole(), pattern.has_secret), (None, true));
        assert_eq!(Pattern::parse("{a}").unwrap().whole(), Some("a"));
        assert!(Pattern::parse("${A").is_err());
    }

    proptest! {
        /// What the check of definitions takes is taken here: nobody else tells about the rest.
        #[test]
        fn it_takes_what_a_template_takes(text in "[${}:a-cA_ -]{0,24}") {
            prop_assert_eq!(Pattern::parse(&text).is_ok(), Template::parse(&text).is_ok());
        }
    }
}
