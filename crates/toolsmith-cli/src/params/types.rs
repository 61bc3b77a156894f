//! Which types a schema allows for one property.

use std::collections::HashSet;

use serde_json::Value;

/// A type of JSON; integers are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    String,
    Number,
    Boolean,
    Array,
    Object,
    Null,
}

/// The types that a property may have, and the words that are listed for it.
#[derive(Debug, Default)]
pub(super) struct Types<'a> {
    types: Vec<Type>,
    words: Vec<&'a str>,
}

impl Types<'_> {
    /// Tells whether the type is one of them.
    pub(super) fn allow(&self, wanted: Type) -> bool {
        self.types.contains(&wanted)
    }

    /// Tells whether the text is listed as text.
    pub(super) fn is_word(&self, text: &str) -> bool {
        self.words.contains(&text)
    }
}

/// Finds the types of a property; none when the schema does not say.
pub(super) fn of_property<'a>(root: &'a Value, key: &str) -> Types<'a> {
    let parts = parts(root, root);
    let named = parts.iter().filter_map(|part| part.get("properties")?.get(key));
    let mut found: Vec<&Value> = named.collect();
    if found.is_empty() {
        found.extend(parts.iter().filter_map(|part| part.get("additionalProperties")));
    }
    let mut types = Types::default();
    for part in found.into_iter().flat_map(|schema| self::parts(root, schema)) {
        collect(part, &mut types);
    }
    types
}

/// Returns a schema and everything that it refers to or is made of, each once.
///
/// A schema may refer to itself, and in many ways at once; so places are remembered.
fn parts<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut waiting = vec![schema];
    let mut parts = Vec::new();
    while let Some(part) = waiting.pop() {
        if seen.insert(std::ptr::from_ref(part)) {
            parts.push(part);
            waiting.extend(inside(root, part));
        }
    }
    parts
}

fn collect<'a>(schema: &'a Value, types: &mut Types<'a>) {
    match schema.get("type") {
        Some(Value::String(word)) => types.types.extend(named(word)),
        Some(Value::Array(words)) => {
            types.types.extend(words.iter().filter_map(Value::as_str).filter_map(named));
        }
        _ => {}
    }
    let listed = schema.get("enum").and_then(Value::as_array);
    for value in listed.into_iter().flatten().chain(schema.get("const")) {
        types.types.push(of_value(value));
        types.words.extend(value.as_str());
    }
}

/// Returns the schemas that a schema refers to or is made of.
fn inside<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let reference = schema.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|text| root.pointer(text.strip_prefix('#')?));
    let branches = ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .filter_map(|word| schema.get(word).and_then(Value::as_array))
        .flatten();
    target.into_iter().chain(branches).collect()
}

fn named(word: &str) -> Option<Type> {
    Some(match word {
        "string" => Type::String,
        "number" | "integer" => Type::Number,
        "boolean" => Type::Boolean,
        "array" => Type::Array,
        "object" => Type::Object,
        "null" => Type::Null,
        _ => return None,
    })
}

fn of_value(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(_) => Type::Number,
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_and_branches_are_followed() {
        let schema = json!({
            "allOf": [{"$ref": "#/$defs/more"}],
            "$defs": {"more": {"properties": {"n": {"oneOf": [{"type": "null"}, {"const": 3}]}}}}
        });
        let types = of_property(&schema, "n");
        assert!(types.allow(Type::Null) && types.allow(Type::Number));
        assert!(!types.allow(Type::String));
    }

    #[test]
    fn a_schema_for_all_other_keys_counts() {
        let schema = json!({"additionalProperties": {"type": "number"}});
        assert_eq!(of_property(&schema, "any").types, [Type::Number]);
        let closed = json!({"additionalProperties": false});
        assert!(of_property(&closed, "any").types.is_empty());
    }

    #[test]
    fn a_schema_that_refers_to_itself_comes_to_an_end() {
        let looping = json!({"$ref": "#"});
        assert!(of_property(&looping, "a").types.is_empty());
        let property = json!({"properties": {"a": {"$ref": "#/properties/a"}}});
        assert!(of_property(&property, "a").types.is_empty());
        let branch = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#/anyOf/0"}, {"$ref": "#"}]});
        let exploding = json!({"anyOf": [branch, branch, branch]});
        assert!(of_property(&exploding, "a").types.is_empty());
    }
}
