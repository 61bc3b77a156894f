//! Parameters of a tool that a client repeats in headers.
//!
//! A schema marks them by `x-mcp-header`; what a proxy reads in the header must be what the tool
//! gets.

use axum::http::HeaderMap;
use toolsmith_core::{JsonText, Value};

use super::headers::{decoded, text};
use crate::mcp::refusal::Refusal;

/// How a schema marks a parameter.
const MARK: &str = "x-mcp-header";

/// Checks that the marked parameters of a call are in its headers.
pub(crate) fn check(
    headers: Option<&HeaderMap>,
    schema: &JsonText,
    input: &Value,
) -> Result<(), Refusal> {
    let Some(headers) = headers else { return Ok(()) };
    // Nearly no schema marks any, and a text is searched faster than it is read.
    if !schema.as_str().contains(MARK) {
        return Ok(());
    }
    check_object(headers, &schema.to_value(), input)
}

/// Goes down the properties, which is the only way to a marked parameter.
fn check_object(headers: &HeaderMap, schema: &Value, input: &Value) -> Result<(), Refusal> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(());
    };
    for (name, property) in properties {
        let value = input.get(name).unwrap_or(&Value::Null);
        match property.get(MARK).and_then(Value::as_str) {
            Some(header) => agree(headers, &format!("mcp-param-{}", header.to_lowercase()), value)?,
            None => check_object(headers, property, value)?,
        }
    }
    Ok(())
}

fn agree(headers: &HeaderMap, header: &str, value: &Value) -> Result<(), Refusal> {
    let written = text(headers, header);
    let is_same = match (written, value) {
        (None, Value::Null) => true,
        (Some(written), value) => decoded(written).is_some_and(|text| is_written(&text, value)),
        (None, _) => false,
    };
    if is_same {
        return Ok(());
    }
    let why = format!("The header `{header}` does not say what the parameter says.");
    Err(Refusal::header_mismatch(why))
}

fn is_written(text: &str, value: &Value) -> bool {
    match value {
        Value::String(value) => value == text,
        Value::Bool(value) => text == if *value { "true" } else { "false" },
        // `42` and `42.0` are one number.
        Value::Number(value) => match (value.as_f64(), text.parse::<f64>()) {
            (Some(value), Ok(written)) => value.to_bits() == written.to_bits(),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn verdict(headers: &[(&'static str, &str)], input: &Value) -> bool {
        let schema = json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region" },
                "inner": { "properties": { "n": { "type": "integer", "x-mcp-header": "N" } } },
            },
        });
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        check(Some(&map), &JsonText::of(&schema), input).is_ok()
    }

    #[test]
    fn a_marked_parameter_is_in_the_header_and_the_same() {
        let region = [("mcp-param-region", "west")];
        assert!(verdict(&region, &json!({ "region": "west" })));
        assert!(!verdict(&region, &json!({ "region": "east" })));
        assert!(!verdict(&[], &json!({ "region": "west" })));
        assert!(!verdict(&region, &json!({})));
        assert!(verdict(&[], &json!({ "region": null })));
        assert!(verdict(
            &[("mcp-param-region", "=?base64?d2VzdA==?=")],
            &json!({ "region": "west" })
        ));
        assert!(!verdict(
            &[("mcp-param-region", "=?base64?d2VzdA?=")],
            &json!({ "region": "west" })
        ));
    }

    #[test]
    fn numbers_are_compared_as_numbers_wherever_they_are() {
        let inner = json!({ "inner": { "n": 42 } });
        assert!(verdict(&[("mcp-param-n", "42")], &inner));
        assert!(verdict(&[("mcp-param-n", "42.0")], &inner));
        assert!(!verdict(&[("mcp-param-n", "43")], &inner));
        assert!(!verdict(&[], &inner));
    }
}
