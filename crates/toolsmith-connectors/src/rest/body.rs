//! The body of a request: a template of any shape, or what is left of the input.

use toolsmith_core::{TemplateError, ToolError, Value};
use toolsmith_net::Bytes;

use super::{
    files::{self, Section},
    pattern::{Pattern, Values, plain},
    request::add_pairs,
    slot::Part,
    style::Style,
};

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
    Multipart,
    Binary,
}

impl BodyType {
    /// The names, as definitions write them.
    pub(super) const NAMES: [&'static str; 5] = ["json", "form", "text", "multipart", "binary"];

    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "form" => Self::Form,
            "text" => Self::Text,
            "multipart" => Self::Multipart,
            "binary" => Self::Binary,
            _ => Self::Json,
        }
    }

    /// Tells whether it is made of fields.
    pub(super) fn has_fields(self) -> bool {
        matches!(self, Self::Form | Self::Multipart)
    }

    /// Writes a body; returns its media type too.
    pub(super) fn write(self, body: &Value) -> Result<Written, ToolError> {
        let written =
            |media_type: &str, bytes: Bytes| Written { media_type: media_type.to_owned(), bytes };
        Ok(match (self, body) {
            (Self::Json, body) => written("application/json", body.to_string().into()),
            (Self::Form | Self::Multipart, Value::Object(fields)) => {
                let fields: Vec<Filled> =
                    fields.iter().map(|(name, value)| Filled::usual(name, value.clone())).collect();
                return self.write_fields(&fields);
            }
            (Self::Form, body) => written(FORM, plain(body).into()),
            (Self::Text, body) => written("text/plain; charset=utf-8", plain(body).into()),
            (Self::Binary | Self::Multipart, body) => {
                let files::Content { bytes, media_type } = files::content(body)?;
                written(media_type.as_deref().unwrap_or(BYTES), bytes.into())
            }
        })
    }

    /// Writes the fields of a form.
    pub(super) fn write_fields(self, fields: &[Filled]) -> Result<Written, ToolError> {
        if self == Self::Multipart {
            let sections = fields.iter().map(Filled::sections).collect::<Result<Vec<_>, _>>()?;
            let (media_type, bytes) = files::multipart(&sections.concat());
            return Ok(Written { media_type, bytes });
        }
        let pairs: Vec<String> = fields.iter().flat_map(Filled::pairs).collect();
        Ok(Written { media_type: FORM.to_owned(), bytes: pairs.join("&").into() })
    }
}

const FORM: &str = "application/x-www-form-urlencoded";
const BYTES: &str = "application/octet-stream";

/// A body as it is sent.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) media_type: String,
    pub(super) bytes: Bytes,
}

/// A field of a form with its value.
#[derive(Debug)]
pub(super) struct Filled {
    name: String,
    value: Value,
    style: Style,
    filename: Option<String>,
    content_type: Option<String>,
}

impl Filled {
    fn usual(name: &str, value: Value) -> Self {
        let style = Style::default();
        Self { name: name.to_owned(), value, style, filename: None, content_type: None }
    }

    /// Fills in a field; nothing when a parameter is absent.
    pub(super) fn of(
        name: &str,
        part: &Part,
        values: Values<'_>,
    ) -> Result<Option<Self>, ToolError> {
        let Some(value) = part.slot.shape.fill(values)? else { return Ok(None) };
        let filename =
            part.filename.as_ref().map(|pattern| pattern.fill_plain(values)).transpose()?;
        // A file without a name of its own is called as its field: servers know files by it.
        let filename = filename.map(|filename| filename.unwrap_or_else(|| name.to_owned()));
        Ok(Some(Self {
            name: name.to_owned(),
            value,
            style: part.slot.style.clone(),
            filename,
            content_type: part.content_type.clone(),
        }))
    }

    fn pairs(&self) -> Vec<String> {
        if !self.style.is_usual() {
            return self.style.pairs(&self.name, &self.value);
        }
        let mut pairs = Vec::new();
        add_pairs(&mut pairs, &self.name, &self.value);
        pairs
    }

    /// Returns its parts: one for each item of a list.
    fn sections(&self) -> Result<Vec<Section>, ToolError> {
        let items = match &self.value {
            Value::Null => &[],
            Value::Array(items) if self.style.is_usual() => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        items.iter().map(|item| self.section(item)).collect()
    }

    fn section(&self, item: &Value) -> Result<Section, ToolError> {
        let (name, given) = (self.name.clone(), self.content_type.clone());
        if let Some(filename) = &self.filename {
            let files::Content { bytes, media_type } = files::content(item)?;
            let media_type = given.or(media_type).or_else(|| Some(BYTES.to_owned()));
            return Ok(Section { name, filename: Some(filename.clone()), media_type, bytes });
        }
        let is_json = item.is_object() || item.is_array() || !self.style.is_usual();
        let (bytes, media_type) = if is_json {
            (item.to_string(), Some("application/json".to_owned()))
        } else {
            (plain(item), None)
        };
        let media_type = given.or(media_type);
        Ok(Section { name, filename: None, media_type, bytes: bytes.into_bytes() })
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

#[cfg(test)]
mod tests {
    use toolsmith_core::{Redactor, Vault, json};

    use super::*;

    fn fill(shape: &Value, input: &Value) -> Option<Value> {
        let vault = Vault::with_values([("KEY", "k")], Redactor::default());
        let values = Values { input: input.as_object().unwrap(), vault: &vault, nulls: &[] };
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
        let write = |kind: BodyType, body: &Value| kind.write(body).unwrap().bytes;
        assert_eq!(write(BodyType::Form, &body), "a=x+y%26z&b=1&b=2&d=true");
        assert_eq!(write(BodyType::Text, &json!("as is")), "as is");
        assert_eq!(write(BodyType::Json, &json!("x")), "\"x\"");
        assert_eq!(write(BodyType::Binary, &json!("data:a/b;base64,eHk=")), "xy");
    }
}
