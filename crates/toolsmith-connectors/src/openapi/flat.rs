//! Objects as lists of fields: `allOf` is joined, references are followed.

use std::collections::HashSet;

use toolsmith_core::{Map, Value};

use super::{
    document::{Document, reference_of},
    kinds,
};

/// How many schemas may be joined, and how many fields they may have together.
const MOST: usize = 200;
const MOST_FIELDS: usize = 300;

/// The fields of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Flat<'a> {
    pub(super) fields: Vec<(&'a str, &'a Value)>,
    pub(super) required: Vec<&'a str>,
    pub(super) description: &'a str,
    /// Whether other fields are welcome, and how they look.
    pub(super) more: Option<&'a Value>,
    pub(super) is_nullable: bool,
    visited: usize,
}

/// Words beside which an object is more than its fields.
const MORE_THAN_FIELDS: [&str; 9] = [
    "oneOf",
    "anyOf",
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "enum",
    "const",
    "dependentSchemas",
];

/// Returns the fields of a schema; nothing when it is not plainly an object with fields.
pub(super) fn flatten<'a>(document: &Document<'a>, schema: &'a Value) -> Option<Flat<'a>> {
    // Kinds of an object have fields that it does not have itself.
    if kinds::of(document, schema).is_some() {
        return None;
    }
    let mut flat = Flat::default();
    add(document, schema, &mut flat, &mut HashSet::new(), 0)?;
    (!flat.fields.is_empty()).then_some(flat)
}

/// Tells what a schema is mostly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One word, or nobody knows.
    Single,
    List,
    Object,
}

/// Finds out whether a value may have parts.
pub(super) fn shape<'a>(document: &Document<'a>, schema: Option<&'a Value>, depth: usize) -> Shape {
    let Some(schema) = schema.and_then(|schema| document.follow(schema).ok()) else {
        return Shape::Single;
    };
    let is = |word: &str| match schema.get("type") {
        Some(Value::String(own)) => own == word,
        Some(Value::Array(list)) => list.iter().any(|own| own == word),
        _ => false,
    };
    if is("array") || (schema.get("type").is_none() && schema.get("items").is_some()) {
        return Shape::List;
    }
    if is("object") || (schema.get("type").is_none() && schema.get("properties").is_some()) {
        return Shape::Object;
    }
    if depth == 0 {
        return Shape::Single;
    }
    let members =
        ["allOf", "anyOf", "oneOf"].iter().filter_map(|word| schema.get(*word)?.as_array());
    let shapes = members.flatten().take(20).map(|member| shape(document, Some(member), depth - 1));
    shapes.into_iter().find(|shape| *shape != Shape::Single).unwrap_or(Shape::Single)
}

fn add<'a>(
    document: &Document<'a>,
    schema: &'a Value,
    flat: &mut Flat<'a>,
    seen: &mut HashSet<&'a str>,
    depth: usize,
) -> Option<()> {
    flat.visited += 1;
    if depth > 16 || flat.visited > MOST {
        return None;
    }
    if let Some(reference) = reference_of(schema) {
        // What is joined already adds nothing, and a circle ends here.
        if !seen.insert(reference) {
            return Some(());
        }
        return add(document, document.find(reference).ok()?, flat, seen, depth + 1);
    }
    let words = schema.as_object()?;
    if !is_object(words) || MORE_THAN_FIELDS.iter().any(|word| words.contains_key(*word)) {
        return None;
    }
    for member in words.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        add(document, member, flat, seen, depth + 1)?;
    }
    flat.is_nullable |= depth == 0 && words.get("nullable") == Some(&Value::Bool(true));
    if let Some(text) = words.get("description").and_then(Value::as_str).filter(|t| !t.is_empty()) {
        flat.description = text;
    }
    flat.more = words.get("additionalProperties").or(flat.more);
    for (name, field) in words.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if flat.fields.len() > MOST_FIELDS {
            return None;
        }
        match flat.fields.iter_mut().find(|(known, _)| known == name) {
            Some(known) => known.1 = field,
            None => flat.fields.push((name, field)),
        }
    }
    let required = words.get("required").and_then(Value::as_array);
    flat.required.extend(required.into_iter().flatten().filter_map(Value::as_str));
    Some(())
}

fn is_object(words: &Map<String, Value>) -> bool {
    match words.get("type") {
        None | Some(Value::Null) => true,
        Some(Value::String(word)) => word == "object",
        Some(Value::Array(list)) => list.iter().any(|word| word == "object"),
        Some(_) => false,
    }
}
