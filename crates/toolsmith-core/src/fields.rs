//! Reads an object of a definition key by key, and collects everything that is wrong with it.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{Template, suggestion};

/// Something wrong with a definition, and where: the file's line is found by the pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where in the document: a JSON Pointer.
    pub pointer: String,
    /// Whether the key is wrong or its value.
    pub spot: Spot,
    /// What is wrong and what is expected, without a full stop.
    pub message: String,
}

/// Which half of a field a fault concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The key itself: it is unknown, or does not go with another.
    Key,
    /// The value.
    Value,
}

/// An object of a definition that is being read.
///
/// Every key that is asked for counts as known. [`Fields::finish`] complains about the others, with
/// the nearest known key, so a reader never lists its keys twice.
///
/// ```
/// use toolsmith_core::{Fields, json};
///
/// let entry = json!({ "comand": "date", "timeout": "soon" });
/// let mut fields = Fields::of(&entry, "/entry").unwrap();
/// assert_eq!(fields.text("command"), None);
/// assert_eq!(fields.seconds("timeout"), None);
/// let faults = fields.finish();
/// assert_eq!(faults[0].message, "expected a number of seconds, found the text \"soon\"");
/// assert_eq!(faults[1].message, "unknown key `comand`. Did you mean `command`?");
/// ```
#[derive(Debug)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    pointer: String,
    known: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl<'a> Fields<'a> {
    /// Begins to read an object; a value that is none is the fault.
    pub fn of(value: &'a Value, pointer: impl Into<String>) -> Result<Self, Fault> {
        let pointer = pointer.into();
        match value {
            Value::Object(map) => Ok(Self { map, pointer, known: Vec::new(), faults: Vec::new() }),
            other => Err(Fault {
                message: format!("expected a map of keys, found {}", describe(other)),
                spot: Spot::Value,
                pointer,
            }),
        }
    }

    /// Returns where the object stands.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the whole object.
    pub fn object(&self) -> &'a Map<String, Value> {
        self.map
    }

    /// Tells whether nothing was wrong so far.
    pub fn is_fine(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns any value; `null` counts as absent.
    pub fn any(&mut self, key: &'static str) -> Option<&'a Value> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Returns a text.
    pub fn text(&mut self, key: &'static str) -> Option<&'a str> {
        self.take(key, "text", Value::as_str)
    }

    /// Returns a text with variables in it.
    pub fn template(&mut self, key: &'static str) -> Option<Template> {
        let text = self.text(key)?;
        match Template::parse(text) {
            Ok(template) => Some(template),
            Err(error) => {
                self.blame(key, error.to_string());
                None
            }
        }
    }

    /// Returns true or false.
    pub fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.take(key, "true or false", Value::as_bool)
    }

    /// Returns a number.
    pub fn number(&mut self, key: &'static str) -> Option<f64> {
        self.take(key, "a number", Value::as_f64)
    }

    /// Returns a whole number from 0.
    pub fn count(&mut self, key: &'static str) -> Option<u64> {
        self.take(key, "a whole number from 0", Value::as_u64)
    }

    /// Returns a duration, written as a number of seconds.
    pub fn seconds(&mut self, key: &'static str) -> Option<Duration> {
        let read = |value: &Value| Duration::try_from_secs_f64(value.as_f64()?).ok();
        self.take(key, "a number of seconds", read)
    }

    /// Returns a list.
    pub fn list(&mut self, key: &'static str) -> Option<&'a Vec<Value>> {
        self.take(key, "a list", Value::as_array)
    }

    /// Returns a list of texts; each item that is none is a fault.
    pub fn texts(&mut self, key: &'static str) -> Option<Vec<&'a str>> {
        let items = self.list(key)?;
        let mut texts = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text),
                None => self.blame_at(
                    &format!("{key}/{place}"),
                    format!("expected text, found {}", describe(item)),
                ),
            }
        }
        (texts.len() == items.len()).then_some(texts)
    }

    /// Returns a map.
    pub fn map(&mut self, key: &'static str) -> Option<&'a Map<String, Value>> {
        self.take(key, "a map of keys", Value::as_object)
    }

    /// Returns one of a few words.
    pub fn word(&mut self, key: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text(key)?;
        let found = words.iter().find(|word| **word == text);
        if found.is_none() {
            let near = suggestion(text, words.iter().copied());
            let near = near.map(|near| format!(". {near}")).unwrap_or_default();
            let list = words.join("`, `");
            self.blame(key, format!("expected one of `{list}`, found {text:?}{near}"));
        }
        found.copied()
    }

    /// Begins to read an object inside this one; give it back with [`Fields::leave`].
    pub fn enter(&mut self, key: &'static str) -> Option<Self> {
        let value = self.any(key)?;
        match Self::of(value, self.place(key)) {
            Ok(inner) => Some(inner),
            Err(fault) => {
                self.faults.push(fault);
                None
            }
        }
    }

    /// Ends the reading of an object inside this one.
    pub fn leave(&mut self, inner: Self) {
        self.faults.extend(inner.finish());
    }

    /// Complains that a key is not there.
    pub fn miss(&mut self, key: &'static str, why: &str) {
        let (pointer, spot) = (self.pointer.clone(), Spot::Key);
        self.faults.push(Fault { pointer, spot, message: format!("`{key}` is missing: {why}") });
    }

    /// Complains about the value of a key.
    pub fn blame(&mut self, key: &str, message: impl Into<String>) {
        let pointer = self.place(key);
        self.faults.push(Fault { pointer, spot: Spot::Value, message: message.into() });
    }

    /// Complains about a value further inside, by the rest of its pointer.
    pub fn blame_at(&mut self, rest: &str, message: impl Into<String>) {
        let pointer = format!("{}/{rest}", self.pointer);
        self.faults.push(Fault { pointer, spot: Spot::Value, message: message.into() });
    }

    /// Takes a fault that was found elsewhere.
    pub fn add(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Ends the reading: returns what was wrong, unknown keys included.
    pub fn finish(mut self) -> Vec<Fault> {
        let unknown: Vec<&String> =
            self.map.keys().filter(|key| !self.known.contains(&key.as_str())).collect();
        for key in unknown {
            let near = suggestion(key, self.known.iter().copied());
            let near = near.unwrap_or_else(|| format!("Known are: {}", self.known.join(", ")));
            let message = format!("unknown key `{key}`. {near}");
            self.faults.push(Fault { pointer: self.place(key), spot: Spot::Key, message });
        }
        self.faults
    }

    fn take<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.any(key)?;
        let taken = read(value);
        if taken.is_none() {
            self.blame(key, format!("expected {expected}, found {}", describe(value)));
        }
        taken
    }

    fn place(&self, key: &str) -> String {
        format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1"))
    }
}

/// Describes a value for a message; long texts are cut.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.chars().count() > 40 => {
            format!("the text {:?}…", text.chars().take(40).collect::<String>())
        }
        Value::String(text) => format!("the text {text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_point_into_the_document_whatever_the_keys_are() {
        let value = json!({ "headers": { "a/b": 1, "x~y": 2 }, "list": ["x", 3] });
        let mut fields = Fields::of(&value, "").unwrap();
        let inner = fields.enter("headers").unwrap();
        fields.leave(inner);
        assert_eq!(fields.texts("list"), None);
        let pointers: Vec<String> = fields.finish().into_iter().map(|f| f.pointer).collect();
        assert_eq!(pointers, ["/headers/a~1b", "/headers/x~0y", "/list/1"]);
        for pointer in pointers {
            assert!(value.pointer(&pointer).is_some(), "{pointer}");
        }
    }

    #[test]
    fn words_and_missing_keys_say_what_is_expected() {
        let value = json!({ "method": "PSOT", "url": null });
        let mut fields = Fields::of(&value, "/entry").unwrap();
        fields.word("method", &["GET", "POST"]);
        if fields.text("url").is_none() {
            fields.miss("url", "say where to send the request");
        }
        let faults = fields.finish();
        assert_eq!(
            faults[0].message,
            "expected one of `GET`, `POST`, found \"PSOT\". Did you mean `POST`?"
        );
        assert_eq!(faults[1].message, "`url` is missing: say where to send the request");
        assert_eq!((faults[1].pointer.as_str(), faults[1].spot), ("/entry", Spot::Key));
    }
}
