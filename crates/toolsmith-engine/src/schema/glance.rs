//! Schemas that are well-formed at a glance.
//!
//! Nearly all schemas of tools are made of few words in their usual forms. To see that needs no
//! meta-schema, whose own validator is large and slow to make; whatever is less usual is left to it.

use serde_json::{Map, Value};

/// Tells whether a schema of draft 2020-12 has only usual words in their usual forms.
///
/// Such a schema passes the meta-schema; another one may pass as well.
pub(super) fn is_usual(schema: &Value) -> bool {
    match schema {
        Value::Bool(_) => true,
        Value::Object(words) => words.iter().all(|(word, value)| is_usual_word(word, value)),
        _ => false,
    }
}

fn is_usual_word(word: &str, value: &Value) -> bool {
    match word {
        "type" => is_type(value),
        "properties" => value.as_object().is_some_and(are_schemas),
        "required" => value.as_array().is_some_and(|names| are_names(names)),
        "items" | "additionalProperties" => is_usual(value),
        "anyOf" | "oneOf" | "allOf" => {
            value.as_array().is_some_and(|forms| !forms.is_empty() && forms.iter().all(is_usual))
        }
        "title" | "description" | "format" | "contentMediaType" | "contentEncoding" => {
            value.is_string()
        }
        "default" | "const" => true,
        "enum" | "examples" => value.is_array(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        // Words of applications mean nothing to a meta-schema.
        word => word.starts_with("x-"),
    }
}

fn is_type(value: &Value) -> bool {
    const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];
    let is_known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(types) => !types.is_empty() && types.iter().all(is_known) && are_names(types),
        one => is_known(one),
    }
}

fn are_schemas(properties: &Map<String, Value>) -> bool {
    properties.values().all(is_usual)
}

/// Tells whether a list holds texts, and none of them twice.
fn are_names(names: &[Value]) -> bool {
    let is_new = |(place, name): (usize, &Value)| {
        name.is_string() && !names.iter().take(place).any(|other| other == name)
    };
    // Looking back from each is quick for short lists; long ones are left to the meta-schema.
    names.len() <= 64 && names.iter().enumerate().all(is_new)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_of_tools_are_usual() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Where.", "minLength": 1 },
                "depth": { "type": ["integer", "null"], "minimum": 0, "default": 2 },
                "tags": { "type": "array", "items": { "enum": ["a", "b"] }, "uniqueItems": true },
                "how": { "anyOf": [{ "const": 1 }, true], "x-mcp-header": "How" },
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        assert!(is_usual(&schema));
    }

    #[test]
    fn what_is_less_usual_is_left_to_the_meta_schema() {
        for schema in [
            json!({ "$ref": "#/$defs/a" }),
            json!({ "$schema": "http://json-schema.org/draft-07/schema#" }),
            json!({ "type": "text" }),
            json!({ "type": [] }),
            json!({ "required": ["a", "a"] }),
            json!({ "minLength": -1 }),
            json!({ "properties": { "a": 1 } }),
            json!({ "anyOf": [] }),
            json!({ "pattern": "(" }),
            json!([]),
        ] {
            assert!(!is_usual(&schema), "{schema}");
        }
    }

    /// Values that are words of schemas, right and wrong, in any mixture.
    fn schemas() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            (-2_i64..3).prop_map(Value::from),
            (-1.5_f64..1.5).prop_map(Value::from),
            prop::sample::select(vec!["string", "object", "null", "x", "regex", ""])
                .prop_map(Value::from),
            Just(Value::Null),
        ];
        let words = vec![
            "type",
            "properties",
            "required",
            "items",
            "additionalProperties",
            "anyOf",
            "oneOf",
            "allOf",
            "title",
            "format",
            "default",
            "const",
            "enum",
            "examples",
            "minimum",
            "maximum",
            "exclusiveMaximum",
            "minLength",
            "maxItems",
            "minProperties",
            "uniqueItems",
            "deprecated",
            "contentEncoding",
            "x-a",
            "a",
            "pattern",
            "multipleOf",
            "not",
            "$id",
        ];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            let word = prop::sample::select(words.clone());
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::vec((word, inner), 0..4).prop_map(|members| {
                    let members = members.into_iter().map(|(word, value)| (word.to_owned(), value));
                    Value::Object(members.collect())
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_096))]

        #[test]
        fn the_meta_schema_agrees_with_every_glance(schema in schemas()) {
            if is_usual(&schema) {
                prop_assert!(jsonschema::meta::is_valid(&schema), "{}", schema);
            }
        }
    }
}
