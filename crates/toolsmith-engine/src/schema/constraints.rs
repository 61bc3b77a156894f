//! The rules of a schema that are neither types nor lists, in plain words.

use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};

use super::wording;

/// Says what a value breaks, and what is expected of it.
pub(super) fn constraint(kind: &ValidationErrorKind, value: &Value) -> (String, Value) {
    use ValidationErrorKind as Kind;
    let got = || wording::said(value);
    match kind {
        Kind::Maximum { limit } => {
            (format!("must be at most {limit}; got {}", got()), json!({"maximum": limit}))
        }
        Kind::Minimum { limit } => {
            (format!("must be at least {limit}; got {}", got()), json!({"minimum": limit}))
        }
        Kind::ExclusiveMaximum { limit } => (
            format!("must be less than {limit}; got {}", got()),
            json!({"exclusiveMaximum": limit}),
        ),
        Kind::ExclusiveMinimum { limit } => (
            format!("must be more than {limit}; got {}", got()),
            json!({"exclusiveMinimum": limit}),
        ),
        Kind::MultipleOf { multiple_of } => (
            format!("must be a multiple of {multiple_of}; got {}", got()),
            json!({"multipleOf": multiple_of}),
        ),
        Kind::Pattern { pattern } => (
            format!("must match the pattern `{}`; got {}", wording::cut(pattern, 200), got()),
            json!({"pattern": wording::cut(pattern, 200)}),
        ),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => (
            "takes too many steps to check against its pattern; give a shorter text".to_owned(),
            Value::Null,
        ),
        Kind::Not { schema } => (
            format!("must not be what the schema excludes; got {}", got()),
            json!({"not": wording::shortened(schema)}),
        ),
        Kind::FalseSchema => ("is not allowed".to_owned(), Value::Null),
        Kind::Contains => {
            ("does not contain the items that it must".to_owned(), json!({"contains": true}))
        }
        Kind::UniqueItems => {
            ("must not contain the same item twice".to_owned(), json!({"uniqueItems": true}))
        }
        Kind::UnevaluatedItems { .. } => {
            ("has more items than the schema describes".to_owned(), Value::Null)
        }
        Kind::PropertyNames { error } => (
            format!(
                "has a field with a name that is not allowed: {}",
                wording::said(error.instance())
            ),
            Value::Null,
        ),
        Kind::Format { format } => {
            (format!("must be of the format {format}; got {}", got()), json!({"format": format}))
        }
        other => size(other, value)
            .unwrap_or_else(|| ("does not fit the schema".to_owned(), Value::Null)),
    }
}

/// Says that a value is too short or too long.
fn size(kind: &ValidationErrorKind, value: &Value) -> Option<(String, Value)> {
    use ValidationErrorKind as Kind;
    let (word, bound, limit, noun) = match kind {
        Kind::MinLength { limit } => ("minLength", "at least", *limit, "character"),
        Kind::MaxLength { limit } => ("maxLength", "at most", *limit, "character"),
        Kind::MinItems { limit } => ("minItems", "at least", *limit, "item"),
        Kind::MaxItems { limit } => ("maxItems", "at most", *limit, "item"),
        Kind::AdditionalItems { limit } => ("maxItems", "at most", *limit as u64, "item"),
        Kind::MinProperties { limit } => ("minProperties", "at least", *limit, "field"),
        Kind::MaxProperties { limit } => ("maxProperties", "at most", *limit, "field"),
        _ => return None,
    };
    let has = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => return None,
    };
    let limit_words = wording::counted(limit, noun);
    Some((format!("must have {bound} {limit_words}; it has {has}"), json!({word: limit})))
}
