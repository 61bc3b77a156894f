//! The places of a request that a value goes to, each with its style.

use toolsmith_core::{Fields, Value, describe};
use toolsmith_net::HeaderName;

use super::{
    body::Shape,
    pattern::{Pattern, Values},
    style::{Place, Style, is_styled},
};
use crate::texts;

/// A pair of a query or a form.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) shape: Shape,
    pub(super) style: Style,
}

/// The text of a header or a cookie.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) pattern: Pattern,
    style: Style,
}

/// A field of a form: what stands in it, and how it is sent as a file.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) slot: Slot,
    pub(super) filename: Option<Pattern>,
    pub(super) content_type: Option<String>,
}

/// The keys of a field that is sent as a part of its own.
const OF_A_PART: [&str; 2] = ["filename", "content_type"];

impl Slot {
    fn usual(value: &Value) -> Option<Self> {
        Some(Self { shape: Shape::parse(value).ok()?, style: Style::default() })
    }
}

impl Line {
    /// Fills it in as a header; nothing when a parameter is absent.
    pub(super) fn header(
        &self,
        values: Values<'_>,
    ) -> Result<Option<String>, toolsmith_core::ToolError> {
        match self.pattern.whole().filter(|_| !self.style.is_usual()) {
            Some(name) => Ok(values.get(name).map(|value| self.style.header(value))),
            None => self.pattern.fill_plain(values),
        }
    }

    /// Fills it in as cookies.
    pub(super) fn cookies(
        &self,
        name: &str,
        values: Values<'_>,
    ) -> Result<Vec<String>, toolsmith_core::ToolError> {
        if let Some(parameter) = self.pattern.whole() {
            let value = values.get(parameter);
            return Ok(value.map(|value| self.style.cookies(name, value)).unwrap_or_default());
        }
        let text = self.pattern.fill_plain(values)?;
        Ok(text.map(|text| self.style.cookies(name, &text.into())).unwrap_or_default())
    }
}

/// Reads the pairs of the query.
pub(super) fn query(entry: &mut Fields<'_>) -> Vec<(String, Slot)> {
    let mut found = Vec::new();
    for (name, value) in entry.map("query").into_iter().flatten() {
        let slot = match styled(entry, "query", (name, value), &[]) {
            Some(mut fields) => {
                let style = Style::read(&mut fields, Place::Query);
                let shape = fields.any("value").and_then(|value| Shape::parse(value).ok());
                entry.leave(fields);
                shape.map(|shape| Slot { shape, style })
            }
            None => Slot::usual(value),
        };
        found.extend(slot.map(|slot| (name.clone(), slot)));
    }
    found
}

/// Reads the fields of a form.
pub(super) fn parts(entry: &mut Fields<'_>) -> Vec<(String, Part)> {
    let mut found = Vec::new();
    for (name, value) in entry.map("body").into_iter().flatten() {
        let part = match styled(entry, "body", (name, value), &OF_A_PART) {
            Some(mut fields) => {
                let style = match fields.any("style").or(fields.any("explode")) {
                    Some(_) => Style::read(&mut fields, Place::Query),
                    None => Style::default(),
                };
                let filename = fields.text("filename").and_then(|text| Pattern::parse(text).ok());
                let content_type = texts::literal(&mut fields, "content_type").map(str::to_owned);
                let shape = fields.any("value").and_then(|value| Shape::parse(value).ok());
                entry.leave(fields);
                shape.map(|shape| Part { slot: Slot { shape, style }, filename, content_type })
            }
            None => {
                Slot::usual(value).map(|slot| Part { slot, filename: None, content_type: None })
            }
        };
        found.extend(part.map(|part| (name.clone(), part)));
    }
    found
}

/// Reads the headers.
pub(super) fn headers(entry: &mut Fields<'_>) -> Vec<(HeaderName, Line)> {
    let mut found = Vec::new();
    for (name, value) in entry.map("headers").into_iter().flatten() {
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
            let message = format!("`{name}` is no name of a header");
            super::plan::blame_key(entry, &format!("headers/{}", texts::escaped(name)), message);
            continue;
        };
        let line = line(entry, "headers", (name, value), Place::Header);
        found.extend(line.map(|line| (header, line)));
    }
    found
}

/// Reads the cookies.
pub(super) fn cookies(entry: &mut Fields<'_>) -> Vec<(String, Line)> {
    let mut found = Vec::new();
    for (name, value) in entry.map("cookies").into_iter().flatten() {
        if !is_cookie_name(name) {
            let message = format!("`{name}` is no name of a cookie");
            super::plan::blame_key(entry, &format!("cookies/{}", texts::escaped(name)), message);
            continue;
        }
        let line = line(entry, "cookies", (name, value), Place::Cookie);
        found.extend(line.map(|line| (name.clone(), line)));
    }
    found
}

/// Tells whether a text can be the name of a cookie: a token, as names of headers are.
pub(super) fn is_cookie_name(name: &str) -> bool {
    HeaderName::from_bytes(name.as_bytes()).is_ok()
}

fn line<'a>(
    entry: &mut Fields<'a>,
    key: &'static str,
    (name, value): (&str, &'a Value),
    place: Place,
) -> Option<Line> {
    if let Some(mut fields) = styled(entry, key, (name, value), &[]) {
        let style = Style::read(&mut fields, place);
        let pattern = fields.text("value").and_then(|text| Pattern::parse(text).ok());
        entry.leave(fields);
        return pattern.map(|pattern| Line { pattern, style });
    }
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        other => {
            let place = format!("{key}/{}", texts::escaped(name));
            entry.blame_at(&place, format!("expected text, found {}", describe(other)));
            return None;
        }
    };
    let style = Style::default();
    Pattern::parse(&text).ok().map(|pattern| Line { pattern, style })
}

/// Begins to read a value that says its style.
fn styled<'a>(
    entry: &Fields<'_>,
    key: &str,
    (name, value): (&str, &'a Value),
    more: &[&str],
) -> Option<Fields<'a>> {
    value.as_object().filter(|map| is_styled(map, more))?;
    Fields::of(value, format!("{}/{key}/{}", entry.pointer(), texts::escaped(name))).ok()
}
