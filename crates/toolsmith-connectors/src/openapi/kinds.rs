//! Kinds of an object, told apart by what one of its fields says (`discriminator`).

use toolsmith_core::Value;

use super::{
    document::{Document, reference_of},
    flat::flatten,
};

/// How many wrappers are looked through.
const WRAPPERS: usize = 8;

/// How many kinds are named.
const NAMED: usize = 12;

/// The kinds of an object that does not list them as alternatives.
#[derive(Clone, Debug)]
pub(super) struct Kinds<'a> {
    /// The field that tells them apart.
    pub(super) field: &'a str,
    /// What the field says, with a reference to the kind; empty when the document does not list them.
    listed: Vec<(&'a str, &'a str)>,
}

/// Returns the kinds of a schema.
pub(super) fn of<'a>(document: &Document<'a>, schema: &'a Value) -> Option<Kinds<'a>> {
    let schema = unwrapped(document, schema)?;
    if ["oneOf", "anyOf", "allOf"].iter().any(|word| schema.get(*word).is_some()) {
        return None;
    }
    let discriminator = schema.get("discriminator")?;
    // Swagger 2.0 has the name of the field alone.
    let field = discriminator.as_str().or_else(|| discriminator.get("propertyName")?.as_str())?;
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let listed = mapping.into_iter().flatten();
    let listed = listed.filter_map(|(word, kind)| Some((word.as_str(), kind.as_str()?)));
    Some(Kinds { field, listed: listed.collect() })
}

/// Says in words which kinds the field of a `discriminator` tells apart.
pub(super) fn told(discriminator: &Value) -> Option<String> {
    let field = discriminator.get("propertyName")?.as_str()?;
    let mapping =
        discriminator.get("mapping")?.as_object().filter(|mapping| !mapping.is_empty())?;
    let words: Vec<&str> = mapping.keys().take(NAMED).map(String::as_str).collect();
    let more = if mapping.len() > NAMED { ", …" } else { "" };
    Some(format!("`{field}` says which kind it is: {}{more}.", words.join(", ")))
}

impl<'a> Kinds<'a> {
    /// Returns references to the kinds; nothing when one of them is not plainly an object.
    ///
    /// A kind is commonly made of the object whose kind it is. Only one whose fields can be joined
    /// to a list is taken, so that no schema refers to itself without a step between.
    pub(super) fn references(&self, document: &Document<'a>) -> Option<Vec<&'a str>> {
        let is_plain = |reference: &str| {
            let found = document.find(reference);
            found.is_ok_and(|found| flatten(document, found).is_some())
        };
        let references: Vec<&str> = self.listed.iter().map(|(_, reference)| *reference).collect();
        let is_fine = !references.is_empty() && references.iter().all(|kind| is_plain(kind));
        is_fine.then_some(references)
    }
}

/// Looks through references, and through `allOf` around a single one.
fn unwrapped<'a>(document: &Document<'a>, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = document.follow(schema).ok()?;
    for _ in 0..WRAPPERS {
        let members = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice);
        match members {
            Some([only]) if reference_of(only).is_some() && schema.get("properties").is_none() => {
                schema = document.follow(only).ok()?;
            }
            _ => return Some(schema),
        }
    }
    None
}
