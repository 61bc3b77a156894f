//! Answers that are given again: by idempotency key, from a cache, from an equal call under way.

mod cache;
mod flight;
mod keys;

use std::fmt::Write as _;

use toolsmith_core::{Context, Text, Value};

pub(crate) use cache::{Cache, Cached, Lead as CacheLead};
pub(crate) use flight::Answer;
pub(crate) use keys::{First as KeyFirst, Keyed, Keys};

/// Writes a value with its keys in order, so that equal inputs are equal text.
pub(crate) fn normalised(value: &Value) -> String {
    let mut text = String::with_capacity(64);
    write_normalised(value, &mut text);
    text
}

/// Recursion is safe: checked inputs are at most 128 levels deep.
fn write_normalised(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in sorted {
                // Writing to a string cannot fail.
                write!(text, "{key:?}:").ok();
                write_normalised(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_normalised(item, text);
                text.push(',');
            }
            text.push(']');
        }
        other => {
            write!(text, "{other}").ok();
        }
    }
}

/// Who shares answers: the same person (or caller), allowed to touch the same folders.
pub(crate) fn scope_of(context: &Context) -> String {
    let who = context.user_id.as_ref().or(context.caller_id.as_ref());
    let mut scope = String::new();
    for part in [who, context.rights.namespace.as_ref()] {
        // The length in front keeps one part from running into the next.
        let part = part.map_or("", Text::as_str);
        write!(scope, "{}:{part};", part.len()).ok();
    }
    if let Some(paths) = &context.allowed_paths {
        write!(scope, "{paths:?}").ok();
    }
    scope
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_matter_and_everything_else_does() {
        let one = normalised(&json!({"a": 1, "b": [true, {"y": 1, "x": "é"}]}));
        assert_eq!(one, normalised(&json!({"b": [true, {"x": "é", "y": 1}], "a": 1})));
        for other in [json!({"a": "1"}), json!({"a": 1, "b": []}), json!({"a": 1.5}), json!(null)] {
            assert_ne!(one, normalised(&other));
        }
    }

    #[test]
    fn different_people_have_different_scopes() {
        let of = |user: &str, caller: &str| {
            scope_of(&Context {
                user_id: Some(user.into()),
                caller_id: Some(caller.into()),
                ..Context::default()
            })
        };
        assert_ne!(of("a", "x"), of("b", "x"));
        assert_eq!(of("a", "x"), of("a", "y"), "agents of one person share");
    }
}
