//! Inspection: what is refused before a tool is registered.

use super::*;

fn inspected(schema: &Value) -> String {
    let text = JsonText::of(schema);
    let error = Schema::inspect(&text).unwrap_err();
    assert!(Schema::compile(&text).is_err(), "{schema}");
    error.message().to_owned()
}

#[test]
fn remote_references_are_refused_by_name() {
    for (reference, named) in [
        ("https://example.com/a.json", "https://example.com/a.json"),
        ("http://127.0.0.1:1/x#/$defs/y", "http://127.0.0.1:1/x"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("other.json", "other.json"),
    ] {
        let message = inspected(&json!({"properties": {"a": {"$ref": reference}}}));
        assert!(message.contains(named) && message.contains("never fetched"), "{message}");
    }
}

#[test]
fn references_into_the_schema_and_to_meta_schemas_are_fine() {
    schema(&json!({"$ref": "#/$defs/a", "$defs": {"a": {}}}));
    schema(&json!({"$ref": "#name", "$defs": {"a": {"$anchor": "name"}}}));
    schema(&json!({
        "$id": "https://example.com/root",
        "$ref": "inner",
        "$defs": {"a": {"$id": "inner", "type": "object"}}
    }));
    for draft in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        let meta = schema(&json!({"$schema": draft, "$ref": draft}));
        assert!(meta.is_valid(&json!({"type": "object"})), "{draft}");
        assert!(!meta.is_valid(&json!({"type": "objekt"})), "{draft}");
    }
}

#[test]
fn references_to_nowhere_are_refused() {
    let message = inspected(&json!({"$ref": "#/$defs/missing"}));
    assert!(message.contains("/$defs/missing"), "{message}");
    let message = inspected(&json!({"$ref": "#missing"}));
    assert!(message.contains("`missing`"), "{message}");
}

#[test]
fn malformed_schemas_are_refused_with_the_place() {
    for (wrong, place) in [
        (json!({"type": "strin"}), "type"),
        (json!({"properties": {"a": {"minimum": "1"}}}), "properties.a.minimum"),
        (json!({"required": "a"}), "required"),
        (json!({"properties": {"a": 1}}), "properties.a"),
        (json!({"properties": {"a": {"pattern": "("}}}), "/properties/a/pattern"),
    ] {
        let message = inspected(&wrong);
        assert!(message.contains(&format!("`{place}`")), "{message}");
    }
    for wrong in [json!(1), json!("object"), json!([]), json!(null)] {
        assert_eq!(inspected(&wrong), "The schema is neither an object nor a boolean.");
    }
}

#[test]
fn the_draft_follows_from_the_schema() {
    // Draft 7 has lists for `items`, 2020-12 has not.
    let items = json!([{"type": "integer"}]);
    assert!(!inspected(&json!({"items": items})).is_empty());
    let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": items});
    assert!(!schema(&old).is_valid(&json!(["a"])));
    let message = inspected(&json!({"$schema": "https://example.com/mine"}));
    assert!(message.contains("https://example.com/mine"), "{message}");
}

#[test]
fn large_and_deep_schemas_are_refused() {
    let large = json!({"description": "x".repeat(1024 * 1024)});
    assert!(inspected(&large).contains("bytes long"));
    let deep = JsonText::from_trusted(format!(
        "{}{}",
        "{\"not\":".repeat(200),
        "{}".to_owned() + &"}".repeat(200)
    ));
    let message = Schema::inspect(&deep).unwrap_err().message().to_owned();
    assert_eq!(message, "The schema is nested too deeply.");
    let message = Schema::inspect(&JsonText::from_trusted("{".to_owned())).unwrap_err();
    assert_eq!(message.message(), "The schema is not JSON.");
}

#[test]
fn parameter_lists_are_schemas_too() {
    use toolsmith_core::{Parameter, schema_of};
    let list = [
        Parameter::string("expression").required().with_description("the arithmetic to evaluate"),
        Parameter::integer("precision").with_default(2).with_rule("max", 10),
    ];
    let text = schema_of(&list);
    Schema::inspect(&text).unwrap();
    let schema = Schema::compile(&text).unwrap();
    assert_eq!(
        passed(&schema, json!({"expression": "1+1"}), STRICT).0,
        json!({"expression": "1+1", "precision": 2})
    );
    let problems = refused(&schema, json!({}), STRICT);
    assert_eq!(
        messages(&problems),
        ["`expression` is required (string): the arithmetic to evaluate."]
    );
}

#[test]
fn formats_and_contents_are_annotations_in_every_draft() {
    for draft in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        let schema = schema(&json!({
            "$schema": draft, "format": "email", "contentEncoding": "base64",
            "contentMediaType": "application/json"
        }));
        assert!(schema.is_valid(&json!("not an address, not base64")), "{draft}");
    }
}
