//! What a document says is kept, or it is told that it is not.

use toolsmith_core::{Value, json};

use super::{
    Reader, imported,
    mapping::{document, with_body},
};

/// Imports one operation, and returns its definition and everything that was said about it.
fn told(mut document: Value, operation: Value) -> (Value, String) {
    document["paths"] = json!({ "/x": { "post": operation } });
    let import = imported(&document);
    let definition = import.tools.first().cloned().unwrap_or_default();
    if !definition.is_null() {
        Reader::new().read(&definition).unwrap();
    }
    (definition, format!("{:?} {:?}", import.unmapped, import.warnings))
}

#[test]
fn nothing_is_dropped_in_silence() {
    let body = |media: Value| json!({ "requestBody": { "required": true, "content": media } });
    let of = |schema: Value| body(json!({ "application/json": { "schema": schema } }));
    for (operation, said) in [
        (json!({ "callbacks": { "done": { "$ref": "#/gone" } } }), "which is not in the document"),
        (
            json!({ "callbacks": { "done": { "{$url}": { "post": {} } } } }),
            "callback done of POST /x",
        ),
        (
            json!({ "responses": { "200": { "links": { "next": { "operationId": "y" } } } } }),
            "links to other operations are not carried over",
        ),
        (json!({ "parameters": [{ "in": "query" }] }), "one of its parameters has no name"),
        (
            body(json!({ "application/json": {}, "application/xml": {} })),
            "several media types; `application/json` is sent",
        ),
        (body(json!({ "application/xml": {} })), "`application/xml`, which is written as text"),
        (body(json!({})), "its body has no media type"),
        (of(json!({ "type": "object", "not": { "required": ["a"] } })), "`not` in its input"),
        (of(json!({ "patternProperties": { "^x-": {} } })), "`patternProperties` in its input"),
        (of(json!({ "anyOf": [{}], "oneOf": [{}] })), "`oneOf` in its input"),
        (of(json!({ "$ref": "other.yaml#/Pet" })), "refers to another document"),
        (of(json!({ "discriminator": { "propertyName": "kind" } })), "told apart by `kind`"),
    ] {
        let (_, told) = told(document(json!({})), operation.clone());
        assert!(told.contains(said), "{operation}: {told}");
    }
}

#[test]
fn what_stands_beside_the_reference_of_a_path_is_kept() {
    let mut document = document(json!({ "/x": {
        "$ref": "#/components/pathItems/x", "delete": { "operationId": "own" },
        "get": { "operationId": "nearer" }
    } }));
    document["components"] = json!({ "pathItems": { "x": {
        "get": { "operationId": "farther" }, "post": { "operationId": "shared" } } } });
    let import = imported(&document);
    let names: Vec<&Value> = import.tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["own", "nearer", "shared"]);
}

#[test]
fn examples_and_what_is_deprecated_are_kept() {
    let parameters = json!([
        { "name": "a", "in": "query", "example": "x1", "deprecated": true, "schema": { "type": "string" } },
        { "name": "b", "in": "query", "schema": { "type": "string", "example": 5 } },
        { "name": "c", "in": "query", "examples": { "one": { "value": 1 }, "two": { "value": 2 } }, "schema": { "type": "integer" } },
        { "name": "d", "in": "query", "schema": { "type": "string", "enum": ["p", "q"], "example": "p" } },
        { "name": "e", "in": "query", "schema": { "type": "integer", "examples": ["no number", 7] } }
    ]);
    let (definition, _) = told(document(json!({})), json!({ "parameters": parameters }));
    assert_eq!(
        definition["input_schema"]["properties"],
        json!({
            "a": { "type": "string", "examples": ["x1"], "deprecated": true },
            "b": { "type": "string", "examples": ["5"] },
            "c": { "type": "integer", "examples": [1, 2] },
            "d": { "type": "string", "enum": ["p", "q"] },
            "e": { "type": "integer", "examples": [7] }
        })
    );
}

#[test]
fn kinds_of_an_object_have_their_own_fields() {
    let to = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let kind = |field: &str| {
        let own = json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field] });
        json!({ "allOf": [to("Pet"), own] })
    };
    let mapping = json!({ "cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog" });
    let mut schemas = json!({
        "Pet": { "type": "object", "required": ["kind"], "additionalProperties": false,
                 "properties": { "kind": { "type": "string" }, "mother": to("Pet") },
                 "discriminator": { "propertyName": "kind", "mapping": mapping } },
        "Cat": kind("claws"), "Dog": kind("bark")
    });
    let definition = with_body(to("Pet"), schemas.clone());
    let input = &definition["input_schema"];
    assert_eq!(definition["entry"]["body"], "{body}");
    let pet = &input["$defs"]["Pet"];
    assert_eq!(pet["description"], "`kind` says which kind it is: cat, dog.");
    let cat = &pet["anyOf"][0]["properties"];
    assert_eq!(cat["claws"], json!({ "type": "string" }), "{input:#}");
    assert_eq!(cat["mother"], json!({ "$ref": "#/$defs/Pet" }));
    assert_eq!(
        with_body(to("Cat"), schemas.clone())["entry"].get("body"),
        None,
        "a kind has fields"
    );
    // A kind that is nothing but the object would be a circle; its fields are left open.
    schemas["Cat"] = json!({ "allOf": [to("Pet")] });
    let pet = with_body(to("Pet"), schemas)["input_schema"]["$defs"]["Pet"].clone();
    assert_eq!((pet.get("anyOf"), pet.get("additionalProperties")), (None, None), "{pet:#}");
}

#[test]
fn a_token_under_several_names_is_one_token() {
    let flow = |flow: &str| json!({ "type": "oauth2", "flows": { flow: { "authorizationUrl": "https://a.example" } } });
    let mut document = document(json!({}));
    document["components"] = json!({ "securitySchemes": {
        "Oauth2": flow("implicit"), "Oauth2c": flow("authorizationCode"),
        "key": { "type": "apiKey", "in": "query", "name": "key" }
    } });
    let security = json!([{ "Oauth2": [], "Oauth2c": [], "key": [] }]);
    let parameters = json!([
        { "name": "key", "in": "query", "schema": { "type": "string" } },
        { "name": "Authorization", "in": "header", "schema": { "type": "string" } },
        { "name": "X-Auth-Token", "in": "header", "schema": { "type": "string" } }
    ]);
    let (definition, told) =
        told(document, json!({ "security": security, "parameters": parameters }));
    let entry = &definition["entry"];
    assert_eq!(entry["auth"], json!({ "type": "bearer", "token": "${PET_STORE_TOKEN}" }), "{told}");
    assert_eq!(entry["query"], json!({ "key": "${PET_STORE_API_KEY}" }));
    assert_eq!(entry["headers"], json!({ "X-Auth-Token": "${PET_STORE_X_AUTH_TOKEN}" }));
    assert_eq!(definition["input_schema"]["properties"], json!({}));
}

#[test]
fn parameters_of_an_operation_replace_those_of_its_path_in_older_documents_too() {
    let field = |kind: &str| json!({ "name": "f", "in": "formData", "type": kind });
    let body = |kind: &str| json!({ "name": kind, "in": "body", "schema": { "type": kind } });
    let document = json!({ "swagger": "2.0", "info": { "title": "API" }, "host": "a.example", "paths": {
        "/a": { "parameters": [field("string")], "post": { "parameters": [field("integer")] } },
        "/b": { "parameters": [body("string")], "post": { "parameters": [body("integer")] } },
        "/c/{l}": { "get": { "parameters": [{ "name": "l", "in": "path", "type": "array",
            "collectionFormat": "pipes", "items": { "type": "string" } }] } }
    } });
    let import = imported(&document);
    let properties = |place: usize| &import.tools[place]["input_schema"]["properties"];
    assert_eq!(properties(0), &json!({ "f": { "type": "integer" } }));
    assert_eq!(properties(1), &json!({ "body": { "type": "integer" } }));
    assert!(import.warnings[0].contains("GET /c/{l}"), "{:?}", import.warnings);
}

#[test]
fn no_server_shows_a_password() {
    for url in ["https://user:pw@a.example", "https://:pw@a.example", "https://a.example/?key=x"] {
        let mut document = document(json!({ "/x": { "get": {} } }));
        document["servers"] = json!([{ "url": url }]);
        let import = imported(&document);
        assert_eq!(import.tools[0]["entry"]["base_url"], "${PET_STORE_URL}", "{url}");
    }
}
