//! Schemas of tools, as clients may be told them.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolsmith_core::JsonText;

/// How the schema of every tool begins that we wrote ourselves.
const USUAL: &str = r#"{"type":"object""#;

#[derive(Deserialize)]
struct Root<'a> {
    #[serde(borrow)]
    r#type: Option<&'a RawValue>,
}

/// Tells whether a schema describes an object, and says so.
pub(super) fn is_of_object(schema: &JsonText) -> bool {
    if schema.as_str().starts_with(USUAL) {
        return true;
    }
    let root = serde_json::from_str::<Root<'_>>(schema.as_str()).ok();
    root.and_then(|root| root.r#type).is_some_and(|kind| kind.get() == r#""object""#)
}

/// Writes the schema of an input: the protocol wants it to say that it is one of an object.
pub(super) fn write_input(text: &mut Vec<u8>, schema: &JsonText) {
    let written = schema.as_str();
    if is_of_object(schema) {
        return text.extend_from_slice(written.as_bytes());
    }
    let Ok(serde_json::Value::Object(mut schema)) = serde_json::from_str(written) else {
        return text.extend_from_slice(br#"{"type":"object"}"#);
    };
    schema.insert("type".to_owned(), "object".into());
    super::super::wire::put(text, &schema);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(schema: &str) -> String {
        let mut text = Vec::new();
        write_input(&mut text, &JsonText::from_trusted(schema.to_owned()));
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn every_input_is_said_to_be_an_object() {
        let usual = r#"{"type":"object","properties":{}}"#;
        assert_eq!(written(usual), usual);
        let late = r#"{"$schema":"x", "type" : "object"}"#;
        assert_eq!(written(late), late);
        assert_eq!(written(r#"{"required":["a"]}"#), r#"{"required":["a"],"type":"object"}"#);
        assert_eq!(written(r#"{"type":["object","null"]}"#), r#"{"type":"object"}"#);
        assert_eq!(written("true"), r#"{"type":"object"}"#);
    }
}
