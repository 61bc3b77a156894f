//! The check of a schema at registration: thorough, and cheap for the many ordinary ones.

use jsonschema::{Draft, ReferencingError, ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use toolsmith_core::{JsonText, ToolError};

use super::{
    Schema, bounds, glance,
    problems::{Subject, Telling},
};

/// Checks a schema without keeping anything of it.
pub(super) fn inspect(text: &JsonText) -> Result<(), ToolError> {
    let schema = read(text)?;
    draft(&schema)?;
    // A well-formed schema without references and patterns cannot fail to compile.
    if glance::is_usual(&schema) {
        return Ok(());
    }
    if is_ordinary(&schema) {
        return well_formed(&schema);
    }
    Schema::compile(text).map(drop)
}

/// Reads the text within its bounds.
pub(super) fn read(text: &JsonText) -> Result<Value, ToolError> {
    let text = text.as_str();
    if text.len() > bounds::SCHEMA_BYTES {
        return Err(refused(format!(
            "is {} bytes long; at most {} are allowed",
            text.len(),
            bounds::SCHEMA_BYTES
        )));
    }
    let schema: Value = serde_json::from_str(text).map_err(|error| {
        let is_deep = error.to_string().starts_with("recursion limit");
        refused(if is_deep { "is nested too deeply" } else { "is not JSON" }).with_source(error)
    })?;
    match schema {
        Value::Object(_) | Value::Bool(_) => Ok(schema),
        _ => Err(refused("is neither an object nor a boolean")),
    }
}

/// Returns the draft that `$schema` names; 2020-12 when it names none.
pub(super) fn draft(schema: &Value) -> Result<Draft, ToolError> {
    match schema.get("$schema") {
        None => Ok(Draft::Draft202012),
        Some(Value::String(name)) => match Draft::from_schema_uri(name) {
            Draft::Unknown => Err(refused(format!(
                "says `\"$schema\": \"{name}\"`, which is not a known draft of JSON Schema, and \
                 nothing is ever fetched; leave it out for 2020-12"
            ))),
            known => Ok(known),
        },
        Some(_) => Err(refused("has a `$schema` that is not a text")),
    }
}

/// Checks a schema against the meta-schema of its draft.
pub(super) fn well_formed(schema: &Value) -> Result<(), ToolError> {
    jsonschema::meta::validate(schema).map_err(|error| bad_schema(&error))
}

/// Makes the error for a schema that is refused: "The schema …".
pub(super) fn refused(why: impl AsRef<str>) -> ToolError {
    ToolError::validation(format!("The schema {}.", why.as_ref()))
}

/// Makes the error for a schema that the validator does not accept.
pub(super) fn bad_schema(error: &ValidationError<'_>) -> ToolError {
    match error.kind() {
        ValidationErrorKind::Referencing(error) => bad_reference(error),
        ValidationErrorKind::Format { format } if format == "regex" => refused(format!(
            "has a pattern at `{}` that is not a regular expression, or is too large",
            error.instance_path()
        )),
        _ => {
            let telling = Telling {
                subject: Subject::Schema,
                source: &Value::Null,
                given: &[],
                original: None,
            };
            let detail = telling.one(error).map_or_else(String::new, |problem| problem.message);
            refused(format!("is not valid JSON Schema: {}", detail.trim_end_matches('.')))
        }
    }
}

/// Makes the error for a reference that leads nowhere, or outside.
pub(super) fn bad_reference(error: &ReferencingError) -> ToolError {
    match error {
        ReferencingError::Unretrievable { uri, .. } => refused(format!(
            "refers to `{uri}`; references to other documents are never fetched: put the schema \
             under `$defs` and refer to it with `#/$defs/…`"
        )),
        ReferencingError::PointerToNowhere { pointer } => {
            refused(format!("refers to `#{pointer}`, which is not in it"))
        }
        ReferencingError::NoSuchAnchor { anchor } | ReferencingError::InvalidAnchor { anchor } => {
            refused(format!("refers to the anchor `{anchor}`, which is not in it"))
        }
        other => refused(format!("has a reference that cannot be followed: {other}")),
    }
}

/// Counts how deep schemas are nested in one another that run their own forms twice.
///
/// `unevaluatedProperties` finds out what `allOf`, `anyOf` and the like have seen by running them
/// again, so each such level doubles the work of what is inside.
pub(super) fn doublings(value: &Value) -> usize {
    const ASKING: [&str; 2] = ["unevaluatedItems", "unevaluatedProperties"];
    const ASKED: [&str; 5] = ["allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
    match value {
        Value::Array(items) => items.iter().map(doublings).max().unwrap_or(0),
        Value::Object(words) => {
            let has = |list: &[&str]| list.iter().any(|word| words.contains_key(*word));
            let own = usize::from(has(&ASKING) && has(&ASKED));
            own + words.values().map(doublings).max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// Tells whether nothing in a schema needs more than the meta-schema to be trusted.
///
/// A parameter that happens to have one of these names only costs a little time.
fn is_ordinary(schema: &Value) -> bool {
    const SPECIAL: [&str; 11] = [
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "$id",
        "$anchor",
        "$dynamicAnchor",
        "pattern",
        "patternProperties",
        "$vocabulary",
        "unevaluatedItems",
        "unevaluatedProperties",
    ];
    let is_plain = |(word, value): (&String, &Value)| match word.as_str() {
        word if SPECIAL.contains(&word) => false,
        // The outermost one has been read; another one further in changes the draft.
        "$schema" => true,
        _ => is_ordinary_inside(value),
    };
    schema.as_object().is_none_or(|words| words.iter().all(is_plain))
}

fn is_ordinary_inside(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_ordinary_inside),
        Value::Object(words) => !words.contains_key("$schema") && is_ordinary(value),
        _ => true,
    }
}
