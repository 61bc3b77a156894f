//! The rules of `validation`, on parameters and on fields inside them.

use toolsmith_core::{Fault, Fields, Map, Spot, Value, describe, suggestion};

/// The types of parameters.
pub(super) const TYPES: [&str; 7] =
    ["string", "number", "integer", "boolean", "array", "object", "any"];

/// Each rule with the types that it goes with; none means all.
const RULES: [(&str, &[&str]); 11] = [
    ("pattern", &["string"]),
    ("min_length", &["string"]),
    ("max_length", &["string"]),
    ("enum", &[]),
    ("min", &["number", "integer"]),
    ("max", &["number", "integer"]),
    ("items", &["array"]),
    ("min_items", &["array"]),
    ("max_items", &["array"]),
    ("properties", &["object"]),
    ("required", &["object"]),
];

/// The words of JSON Schema that fields inside a parameter may use besides our own.
const SCHEMA_WORDS: [&str; 43] = [
    "title",
    "description",
    "default",
    "examples",
    "format",
    "const",
    "deprecated",
    "readOnly",
    "writeOnly",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "prefixItems",
    "contains",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$defs",
    "$anchor",
    "$comment",
    "contentEncoding",
    "contentMediaType",
];

/// Where rules are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// On a parameter, where `required` says whether the parameter itself is.
    Parameter,
    /// Under `validation`, or in a field inside a parameter.
    Validation,
}

/// Reads the rules of an object, as far as they go with its type.
pub(super) fn read(
    fields: &mut Fields<'_>,
    r#type: Option<&str>,
    place: Where,
) -> Map<String, Value> {
    let mut rules = Map::new();
    for (key, types) in RULES {
        if key == "required" && place == Where::Parameter {
            continue;
        }
        let Some(value) = fields.any(key) else { continue };
        let unfit = r#type.filter(|word| *word != "any" && !types.is_empty());
        if let Some(word) = unfit.filter(|word| !types.contains(word)) {
            let types = types.join("` and `");
            let message = format!("`{key}` is for type `{types}`, not for `{word}`");
            fields.add(key_fault(fields.pointer(), key, message));
        } else if is_right(fields, key) {
            rules.insert(key.to_owned(), value.clone());
        }
    }
    rules
}

/// Checks the form of a rule; what is wrong is told to the fields.
fn is_right(fields: &mut Fields<'_>, key: &'static str) -> bool {
    match key {
        "pattern" => fields.text(key).is_some(),
        "min_length" | "max_length" | "min_items" | "max_items" => fields.count(key).is_some(),
        "min" | "max" => fields.number(key).is_some(),
        "enum" => match fields.list(key) {
            Some(list) if list.is_empty() => {
                fields.blame(key, "expected at least one value");
                false
            }
            list => list.is_some(),
        },
        "required" => fields.texts(key).is_some(),
        "items" => {
            let value = fields.any(key).cloned().unwrap_or_default();
            add_all(fields, field(&value, &format!("{}/items", fields.pointer())))
        }
        _ => {
            let Some(map) = fields.map(key) else { return false };
            let start = format!("{}/{key}", fields.pointer());
            let inner = |(name, value): (&String, &Value)| {
                field(value, &format!("{start}/{}", crate::variables::escaped(name)))
            };
            let faults: Vec<Fault> = map.iter().flat_map(inner).collect();
            add_all(fields, faults)
        }
    }
}

/// Checks a field inside a parameter or an output: a type word, or a map of rules.
pub(super) fn field(value: &Value, pointer: &str) -> Vec<Fault> {
    let fault = |message| vec![Fault { pointer: pointer.to_owned(), spot: Spot::Value, message }];
    match value {
        Value::String(word) if TYPES.contains(&word.as_str()) => Vec::new(),
        Value::String(word) => fault(unknown_type(word)),
        Value::Bool(_) => Vec::new(),
        Value::Object(_) => Fields::of(value, pointer).map_or_else(|fault| vec![fault], nested),
        other => fault(format!(
            "expected a type such as `string`, or a map of rules, found {}",
            describe(other)
        )),
    }
}

fn nested(mut fields: Fields<'_>) -> Vec<Fault> {
    // JSON Schema allows a list of types; rules are then not held against any one of them.
    let word = match fields.any("type") {
        Some(Value::Array(_)) => fields.texts("type").and(None),
        Some(Value::String(word)) if word == "null" => None,
        _ => fields.word("type", &TYPES),
    };
    let mut rules = read(&mut fields, word, Where::Validation);
    if let Some(mut validation) = fields.enter("validation") {
        rules.extend(read(&mut validation, word, Where::Validation));
        fields.leave(validation);
    }
    check_bounds(&mut fields, &rules);
    fields.text("description");
    for word in SCHEMA_WORDS {
        fields.any(word);
    }
    fields.finish()
}

/// Checks that no lower bound lies above its upper bound.
pub(super) fn check_bounds(fields: &mut Fields<'_>, rules: &Map<String, Value>) {
    for (low, high) in [("min", "max"), ("min_length", "max_length"), ("min_items", "max_items")] {
        let bound = |key: &str| rules.get(key).and_then(Value::as_f64);
        if let (Some(least), Some(most)) = (bound(low), bound(high))
            && least > most
        {
            let inside = if fields.object().contains_key(low) { "" } else { "validation/" };
            let message = format!("{least} is more than `{high}`, which is {most}: nothing fits");
            fields.blame_at(&format!("{inside}{low}"), message);
        }
    }
}

fn unknown_type(word: &str) -> String {
    let near = suggestion(word, TYPES).map(|near| format!(". {near}")).unwrap_or_default();
    format!("expected one of `{}`, found {word:?}{near}", TYPES.join("`, `"))
}

/// Takes faults that were found elsewhere; tells whether there were none.
pub(super) fn add_all(fields: &mut Fields<'_>, faults: impl IntoIterator<Item = Fault>) -> bool {
    let mut is_fine = true;
    for fault in faults {
        fields.add(fault);
        is_fine = false;
    }
    is_fine
}

/// Makes a fault of a key.
pub(super) fn key_fault(pointer: &str, key: &str, message: impl Into<String>) -> Fault {
    let pointer = format!("{pointer}/{}", crate::variables::escaped(key));
    Fault { pointer, spot: Spot::Key, message: message.into() }
}
