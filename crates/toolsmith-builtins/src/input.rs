//! Reads a checked input into the fields that a tool takes.

use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error as _};
use toolsmith_core::{ToolError, Value};

/// Reads an input; one that does not fit was not checked against the schema.
pub(crate) fn read<T: DeserializeOwned>(input: Value) -> Result<T, ToolError> {
    serde_json::from_value(input)
        .map_err(|error| ToolError::validation(format!("The input cannot be read: {error}.")))
}

/// Takes a field out of an input, uncopied; for values of any size and depth.
pub(crate) fn take(input: &mut Value, name: &str) -> Result<Value, ToolError> {
    let field = input.get_mut(name).map(Value::take);
    field.ok_or_else(|| ToolError::validation(format!("The input needs a field `{name}`.")))
}

/// Reads a whole number of 0 or more; JSON Schema takes 2.0 for one, and so must this.
pub(crate) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Some(given) = Option::<Value>::deserialize(deserializer)? else { return Ok(None) };
    if let Some(whole) = given.as_u64() {
        return Ok(Some(whole));
    }
    // Every float below 2^53 that has no fraction is a whole number of its own.
    let float = given.as_f64().filter(|float| float.fract() == 0.0 && (0.0..9e15).contains(float));
    float
        .and_then(|float| format!("{float:.0}").parse().ok())
        .map(Some)
        .ok_or_else(|| D::Error::custom("a whole number of 0 or more is wanted"))
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Count {
        #[serde(default, deserialize_with = "whole")]
        count: Option<u64>,
    }

    #[test]
    fn whole_numbers_are_read_however_json_writes_them() {
        for (given, expected) in [
            (json!({ "count": 3 }), Some(3)),
            (json!({ "count": 3.0 }), Some(3)),
            (json!({ "count": null }), None),
            (json!({}), None),
        ] {
            assert_eq!(read::<Count>(given).unwrap().count, expected);
        }
        for wrong in [json!({ "count": -1 }), json!({ "count": 1.5 }), json!({ "count": "3" })] {
            assert!(read::<Count>(wrong).unwrap_err().message().contains("cannot be read"));
        }
    }
}
