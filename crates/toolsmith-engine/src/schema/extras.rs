//! Unknown parameters: which names a schema knows.

use jsonschema::Draft;
use serde_json::{Map, Value};

/// Keywords beside `properties` that can admit further names.
const ADMITTING: [&str; 11] = [
    "patternProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
];

/// How many names are tried in turn before they are searched.
const TRIED: usize = 6;

/// Which parameters a schema knows.
#[derive(Debug, PartialEq)]
pub(super) enum Names {
    /// Any name is fine, or the schema itself says which are not.
    Open,
    /// These.
    Closed(Closed),
    /// `additionalProperties: false` beside patterns: only the validator can tell.
    Patterns,
}

impl Names {
    /// Finds out what a schema knows.
    pub(super) fn of(schema: &Value, draft: Draft) -> Self {
        let Value::Object(words) = schema else { return Self::Open };
        if draft <= Draft::Draft7 && words.contains_key("$ref") {
            return Self::Open;
        }
        let properties = words.get("properties").and_then(Value::as_object);
        match words.get("additionalProperties") {
            Some(Value::Bool(false)) if words.contains_key("patternProperties") => Self::Patterns,
            Some(Value::Bool(false)) => Self::closed(names(properties)),
            None if ADMITTING.iter().any(|word| words.contains_key(*word)) => Self::Open,
            None if properties.is_some() => Self::closed(names(properties).chain(mentioned(words))),
            _ => Self::Open,
        }
    }

    /// Returns the parameters of an input that the schema does not know, in the input's order.
    #[inline]
    pub(super) fn unknown(&self, fields: &Map<String, Value>) -> Vec<String> {
        let Self::Closed(names) = self else { return Vec::new() };
        let mut next = 0;
        fields.keys().filter(|name| !names.holds(name, &mut next)).cloned().collect()
    }

    fn closed<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let declared: Box<[Box<str>]> = names.map(Into::into).collect();
        let mut sorted = declared.clone();
        sorted.sort_unstable();
        Self::Closed(Closed { declared, sorted })
    }
}

/// The names of a closed schema.
#[derive(Debug, PartialEq)]
pub(super) struct Closed {
    declared: Box<[Box<str>]>,
    sorted: Box<[Box<str>]>,
}

impl Closed {
    /// Tells whether a name is known; `next` is where to look first, and moves on.
    ///
    /// Most callers give parameters in the order of their declaration, some left out.
    #[inline]
    fn holds(&self, name: &str, next: &mut usize) -> bool {
        let ahead = self.declared.iter().enumerate().skip(*next).take(TRIED);
        for (at, known) in ahead {
            if known.as_ref() == name {
                *next = at + 1;
                return true;
            }
        }
        self.sorted.binary_search_by(|known| known.as_ref().cmp(name)).is_ok()
    }
}

fn names(properties: Option<&Map<String, Value>>) -> impl Iterator<Item = &str> {
    properties.into_iter().flat_map(|fields| fields.keys().map(String::as_str))
}

/// Returns the names that a schema asks for without describing them.
fn mentioned(words: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let required = words.get("required").and_then(Value::as_array);
    let dependent = words.get("dependentRequired").and_then(Value::as_object);
    let names = dependent.into_iter().flat_map(|lists| lists.keys().map(String::as_str));
    let lists = dependent.into_iter().flat_map(Map::values).filter_map(Value::as_array);
    let listed = required.into_iter().chain(lists).flatten().filter_map(Value::as_str);
    names.chain(listed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(schema: &Value) -> Names {
        Names::of(schema, Draft::Draft202012)
    }

    #[test]
    fn declared_parameters_close_a_schema() {
        let closed = Names::closed(["a", "b"].into_iter());
        assert_eq!(of(&json!({"properties": {"a": {}, "b": {}}})), closed);
        assert_eq!(of(&json!({"properties": {"a": {}}, "required": ["b"]})), closed);
        assert_eq!(of(&json!({"additionalProperties": false})), Names::closed([].into_iter()));
    }

    #[test]
    fn whatever_can_admit_names_leaves_it_open() {
        assert_eq!(of(&json!({"type": "object"})), Names::Open);
        for (word, value) in [
            ("additionalProperties", json!(true)),
            ("additionalProperties", json!({"type": "string"})),
            ("patternProperties", json!({})),
            ("allOf", json!([{}])),
            ("$ref", json!("#/$defs/a")),
        ] {
            assert_eq!(of(&json!({"properties": {"a": {}}, word: value})), Names::Open, "{word}");
        }
    }

    #[test]
    fn a_closed_door_stays_closed_beside_other_keywords() {
        let schema = json!({"properties": {"a": {}}, "additionalProperties": false, "allOf": [{}]});
        assert_eq!(of(&schema), Names::closed(["a"].into_iter()));
        let schema = json!({"patternProperties": {"^x": {}}, "additionalProperties": false});
        assert_eq!(of(&schema), Names::Patterns);
    }

    #[test]
    fn unknown_names_keep_the_order_of_the_input() {
        let input = json!({"z": 1, "a": 2, "y": 3});
        let unknown = of(&json!({"properties": {"a": {}}})).unknown(input.as_object().unwrap());
        assert_eq!(unknown, ["z", "y"]);
    }

    #[test]
    fn names_are_known_in_any_order() {
        let declared: Map<_, _> = (0..40).map(|n| (format!("n{n}"), json!({}))).collect();
        let names = of(&json!({"properties": declared}));
        let mut input: Map<_, _> = (0..40).rev().map(|n| (format!("n{n}"), json!(1))).collect();
        assert!(names.unknown(&declared).is_empty());
        assert!(names.unknown(&input).is_empty());
        input.insert("n40".to_owned(), json!(1));
        assert_eq!(names.unknown(&input), ["n40"]);
    }
}
