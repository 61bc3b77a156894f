//! The body of a request: a template of any shape, or what is left of the input.

use toolsmith_core::{Map, TemplateError, ToolError, Value};
use toolsmith_net::Bytes;
use url::form_urlencoded::Serializer;

use super::pattern::{Pattern, Values, plain};

/// A value with placeholders in its texts.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Text(Pattern),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
    Fixed(Value),
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyType {
    Json,
    Form,
    Text,
}

impl BodyType {
    /// The names, as definitions write them.
    pub(super) const NAMES: [&'static str; 3] = ["json", "form", "text"];

    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "form" => Self::Form,
            "text" => Self::Text,
            _ => Self::Json,
        }
    }

    /// Returns the media type.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Form => "application/x-www-form-urlencoded",
            Self::Text => "text/plain; charset=utf-8",
        }
    }

    /// Writes a body.
    pub(super) fn write(self, body: &Value) -> Bytes {
        match (self, body) {
            (Self::Json, body) => body.to_string().into(),
            (Self::Form, Value::Object(fields)) => form(fields).into(),
            (Self::Form | Self::Text, body) => plain(body).into(),
        }
    }
}

impl Shape {
    /// Reads a template.
    pub(super) fn parse(value: &Value) -> Result<Self, TemplateError> {
        Ok(match value {
            Value::String(text) => Self::Text(Pattern::parse(text)?),
            Value::Array(items) => {
                Self::List(items.iter().map(Self::parse).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let read =
                    |(name, value): (&String, &Value)| Ok((name.clone(), Self::parse(value)?));
                Self::Object(fields.iter().map(read).collect::<Result<_, _>>()?)
            }
            fixed => Self::Fixed(fixed.clone()),
        })
    }

    /// Adds the parameters that it needs to a list.
    pub(super) fn parameters<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::Text(pattern) => found.extend(pattern.parameters()),
            Self::List(items) => items.iter().for_each(|item| item.parameters(found)),
            Self::Object(fields) => fields.iter().for_each(|(_, field)| field.parameters(found)),
            Self::Fixed(_) => {}
        }
    }

    /// Fills it in; a text that is a whole placeholder takes the value with its type, and what
    /// needs an absent parameter is left out.
    pub(super) fn fill(&self, values: Values<'_>) -> Result<Option<Value>, ToolError> {
        Ok(match self {
            Self::Text(pattern) => match pattern.whole() {
                Some(name) => values.get(name).cloned(),
                None => pattern.fill_plain(values)?.map(Value::String),
            },
            Self::List(items) => {
                let filled = items.iter().filter_map(|item| item.fill(values).transpose());
                Some(Value::Array(filled.collect::<Result<_, _>>()?))
            }
            Self::Object(fields) => {
                let fill = |(name, field): &(String, Self)| {
                    let filled = field.fill(values).transpose()?;
                    Some(filled.map(|value| (name.clone(), value)))
                };
                Some(Value::Object(fields.iter().filter_map(fill).collect::<Result<_, _>>()?))
            }
            Self::Fixed(value) => Some(value.clone()),
        })
    }
}

/// Writes fields as a form; a list repeats its name, and null is left out.
fn form(fields: &Map<String, Value>) -> String {
    let mut form = Serializer::new(String::new());
    for (name, value) in fields {
        let items = match value {
            Value::Null => &[],
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        for item in items {
            form.append_pair(name, &plain(item));
        }
    }
    form.finish()
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{Redactor, Vault, json};

    use super::*;

    fn fill(shape: &Value, input: &Value) -> Option<Value> {
        let vault = Vault::with_values([("KEY", "k")], Redactor::default());
        let values = Values { input: input.as_object().unwrap(), vault: &vault };
        Shape::parse(shape).unwrap().fill(values).unwrap()
    }

    #[test]
    fn a_whole_placeholder_takes_the_value_with_its_type() {
        let shape = json!({
            "n": "{n}", "o": "{o}", "text": "n={n}", "key": "${KEY}", "fixed": [1, true, null],
            "gone": "{gone}", "half": "x{gone}", "list": ["{n}", "{gone}", { "deep": "{gone}" }]
        });
        let input = json!({ "n": 3, "o": { "a": [1] } });
        assert_eq!(
            fill(&shape, &input).unwrap(),
            json!({
                "n": 3, "o": { "a": [1] }, "text": "n=3", "key": "k", "fixed": [1, true, null],
                "list": [3, {}]
            })
        );
        assert_eq!(fill(&json!("{o}"), &input), Some(json!({ "a": [1] })));
        assert_eq!(fill(&json!("{gone}"), &input), None);
    }

    #[test]
    fn a_form_repeats_lists_and_leaves_out_nothing() {
        let body = json!({ "a": "x y&z", "b": [1, 2], "c": null, "d": true });
        assert_eq!(BodyType::Form.write(&body), "a=x+y%26z&b=1&b=2&d=true");
        assert_eq!(BodyType::Text.write(&json!("as is")), "as is");
        assert_eq!(BodyType::Json.write(&json!("x")), "\"x\"");
    }
}
