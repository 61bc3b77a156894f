//! The strict subset of JSON Schema that `OpenAI` can make a model keep to.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    merge, references,
    schema::{Changes, describe, escaped},
};
use crate::{Wanted, guise::joined};

/// The keys of the subset.
const TAKEN: [&str; 19] = [
    "type",
    "title",
    "description",
    "enum",
    "const",
    "anyOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];
/// The formats of strings that the subset knows.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// How deep objects may stand in each other.
const DEEPEST: usize = 10;
/// The most properties of a schema.
const MOST_PROPERTIES: usize = 5_000;
/// The most listed values of a schema.
const MOST_VALUES: usize = 1_000;
/// The most characters of all names and listed values of a schema.
const MOST_CHARACTERS: usize = 120_000;
/// From how many values on the length of one list is bounded too.
const LONG_LIST: usize = 250;
/// The most characters of such a list.
const MOST_LISTED: usize = 15_000;

/// A schema of the subset.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) schema: Value,
    /// Parameters for which null means that they are left out.
    pub(super) fillers: HashSet<String>,
    pub(super) changes: Changes,
}

/// Why a schema cannot be said in the subset: where, and what.
type Refusal = (String, String);

/// Says a schema in the subset, or returns why that cannot be done.
pub(super) fn fit(schema: &Value) -> Result<Found, Refusal> {
    let mut fitter = Fitter::default();
    let schema = references::written_out(schema, &mut fitter.changes);
    let Value::Object(fields) = schema else {
        return Err((String::new(), "its schema is no object".to_owned()));
    };
    let schema = fitter.object_schema(fields, Place { path: "", names: "", depth: 0 })?;
    let Fitter { changes, mut fillers, nullable, sizes } = fitter;
    sizes.check()?;
    // Where one branch of a union takes null for the parameter, null is a value.
    fillers.retain(|filler| !nullable.contains(filler));
    Ok(Found { schema: Value::Object(schema), fillers, changes })
}

#[derive(Debug, Default)]
struct Fitter {
    changes: Changes,
    fillers: HashSet<String>,
    nullable: HashSet<String>,
    sizes: Sizes,
}

#[derive(Debug, Default)]
struct Sizes {
    properties: usize,
    values: usize,
    characters: usize,
}

impl Sizes {
    fn check(&self) -> Result<(), Refusal> {
        for (size, most, what) in [
            (self.properties, MOST_PROPERTIES, "properties"),
            (self.values, MOST_VALUES, "listed values"),
            (self.characters, MOST_CHARACTERS, "characters of names and listed values"),
        ] {
            if size > most {
                return Err((String::new(), format!("it has {size} {what}, and {most} are taken")));
            }
        }
        Ok(())
    }
}

/// Where the fitter is: as a JSON Pointer, by the names of parameters, in how many objects.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    names: &'a str,
    depth: usize,
}

impl Fitter {
    fn schema(&mut self, schema: Value, place: Place<'_>) -> Result<Value, Refusal> {
        match schema {
            Value::Object(fields) => self.object_schema(fields, place).map(Value::Object),
            _ => Err(place.refusal("the type must be said, and anything goes there")),
        }
    }

    fn object_schema(
        &mut self,
        mut fields: Map<String, Value>,
        place: Place<'_>,
    ) -> Result<Map<String, Value>, Refusal> {
        let changes = &mut self.changes;
        let mut note = |key: &str, message: &str| {
            changes.push((format!("{}/{}", place.path, escaped(key)), message.to_owned()));
        };
        merge::all_of(&mut fields, &mut note);
        merge::one_of(&mut fields, &mut note);
        drop_unknown(&mut fields, &mut note);
        add_type(&mut fields, place)?;
        self.count(&fields, place)?;
        if let Some(Value::Array(parts)) = fields.remove("anyOf") {
            let mut fitted = Vec::new();
            for (number, part) in parts.into_iter().enumerate() {
                let path = format!("{}/anyOf/{number}", place.path);
                fitted.push(self.schema(part, Place { path: &path, ..place })?);
            }
            fields.insert("anyOf".to_owned(), Value::Array(fitted));
        }
        if has_type(&fields, "array") {
            let path = format!("{}/items", place.path);
            let items = fields.remove("items").unwrap_or(Value::Null);
            let items = self.schema(items, Place { path: &path, ..place })?;
            fields.insert("items".to_owned(), items);
        } else {
            fields.remove("items");
        }
        if has_type(&fields, "object") {
            return self.properties(fields, place);
        }
        for key in ["properties", "required", "additionalProperties"] {
            fields.remove(key);
        }
        Ok(fields)
    }

    fn properties(
        &mut self,
        mut fields: Map<String, Value>,
        place: Place<'_>,
    ) -> Result<Map<String, Value>, Refusal> {
        if place.depth >= DEEPEST {
            return Err(place.refusal("objects stand in each other too deep"));
        }
        let properties = fields.remove("properties");
        let properties =
            properties.and_then(|value| value.as_object().cloned()).unwrap_or_default();
        let others = fields.insert("additionalProperties".to_owned(), Value::Bool(false));
        if others != Some(Value::Bool(false)) {
            let is_top = place.depth == 0;
            if (properties.is_empty() && !is_top) || others.as_ref().is_some_and(Value::is_object) {
                return Err(place.refusal("parameters of any name can be given there"));
            }
            let message = "strict schemas are closed: what is not listed cannot be given";
            self.changes.push((place.path.to_owned(), message.to_owned()));
        }
        let required = fields.remove("required");
        let required = required.and_then(|value| value.as_array().cloned()).unwrap_or_default();
        let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
        if let Some(name) = required.iter().find(|name| !names.contains(name)) {
            return Err(place.refusal(&format!("{name} is required and not described")));
        }
        let mut fitted = Map::new();
        for (name, schema) in properties {
            let path = format!("{}/properties/{}", place.path, escaped(&name));
            let names = joined(place.names, &name);
            let inner = Place { path: &path, names: &names, depth: place.depth + 1 };
            let schema = self.schema(schema, inner)?;
            let is_optional = !required.iter().any(|required| *required == name);
            let schema = self.optional(schema, is_optional, inner);
            fitted.insert(name, schema);
        }
        fields.insert("properties".to_owned(), Value::Object(fitted));
        fields.insert("required".to_owned(), Value::Array(names));
        Ok(fields)
    }

    /// Lets a parameter that may be left out be null.
    fn optional(&mut self, mut schema: Value, is_optional: bool, place: Place<'_>) -> Value {
        if Wanted::of_schema(&schema, &schema).has(Wanted::NULL) {
            self.nullable.insert(place.names.to_owned());
        } else if let (true, Some(fields)) = (is_optional, schema.as_object_mut()) {
            add_null(fields);
            self.fillers.insert(place.names.to_owned());
            let message = "it may be left out, which is said by allowing null";
            self.changes.push((place.path.to_owned(), message.to_owned()));
        }
        schema
    }

    fn count(&mut self, fields: &Map<String, Value>, place: Place<'_>) -> Result<(), Refusal> {
        let properties = fields.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            self.sizes.properties += 1;
            self.sizes.characters += name.chars().count();
        }
        let length = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
        self.sizes.characters += fields.get("const").map_or(0, length);
        let values = fields.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let listed: usize = values.iter().map(length).sum();
        self.sizes.values += values.len();
        self.sizes.characters += listed;
        if values.len() > LONG_LIST && listed > MOST_LISTED {
            return Err(place.refusal("the list of its values is too long"));
        }
        Ok(())
    }
}

impl Place<'_> {
    fn refusal(self, reason: &str) -> Refusal {
        (self.path.to_owned(), reason.to_owned())
    }
}

fn has_type(fields: &Map<String, Value>, name: &str) -> bool {
    match fields.get("type") {
        Some(Value::Array(types)) => types.iter().any(|kind| kind == name),
        Some(kind) => kind == name,
        None => false,
    }
}

/// Leaves out what the subset does not know; what can be said in words is.
fn drop_unknown(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let unknown: Vec<String> = fields
        .iter()
        .filter(|(key, value)| match key.as_str() {
            "format" => !value.as_str().is_some_and(|format| FORMATS.contains(&format)),
            key => !TAKEN.contains(&key),
        })
        .map(|(key, _)| key.clone())
        .collect();
    for key in unknown {
        let Some(value) = fields.remove(&key) else { continue };
        if key.starts_with('$') || value.is_object() || value.is_array() {
            note(&key, "strict schemas do not know this key; it was left out");
        } else {
            describe(fields, &format!("{key}: {value}."));
            note(&key, "strict schemas do not know this; it is said in the description");
        }
    }
}

/// Adds the type that listed values have; a schema without any type is refused.
fn add_type(fields: &mut Map<String, Value>, place: Place<'_>) -> Result<(), Refusal> {
    if ["type", "anyOf"].iter().any(|key| fields.contains_key(*key)) {
        return Ok(());
    }
    let listed = fields.get("enum").and_then(Value::as_array).cloned();
    let constant = fields.get("const").map(|value| vec![value.clone()]);
    let kind = match listed.or(constant) {
        Some(values) => merge::type_of(&values),
        None if fields.contains_key("properties") => Some(json!("object")),
        None if fields.contains_key("items") => Some(json!("array")),
        None => None,
    };
    let kind =
        kind.ok_or_else(|| place.refusal("the type must be said, and anything goes there"))?;
    fields.insert("type".to_owned(), kind);
    Ok(())
}

fn add_null(fields: &mut Map<String, Value>) {
    if let Some(constant) = fields.remove("const") {
        fields.insert("enum".to_owned(), json!([constant]));
    }
    if let Some(values) = fields.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    if let Some(parts) = fields.get_mut("anyOf").and_then(Value::as_array_mut) {
        parts.push(json!({"type": "null"}));
    }
    match fields.get_mut("type") {
        // The listed values may have ruled null out that is among the types.
        Some(Value::Array(types)) if types.iter().any(|kind| kind == "null") => {}
        Some(Value::Array(types)) => types.push(json!("null")),
        Some(kind) => *kind = json!([kind.clone(), "null"]),
        None => {}
    }
}
