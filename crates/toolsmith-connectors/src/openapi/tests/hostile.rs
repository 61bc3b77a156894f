//! Documents that want to do harm: nothing hangs, panics, grows without bound or leaks.

use proptest::prelude::*;
use toolsmith_core::{Map, Value, json};

use super::{Reader, imported};
use crate::openapi::{Options, import};

fn with_schema(schema: Value, schemas: Value) -> Value {
    let media = json!({ "application/json": { "schema": schema } });
    json!({
        "openapi": "3.1.0", "info": { "title": "API" }, "servers": [{ "url": "https://a.example" }],
        "paths": { "/x": { "post": {
            "requestBody": { "content": media },
            "responses": { "200": { "content": media } }
        } } },
        "components": { "schemas": schemas }
    })
}

/// Imports a document with one operation: it is right, and small.
fn check(document: &Value) -> Value {
    let import = imported(document);
    assert_eq!(import.tools.len(), 1, "{:?}", import.unmapped);
    let definition = import.tools[0].clone();
    assert!(definition.to_string().len() < 48 * 1024, "{}", definition.to_string().len());
    Reader::new().read(&definition).unwrap();
    definition
}

#[test]
fn references_that_go_in_circles_end() {
    let to = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let schemas = json!({
        "Self": to("Self"), "A": to("B"), "B": to("A"),
        "All": { "allOf": [to("All"), { "type": "object", "properties": { "x": to("All") } }] },
        "Any": { "anyOf": [to("Any"), { "type": "string" }] },
        "Not": { "oneOf": [{ "allOf": [to("Not")] }] },
        "List": { "type": "array", "items": to("List") },
        "Deep": { "type": "object", "properties": { "deep": to("Deep") }, "additionalProperties": to("Deep") }
    });
    for name in ["Self", "A", "All", "Any", "Not", "List", "Deep", "Gone"] {
        check(&with_schema(to(name), schemas.clone()));
        check(&with_schema(
            json!({ "type": "object", "properties": { "p": to(name), "q": to(name) } }),
            schemas.clone(),
        ));
    }
    let mut document = with_schema(json!({}), json!({}));
    document["paths"]["/y"] = json!({ "$ref": "#/paths/~1y" });
    document["paths"]["/z"] =
        json!({ "get": { "parameters": [{ "$ref": "#/paths/~1z/get/parameters/0" }] } });
    let import = imported(&document);
    assert_eq!((import.tools.len(), import.unmapped.len()), (1, 2));
}

#[test]
fn references_that_multiply_do_not_grow() {
    for word in ["properties", "anyOf", "allOf"] {
        let mut schemas = Map::new();
        for level in 0..60 {
            let next = json!({ "$ref": format!("#/components/schemas/L{}", level + 1) });
            let schema = match word {
                "properties" => {
                    json!({ "type": "object", "properties": { "a": next, "b": next, "c": next } })
                }
                word => json!({ word: [next, next, next] }),
            };
            schemas.insert(format!("L{level}"), schema);
        }
        schemas.insert(
            "L60".to_owned(),
            json!({ "type": "object", "properties": { "x": { "type": "string" } } }),
        );
        check(&with_schema(json!({ "$ref": "#/components/schemas/L0" }), Value::Object(schemas)));
    }
}

#[test]
fn what_is_deep_wide_or_long_is_cut() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..50 {
        deep = json!({ "type": "object", "properties": { "x": deep } });
    }
    check(&with_schema(deep, json!({})));
    let values: Vec<String> = (0..100_000).map(|n| format!("value {n}")).collect();
    let wide =
        json!({ "type": "object", "properties": { "e": { "type": "string", "enum": values } } });
    check(&with_schema(wide, json!({})));
    let fields: Map<String, Value> = (0..50_000)
        .map(|n| (format!("field{n}"), json!({ "type": "string", "description": "x".repeat(50) })))
        .collect();
    check(&with_schema(json!({ "type": "object", "properties": fields }), json!({})));
    let long = json!({ "type": "string", "description": "word ".repeat(1_000_000), "pattern": "(a*)*".repeat(1_000),
                       "default": "x".repeat(1_000_000), "enum": ["y".repeat(1_000_000)] });
    let mut document = with_schema(long, json!({}));
    document["info"]["title"] = "t".repeat(1_000_000).into();
    document["paths"]["/x"]["post"]["description"] = "<".repeat(1_000_000).into();
    document["paths"]["/x"]["post"]["tags"] = json!(vec!["tag"; 10_000]);
    document["paths"]["/x"]["post"]["operationId"] = "o".repeat(1_000_000).into();
    check(&document);
}

#[test]
fn a_hundred_thousand_operations_are_bounded() {
    let paths: Map<String, Value> = (0..100_000)
        .map(|n| (format!("/p{n}"), json!({ "get": { "operationId": "same" } })))
        .collect();
    let import = imported(&json!({ "openapi": "3.0.0", "paths": paths }));
    assert_eq!((import.tools.len(), import.unmapped.len()), (20_000, 80_000));
    assert!(import.unmapped[0].reason.contains("more than 20000 operations"));
}

#[test]
fn names_that_are_paths_or_templates_are_harmless() {
    let mut document = with_schema(
        json!({ "type": "object", "properties": {
        "${HOME}": { "type": "string", "enum": ["${HOME}", "x"], "description": "${HOME}", "default": "${HOME}" }
    } }),
        json!({}),
    );
    let operation = &mut document["paths"]["/x"]["post"];
    operation["operationId"] = "../../${HOME}/x".into();
    operation["summary"] = "${SECRET} $${SECRET}".into();
    operation["tags"] = json!(["${SECRET}"]);
    operation["parameters"] = json!([
        { "name": "q${HOME}", "in": "query", "required": true, "schema": { "enum": ["${HOME}"] } },
        { "name": "{q}", "in": "query", "required": true, "schema": { "enum": ["{other}"] } },
    ]);
    let definition = check(&document);
    assert_eq!(definition["name"], "HOME_x");
    let tool = Reader::new().read(&definition).unwrap();
    assert_eq!(&*tool.spec.title.unwrap(), "${SECRET} $${SECRET}");
    assert_eq!(&*tool.spec.tags[0], "${SECRET}");
    let entry = &definition["entry"];
    // Keys are never taken for templates.
    assert_eq!(entry["query"], json!({ "q${HOME}": "{q_HOME}", "{q}": "{q}" }));
    assert_eq!(entry["body"], json!({ "${HOME}": "{HOME}" }));
    let input = tool.spec.input_schema.to_value();
    assert_eq!(input["properties"]["HOME"]["enum"], json!(["${HOME}", "x"]));
}

#[test]
fn what_is_no_document_is_said_to_be_none() {
    for (document, said) in [
        (json!(null), "not a map"),
        (json!([]), "not a map"),
        (json!({}), "neither"),
        (json!({ "openapi": "4.0" }), "its version is `4.0`"),
        (json!({ "swagger": "1.2" }), "its version is `1.2`"),
        (json!({ "openapi": { "x": 1 } }), "neither"),
    ] {
        let error = import(&document, &Options::default()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    for paths in [json!(null), json!([]), json!("x"), json!({}), json!({ "/x": 5 })] {
        assert!(imported(&json!({ "openapi": "3.1.0", "paths": paths })).tools.is_empty());
    }
}

/// The words of documents, so that wrong types meet the readers of all of them.
const WORDS: [&str; 44] = [
    "paths",
    "/x",
    "/x/{id}",
    "get",
    "post",
    "parameters",
    "name",
    "in",
    "required",
    "schema",
    "type",
    "items",
    "properties",
    "allOf",
    "anyOf",
    "oneOf",
    "$ref",
    "enum",
    "default",
    "requestBody",
    "content",
    "application/json",
    "multipart/form-data",
    "encoding",
    "style",
    "explode",
    "servers",
    "url",
    "variables",
    "security",
    "components",
    "securitySchemes",
    "schemas",
    "responses",
    "200",
    "tags",
    "operationId",
    "description",
    "nullable",
    "const",
    "pattern",
    "minimum",
    "consumes",
    "callbacks",
];
const TEXTS: [&str; 22] = [
    "",
    "x",
    "id",
    "path",
    "query",
    "header",
    "cookie",
    "body",
    "formData",
    "string",
    "array",
    "object",
    "apiKey",
    "oauth2",
    "#/components/schemas/x",
    "#/paths",
    "#",
    "https://a.example/{x}",
    "deepObject",
    "matrix",
    "binary",
    "${X}",
];

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(TEXTS.as_slice()).prop_map(Value::from)
    ];
    leaf.prop_recursive(8, 200, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(WORDS.as_slice()), inner), 0..6).prop_map(
                |pairs| {
                    Value::Object(
                        pairs.into_iter().map(|(word, value)| (word.to_owned(), value)).collect(),
                    )
                }
            )
        ]
    })
}

proptest! {
    #[test]
    fn wrong_types_anywhere_are_no_reason_to_panic(operation in anything(), shared in anything(), schemas in anything(), is_old in any::<bool>()) {
        let mut document = json!({
            "paths": { "/x/{id}": { "post": operation, "get": { "parameters": shared.clone(), "requestBody": shared }, "put": schemas.clone() } },
            "components": { "schemas": { "x": schemas.clone() }, "securitySchemes": schemas.clone() },
            "security": schemas.clone(), "servers": schemas, "info": { "title": "API" }
        });
        let word = if is_old { "swagger" } else { "openapi" };
        document[word] = if is_old { "2.0".into() } else { "3.1.0".into() };
        let import = imported(&document);
        let reader = Reader::new();
        for definition in &import.tools {
            if let Err(wrong) = reader.read(definition) {
                prop_assert!(false, "{}\n{:#}", wrong, document);
            }
        }
    }
}
