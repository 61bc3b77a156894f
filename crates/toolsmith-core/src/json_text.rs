//! JSON that is kept as text: schemas before their first use, parameters and results in records.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error as _};
use serde_json::{Value, value::RawValue};

/// A JSON value in its text form, known to be well-formed.
///
/// A parsed schema takes many times the memory of its text, and most of 100,000 registered tools
/// are never called: text is what they keep.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonText(String);

impl JsonText {
    /// Writes a value as compact JSON; what cannot be written becomes `null`.
    pub fn of(value: &impl Serialize) -> Self {
        Self(serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
    }

    /// Takes text that is already known to be JSON, such as a column written by [`of`](Self::of).
    pub fn from_trusted(text: String) -> Self {
        Self(text)
    }

    /// Checks that a text is one JSON value.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<&RawValue>(text).map(|raw| Self(raw.get().to_owned()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes the text out.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Reads the text into a value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// Gives back spare room; for texts that stay for long.
    #[must_use]
    pub fn shrunk(mut self) -> Self {
        self.0.shrink_to_fit();
        self
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Anything can stand in it.
impl JsonSchema for JsonText {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Through a value, not a raw one: not every source of definitions is JSON text.
        Value::deserialize(deserializer).map(|value| Self::of(&value))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_appears_in_json_as_the_value_itself() {
        let text = JsonText::of(&json!({"b": 1, "a": [true, null]}));
        let whole = serde_json::to_string(&json!({ "schema": text })).unwrap();
        assert_eq!(whole, r#"{"schema":{"b":1,"a":[true,null]}}"#);
        assert_eq!(text.to_value()["a"][0], json!(true));
    }

    #[test]
    fn only_one_whole_value_is_accepted() {
        assert!(JsonText::parse(" {\"a\": 1} ").is_ok());
        for wrong in ["", "{", "1 2", "{'a': 1}"] {
            assert!(JsonText::parse(wrong).is_err(), "{wrong}");
        }
    }
}
