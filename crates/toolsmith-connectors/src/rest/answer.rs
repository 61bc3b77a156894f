//! What a tool returns of an answer.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolsmith_core::{Fields, Map, ToolError, Value, describe, json};
use toolsmith_net::{HeaderName, Response};

use crate::texts;

/// What a tool returns of an answer: all of it, a part, or chosen fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Mapping {
    path: Option<String>,
    fields: Vec<(String, String)>,
    headers: Vec<(String, HeaderName)>,
}

impl Mapping {
    /// Reads the key `response` of an entry.
    pub(super) fn read(entry: &mut Fields<'_>) -> Self {
        let Some(mut fields) = entry.enter("response") else { return Self::default() };
        let path = texts::literal(&mut fields, "path").map(str::to_owned);
        let chosen = literals(&mut fields, "fields");
        let mut headers = Vec::new();
        for (name, header) in literals(&mut fields, "headers") {
            match HeaderName::from_bytes(header.as_bytes()) {
                Ok(header) => headers.push((name, header)),
                Err(_) => fields.blame("headers", format!("`{header}` is no name of a header")),
            }
        }
        if chosen.is_empty() && !headers.is_empty() {
            fields.blame("headers", "it goes with `fields`, which says what the output is made of");
        }
        entry.leave(fields);
        Self { path, fields: chosen, headers }
    }

    /// Returns the output of a success.
    pub(super) fn apply(&self, response: &Response) -> Result<Value, ToolError> {
        let mut body = body(response);
        if let Some(path) = &self.path {
            body = find(&body, path).cloned().ok_or_else(|| absent(path, &body))?;
        }
        if self.fields.is_empty() {
            return Ok(body);
        }
        let chosen = self.fields.iter();
        let chosen =
            chosen.map(|(name, path)| (name, find(&body, path).cloned().unwrap_or_default()));
        let header = |header| response.header(header).map_or(Value::Null, Value::from);
        let headers = self.headers.iter().map(|(name, from)| (name, header(from)));
        Ok(chosen.chain(headers).map(|(name, value)| (name.clone(), value)).collect())
    }
}

/// Returns the whole answer: `{status, headers, body}`.
pub(super) fn whole(response: &Response) -> Value {
    let mut headers = Map::new();
    for (name, value) in &response.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        match headers.get_mut(name.as_str()) {
            Some(Value::String(before)) => *before = format!("{before}, {value}"),
            _ => drop(headers.insert(name.to_string(), value.into())),
        }
    }
    json!({ "status": response.status.as_u16(), "headers": headers, "body": body(response) })
}

/// Returns the body: JSON as its value, text as text, nothing as null, bytes as a data URL.
fn body(response: &Response) -> Value {
    if response.body.is_empty() {
        return Value::Null;
    }
    let media_type = response.media_type();
    // Many APIs send JSON under another name; text that happens to be a number stays text.
    let is_json = media_type.contains("json")
        || response
            .body
            .iter()
            .find(|byte| !byte.is_ascii_whitespace())
            .is_some_and(|first| b"{[".contains(first));
    if is_json && let Ok(value) = serde_json::from_slice(&response.body) {
        return value;
    }
    let is_text = media_type.starts_with("text/") || media_type.contains("xml");
    match str::from_utf8(&response.body) {
        Ok(text) => text.into(),
        Err(_) if is_text => response.text().into(),
        Err(_) => format!("data:{media_type};base64,{}", STANDARD.encode(&response.body)).into(),
    }
}

/// Finds a place by a JSON Pointer (`/a/0/b`) or with dots (`a.0.b`, `a[0].b`).
fn find<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() || path.starts_with('/') {
        return value.pointer(path);
    }
    let path = path.trim_start_matches("$.").replace('[', ".").replace(']', "");
    path.split('.').filter(|step| !step.is_empty()).try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        Value::Object(fields) => fields.get(step),
        _ => None,
    })
}

/// Says that an answer does not have the part that is its point.
fn absent(path: &str, body: &Value) -> ToolError {
    let found = match body {
        Value::Object(fields) => {
            let keys = fields.keys().take(10).map(String::as_str).collect::<Vec<_>>();
            format!("a map of: {}", keys.join(", "))
        }
        other => describe(other),
    };
    ToolError::failed(format!(
        "The answer has nothing at `{path}`, where the tool's `response.path` looks. It is {found}."
    ))
}

fn literals(fields: &mut Fields<'_>, key: &'static str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in fields.map(key).into_iter().flatten() {
        let place = format!("{key}/{}", texts::escaped(name));
        match value.as_str() {
            Some(text) if texts::has_variable(text) => {
                fields.blame_at(&place, texts::NOT_FILLED_IN);
            }
            Some(text) => found.push((name.clone(), text.to_owned())),
            None => fields.blame_at(&place, format!("expected text, found {}", describe(value))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_by_pointer_and_with_dots() {
        let value = json!({ "a": [{ "b.c": 1, "d": 2 }], "e/f": 3 });
        for (path, found) in [
            ("/a/0/d", Some(2)),
            ("a.0.d", Some(2)),
            ("a[0].d", Some(2)),
            ("$.a[0].d", Some(2)),
            ("/a/0/b.c", Some(1)),
            ("/e~1f", Some(3)),
            ("a.1.d", None),
            ("a.x", None),
            ("/q", None),
        ] {
            assert_eq!(find(&value, path), found.map(Value::from).as_ref(), "{path}");
        }
        assert_eq!(find(&value, ""), Some(&value));
    }
}
