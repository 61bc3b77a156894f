//! The parameter list of a definition, and the JSON Schema that it means.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::JsonText;

/// The type of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// A list.
    Array,
    /// An object.
    Object,
    /// Anything.
    #[default]
    Any,
}

/// One parameter: `{name, type, required, default, description, validation}`.
///
/// The keys of `validation` are accepted on the parameter itself too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The type.
    pub r#type: ParameterType,
    /// Whether a call without it is refused; false unless said.
    pub required: bool,
    /// The value it has when a call does not give one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What it is, for the model.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What its values must fulfil.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub validation: Map<String, Value>,
    /// The keys of `validation`, written directly on the parameter.
    #[serde(flatten)]
    pub direct: Map<String, Value>,
}

impl Parameter {
    /// The keys of `validation`, with the words of JSON Schema that they stand for.
    pub const VALIDATION_KEYS: [(&'static str, &'static str); 10] = [
        ("pattern", "pattern"),
        ("min_length", "minLength"),
        ("max_length", "maxLength"),
        ("enum", "enum"),
        ("min", "minimum"),
        ("max", "maximum"),
        ("items", "items"),
        ("min_items", "minItems"),
        ("max_items", "maxItems"),
        ("properties", "properties"),
    ];

    /// Makes an optional parameter.
    pub fn new(name: impl Into<String>, r#type: ParameterType) -> Self {
        Self { name: name.into(), r#type, ..Self::default() }
    }

    /// Makes an optional text parameter.
    pub fn string(name: impl Into<String>) -> Self {
        Self::new(name, ParameterType::String)
    }

    /// Makes an optional number parameter.
    pub fn number(name: impl Into<String>) -> Self {
        Self::new(name, ParameterType::Number)
    }

    /// Makes an optional whole-number parameter.
    pub fn integer(name: impl Into<String>) -> Self {
        Self::new(name, ParameterType::Integer)
    }

    /// Makes an optional yes-or-no parameter.
    pub fn boolean(name: impl Into<String>) -> Self {
        Self::new(name, ParameterType::Boolean)
    }

    /// Refuses calls without it.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Gives it a value when a call does not.
    #[must_use]
    pub fn with_default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// Says what it is.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Adds a rule, by a key of `validation`.
    #[must_use]
    pub fn with_rule(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.validation.insert(key.to_owned(), value.into());
        self
    }

    /// Returns the JSON Schema of the values.
    fn to_schema(&self) -> Value {
        let mut schema = Map::new();
        if self.r#type != ParameterType::Any {
            schema.insert("type".to_owned(), json!(self.r#type));
        }
        if !self.description.is_empty() {
            schema.insert("description".to_owned(), json!(self.description));
        }
        for (key, value) in self.direct.iter().chain(&self.validation) {
            insert_rule(&mut schema, key, value);
        }
        if let Some(default) = &self.default {
            schema.insert("default".to_owned(), default.clone());
        }
        Value::Object(schema)
    }
}

/// Writes one rule in the words of JSON Schema; the short forms of definitions are spelled out.
fn insert_rule(schema: &mut Map<String, Value>, key: &str, value: &Value) {
    let word = Parameter::VALIDATION_KEYS.iter().find(|(from, _)| *from == key);
    let word = word.map_or(key, |(_, to)| to);
    let value = match (word, value) {
        ("items", short) => spell_out(short),
        ("properties", Value::Object(fields)) => {
            fields.iter().map(|(name, field)| (name.clone(), spell_out(field))).collect()
        }
        _ => value.clone(),
    };
    schema.insert(word.to_owned(), value);
}

/// Spells out `integer` as `{"type": "integer"}`, and the keys of `validation` in nested fields.
pub fn spell_out(short: &Value) -> Value {
    match short {
        Value::String(word) if word == "any" => json!({}),
        Value::String(word) => json!({ "type": word }),
        Value::Object(fields) => {
            let mut schema = Map::new();
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("type", Value::String(word)) if word == "any" => {}
                    ("validation", Value::Object(rules)) => {
                        rules.iter().for_each(|(k, v)| insert_rule(&mut schema, k, v));
                    }
                    _ => insert_rule(&mut schema, key, value),
                }
            }
            Value::Object(schema)
        }
        other => other.clone(),
    }
}

/// Returns the JSON Schema of a parameter list: a closed object, fields in the order of the list.
pub fn schema_of(parameters: &[Parameter]) -> JsonText {
    let properties: Map<String, Value> =
        parameters.iter().map(|p| (p.name.clone(), p.to_schema())).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|p| p.required).map(|p| p.name.as_str()).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    JsonText::of(&schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_becomes_a_closed_object_in_its_order() {
        let list = [
            Parameter::string("url").required().with_rule("pattern", "^https?://"),
            Parameter::number("timeout").with_default(30).with_rule("min", 1).with_rule("max", 300),
        ];
        assert_eq!(
            schema_of(&list).as_str(),
            r#"{"type":"object","properties":{"url":{"type":"string","pattern":"^https?://"},"timeout":{"type":"number","minimum":1,"maximum":300,"default":30}},"required":["url"],"additionalProperties":false}"#
        );
    }

    #[test]
    fn rules_on_the_parameter_itself_mean_the_same() {
        let direct: Parameter =
            serde_json::from_value(json!({"name": "m", "type": "string", "enum": ["GET"]}))
                .unwrap();
        let nested: Parameter = serde_json::from_value(
            json!({"name": "m", "type": "string", "validation": {"enum": ["GET"]}}),
        )
        .unwrap();
        assert_eq!(schema_of(&[direct]), schema_of(&[nested]));
    }

    #[test]
    fn short_forms_of_items_and_properties_are_spelled_out() {
        let list: Parameter = serde_json::from_value(json!({
            "name": "o", "type": "object",
            "validation": {
                "properties": {"n": {"type": "integer", "min": 1}, "any": "any"},
                "required": ["n"]
            }
        }))
        .unwrap();
        let schema = schema_of(&[list]).to_value();
        let object = &schema["properties"]["o"];
        assert_eq!(object["properties"]["n"], json!({"type": "integer", "minimum": 1}));
        assert_eq!(object["properties"]["any"], json!({}));
        assert_eq!(object["required"], json!(["n"]));
        assert!(schema.get("required").is_none());
    }
}
