//! What types a tool's parameters may have, taken from its schema.

use std::{
    collections::{HashMap, HashSet},
    ops::BitOr,
};

use serde_json::{Map, Value};

/// How many subschemas are looked at for one parameter list or one type.
///
/// References may go in circles and fork on the way, so a depth alone would bound nothing.
const MOST: usize = 1_000;

/// The JSON types that a value may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted(u8);

impl Wanted {
    /// Null.
    pub const NULL: Self = Self(1);
    /// True or false.
    pub const BOOLEAN: Self = Self(2);
    /// A whole number.
    pub const INTEGER: Self = Self(4);
    /// A number.
    pub const NUMBER: Self = Self(8);
    /// A string.
    pub const STRING: Self = Self(16);
    /// An array.
    pub const ARRAY: Self = Self(32);
    /// An object.
    pub const OBJECT: Self = Self(64);
    /// Anything.
    pub const ANY: Self = Self(127);
    const NOTHING: Self = Self(0);

    /// Tells whether any of the given types is wanted.
    pub fn has(self, types: Self) -> bool {
        self.0 & types.0 != 0
    }

    /// Returns the types that a schema allows; `root` is where its references point into.
    pub fn of_schema(schema: &Value, root: &Value) -> Self {
        let wanted = of(schema, root, &mut { MOST });
        if wanted == Self::NOTHING { Self::ANY } else { wanted }
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Wanted {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The parameters of one tool and their types.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// In the order of the schema; a list, because tools have few parameters.
    properties: Vec<(Box<str>, Wanted)>,
    others: Option<Wanted>,
}

impl Shape {
    /// Reads the types out of an input schema.
    pub fn of_schema(schema: &Value) -> Self {
        let mut shape = Self::default();
        shape.collect(schema, schema, &mut HashSet::new(), &mut { MOST });
        shape
    }

    /// Returns the types of a parameter; `None` when the schema does not speak of it.
    pub fn wanted(&self, parameter: &str) -> Option<Wanted> {
        self.properties
            .iter()
            .find(|(name, _)| **name == *parameter)
            .map(|(_, wanted)| *wanted)
            .or(self.others)
    }

    /// Returns the names of the parameters, in the order of the schema.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().map(|(name, _)| &**name)
    }

    /// Tells whether the schema names a parameter.
    pub fn names(&self, parameter: &str) -> bool {
        self.properties.iter().any(|(name, _)| **name == *parameter)
    }

    /// Returns the shape with parameters under further names: each with the one it has.
    pub(crate) fn also_named<'a>(
        &self,
        names: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let known: HashMap<&str, Wanted> =
            self.properties.iter().map(|(name, wanted)| (&**name, *wanted)).collect();
        let mut shape = self.clone();
        for (shown, real) in names {
            if let Some(wanted) = known.get(real) {
                shape.properties.push((shown.into(), *wanted));
            }
        }
        shape
    }

    /// Takes the parameters of a schema in; `known` are the names so far.
    fn collect<'a>(
        &mut self,
        schema: &'a Value,
        root: &'a Value,
        known: &mut HashSet<&'a str>,
        budget: &mut usize,
    ) {
        let (Some(fields), Some(left)) = (schema.as_object(), budget.checked_sub(1)) else {
            return;
        };
        *budget = left;
        if let Some(target) = referenced(fields, root) {
            self.collect(target, root, known, budget);
        }
        for (name, property) in
            fields.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            if known.insert(name) {
                self.properties.push((name.as_str().into(), Wanted::of_schema(property, root)));
            }
        }
        if let Some(others) = fields.get("additionalProperties").filter(|others| others.is_object())
        {
            self.others = Some(Wanted::of_schema(others, root));
        }
        for part in
            ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| fields.get(*key)?.as_array())
        {
            for part in part {
                self.collect(part, root, known, budget);
            }
        }
    }
}

fn of(schema: &Value, root: &Value, budget: &mut usize) -> Wanted {
    let (Some(fields), Some(left)) = (schema.as_object(), budget.checked_sub(1)) else {
        return Wanted::ANY;
    };
    *budget = left;
    if let Some(target) = referenced(fields, root) {
        return of(target, root, budget);
    }
    let mut wanted = match fields.get("type") {
        Some(Value::String(name)) => named(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(named).fold(Wanted::NOTHING, BitOr::bitor)
        }
        _ => Wanted::ANY,
    };
    if fields.get("nullable") == Some(&Value::Bool(true)) {
        wanted = wanted | Wanted::NULL;
    }
    if let Some(constant) = fields.get("const") {
        wanted = wanted.and(type_of(constant));
    }
    if let Some(values) = fields.get("enum").and_then(Value::as_array) {
        wanted = wanted.and(values.iter().map(type_of).fold(Wanted::NOTHING, BitOr::bitor));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(parts) = fields.get(key).and_then(Value::as_array) {
            let types = parts.iter().map(|part| of(part, root, budget));
            wanted = wanted.and(types.fold(Wanted::NOTHING, BitOr::bitor));
        }
    }
    let all = fields.get("allOf").and_then(Value::as_array).into_iter().flatten();
    all.fold(wanted, |wanted, part| wanted.and(of(part, root, budget)))
}

fn named(name: &str) -> Wanted {
    match name {
        "string" => Wanted::STRING,
        "integer" => Wanted::INTEGER,
        "number" => Wanted::NUMBER | Wanted::INTEGER,
        "boolean" => Wanted::BOOLEAN,
        "array" => Wanted::ARRAY,
        "object" => Wanted::OBJECT,
        "null" => Wanted::NULL,
        _ => Wanted::ANY,
    }
}

fn type_of(value: &Value) -> Wanted {
    match value {
        Value::Null => Wanted::NULL,
        Value::Bool(_) => Wanted::BOOLEAN,
        Value::Number(number) if number.is_f64() => Wanted::NUMBER,
        Value::Number(_) => Wanted::INTEGER | Wanted::NUMBER,
        Value::String(_) => Wanted::STRING,
        Value::Array(_) => Wanted::ARRAY,
        Value::Object(_) => Wanted::OBJECT,
    }
}

fn referenced<'a>(fields: &Map<String, Value>, root: &'a Value) -> Option<&'a Value> {
    root.pointer(fields.get("$ref")?.as_str()?.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_come_from_unions_references_and_listed_values() {
        let schema = json!({
            "properties": {
                "plain": {"type": "string"},
                "union": {"type": ["integer", "null"]},
                "any_of": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/list"}]},
                "listed": {"enum": ["a", 1]},
                "free": {"description": "anything"},
                "narrow": {"type": ["string", "number"], "enum": ["x"]},
            },
            "additionalProperties": {"type": "number"},
            "$defs": {"list": {"type": "array"}}
        });
        let shape = Shape::of_schema(&schema);
        assert_eq!(shape.wanted("plain"), Some(Wanted::STRING));
        assert_eq!(shape.wanted("union"), Some(Wanted::INTEGER | Wanted::NULL));
        assert_eq!(shape.wanted("any_of"), Some(Wanted::BOOLEAN | Wanted::ARRAY));
        let listed = Wanted::STRING | Wanted::INTEGER | Wanted::NUMBER;
        assert_eq!(shape.wanted("listed"), Some(listed));
        assert_eq!(shape.wanted("free"), Some(Wanted::ANY));
        assert_eq!(shape.wanted("narrow"), Some(Wanted::STRING));
        assert_eq!(shape.wanted("other"), Some(Wanted::NUMBER | Wanted::INTEGER));
        assert!(shape.names("plain") && !shape.names("other"));
    }

    #[test]
    fn a_parameter_that_is_there_twice_counts_once() {
        let part = json!({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}});
        let schema =
            json!({"properties": {"b": {"type": "null"}}, "allOf": [part, {"$ref": "#/allOf/0"}]});
        let shape = Shape::of_schema(&schema);
        assert_eq!(shape.parameters().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(shape.wanted("b"), Some(Wanted::NULL));
    }

    #[test]
    fn a_reference_to_itself_comes_to_an_end() {
        let schema = json!({
            "properties": {"a": {"$ref": "#/properties/a"}},
            "allOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}],
        });
        assert_eq!(Shape::of_schema(&schema).wanted("a"), Some(Wanted::ANY));
    }
}
