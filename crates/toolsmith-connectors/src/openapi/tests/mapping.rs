//! What becomes of the parts of a document.

use toolsmith_core::{Value, json};
use toolsmith_net::Url;

use super::{Reader, imported};
use crate::openapi::{Options, Selection, import};

pub(super) fn document(paths: Value) -> Value {
    json!({
        "openapi": "3.0.3", "info": { "title": "The Pet Store API", "version": "1.2" },
        "servers": [{ "url": "https://pets.example/v1" }], "paths": paths
    })
}

/// Imports one operation with a body of that schema, and returns its definition.
pub(super) fn with_body(schema: Value, schemas: Value) -> Value {
    let media = json!({ "application/json": { "schema": schema } });
    let mut document = document(
        json!({ "/x": { "post": { "requestBody": { "required": true, "content": media } } } }),
    );
    document["components"] = json!({ "schemas": schemas });
    let import = imported(&document);
    Reader::new().read(&import.tools[0]).unwrap();
    import.tools[0].clone()
}

#[test]
fn an_operation_becomes_a_definition_that_a_person_would_keep() {
    let operation = json!({
        "operationId": "updatePet", "summary": "Update a pet", "deprecated": true,
        "description": "Changes <b>one</b> pet.\n\nSee [the guide](https://x.example).",
        "tags": ["pets"],
        "parameters": [
            { "name": "id", "in": "path", "required": true, "description": "Which pet.",
              "schema": { "type": "integer", "format": "int64", "minimum": 0, "exclusiveMinimum": true } },
            { "name": "dry", "in": "query", "schema": { "type": "boolean", "default": false } },
            { "name": "api-version", "in": "query", "required": true, "schema": { "type": "string", "default": "2" } }
        ],
        "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "type": "object", "required": ["name", "id"],
            "properties": { "id": { "type": "integer", "readOnly": true }, "name": { "type": "string", "maxLength": 20 },
                            "tag": { "type": "string", "nullable": true } }
        } } } },
        "responses": { "200": { "content": { "application/json": { "schema": {
            "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" } } } } } } }
    });
    let mut document = document(json!({ "/pets/{id}": { "put": operation } }));
    document["components"] = json!({ "securitySchemes": { "k": { "type": "apiKey", "in": "header", "name": "X-Key" } } });
    document["security"] = json!([{ "k": [] }]);
    let import = imported(&document);
    assert_eq!(
        import.tools[0],
        json!({
            "name": "updatePet",
            "title": "Update a pet",
            "description": "Update a pet. Changes one pet. See the guide.",
            "category": "http",
            "tags": ["pets"],
            "input_schema": {
                "type": "object",
                "properties": {
                    "id": { "description": "Which pet.", "type": "integer", "exclusiveMinimum": 0, "format": "int64" },
                    "dry": { "description": "Default: false.", "type": "boolean" },
                    "api-version": { "description": "Default: 2.", "type": "string", "default": "2" },
                    "name": { "type": "string", "maxLength": 20 },
                    "tag": { "type": ["string", "null"] }
                },
                "required": ["id", "name"]
            },
            "output": { "type": ["object", "null"], "properties": { "id": { "type": ["number", "null"] } } },
            "entry": {
                "type": "rest",
                "base_url": "${PET_STORE_URL:https://pets.example/v1}",
                "method": "PUT",
                "path": "/pets/{id}",
                "query": { "dry": "{dry}", "api-version": "{api-version}" },
                "keep_null": ["tag"],
                "auth": { "type": "api_key", "in": "header", "name": "X-Key", "value": "${PET_STORE_API_KEY}" }
            },
            "annotations": { "idempotent": true, "open_world": true },
            "deprecated": true
        })
    );
    assert_eq!(
        (import.title.as_str(), import.version.as_str(), import.name.as_str()),
        ("The Pet Store API", "1.2", "pet_store")
    );
    assert_eq!(import.variables, ["PET_STORE_API_KEY"]);
    assert!(import.unmapped.is_empty() && import.warnings.is_empty(), "{:?}", import.warnings);
    Reader::new().read(&import.tools[0]).unwrap();
}

#[test]
fn references_stand_where_they_are_used_unless_they_are_shared_or_recursive() {
    let schemas = json!({
        "Order": { "type": "object", "properties": {
            "from": { "$ref": "#/components/schemas/Address" }, "to": { "$ref": "#/components/schemas/Address" },
            "item": { "$ref": "#/components/schemas/Item" }, "state": { "$ref": "#/components/schemas/State" },
            "old": { "$ref": "#/components/schemas/State" }, "tree": { "$ref": "#/components/schemas/Node" }
        } },
        "Address": { "type": "object", "properties": {
            "street": { "type": "string", "description": "The street and the number of the house." },
            "city": { "type": "string", "description": "The town or the village, as people call it." } } },
        "Item": { "type": "object", "properties": { "sku": { "type": "string" } } },
        "State": { "type": "string", "enum": ["on", "off"] },
        "Node": { "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#/components/schemas/Node" } } } }
    });
    let definition = with_body(json!({ "$ref": "#/components/schemas/Order" }), schemas);
    let input = &definition["input_schema"];
    assert_eq!(input["properties"]["from"], json!({ "$ref": "#/$defs/Address" }));
    assert_eq!(input["properties"]["item"]["properties"]["sku"]["type"], "string");
    assert_eq!(input["properties"]["old"], json!({ "type": "string", "enum": ["on", "off"] }));
    assert_eq!(input["properties"]["tree"], json!({ "$ref": "#/$defs/Node" }));
    let names: Vec<&String> = input["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["Address", "Node"]);
    assert_eq!(
        input["$defs"]["Node"]["properties"]["children"]["items"],
        json!({ "$ref": "#/$defs/Node" })
    );
}

#[test]
fn combined_schemas_are_joined_where_they_are_one_object() {
    let schemas = json!({
        "Base": { "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } },
                  "discriminator": { "propertyName": "kind" } },
        "Cat": { "allOf": [{ "$ref": "#/components/schemas/Base" },
                           { "type": "object", "properties": { "lives": { "type": "integer" } }, "required": ["lives"] }] },
        "Dog": { "allOf": [{ "$ref": "#/components/schemas/Base" },
                           { "type": "object", "properties": { "barks": { "type": "boolean" } } }] }
    });
    let definition = with_body(json!({ "$ref": "#/components/schemas/Cat" }), schemas.clone());
    assert_eq!(
        definition["input_schema"],
        json!({ "type": "object", "properties": { "kind": { "type": "string" }, "lives": { "type": "integer" } },
                "required": ["kind", "lives"] })
    );
    let either = json!({ "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }],
                         "discriminator": { "propertyName": "kind" } });
    let definition = with_body(either, schemas.clone());
    let body = &definition["input_schema"]["properties"]["body"];
    assert_eq!(body["anyOf"][1]["properties"]["barks"], json!({ "type": "boolean" }));
    assert_eq!(body["anyOf"][1]["required"], json!(["kind"]));
    assert_eq!(definition["entry"]["body"], "{body}");
    let wrapped = json!({ "type": "object", "properties": { "pet": {
        "allOf": [{ "$ref": "#/components/schemas/Base" }], "nullable": true, "description": "The pet." } } });
    let definition = with_body(wrapped, schemas);
    let pet = &definition["input_schema"]["properties"]["pet"];
    assert_eq!(pet["description"], "The pet.");
    assert_eq!(pet["anyOf"][1], json!({ "type": "null" }));
    assert_eq!(definition["entry"]["keep_null"], json!(["pet"]));
}

#[test]
fn schemas_of_newer_documents_are_understood_too() {
    let definition = with_body(
        json!({ "type": "object", "properties": {
            "a": { "type": ["string", "null"], "pattern": "^[a-z]+$" }, "b": true, "c": { "const": 5 },
            "d": { "exclusiveMinimum": 3, "type": "integer" }, "e": { "type": "string", "pattern": "(" },
            "f": { "type": "string", "enum": [1, true, "x"] }, "g": { "type": "weird", "minLength": -1, "enum": [] } } }),
        json!({}),
    );
    assert_eq!(
        definition["input_schema"]["properties"],
        json!({
            "a": { "type": ["string", "null"], "pattern": "^[a-z]+$" }, "b": true, "c": { "const": 5 },
            "d": { "type": "integer", "exclusiveMinimum": 3 }, "e": { "type": "string" },
            "f": { "type": "string", "enum": ["1", "true", "x"] }, "g": {}
        })
    );
}

#[test]
fn what_cannot_be_mapped_is_listed_with_its_reason() {
    let mut document = document(json!({
        "/a": { "get": { "security": [{ "tls": [] }] }, "trace": {}, "put": "no" },
        "/b": { "$ref": "other.yaml#/b" },
        "/c": { "get": { "servers": [{ "url": "wss://x.example" }] } },
        "/d": { "post": { "callbacks": { "done": { "{$request.body#/url}": { "post": {} } } } } },
        "/e": { "get": { "parameters": [{ "$ref": "params.yaml#/x" }] } },
        "/f{": { "get": {} },
        "/g": { "get": { "security": [{ "digest": [] }] }, "query": {} }
    }));
    document["webhooks"] = json!({ "newPet": { "post": {} } });
    document["components"] = json!({ "securitySchemes": {
        "tls": { "type": "mutualTLS" }, "digest": { "type": "http", "scheme": "digest" } } });
    let import = imported(&document);
    let found: Vec<(&str, &str)> = import
        .unmapped
        .iter()
        .map(|left| (left.operation.as_str(), left.reason.as_str()))
        .collect();
    for (operation, why) in [
        ("GET /a", "mutual TLS"),
        ("TRACE /a", "do not send the method TRACE"),
        ("PUT /a", "not a map"),
        ("/b", "another document"),
        ("GET /c", "speaks `wss`"),
        ("callback done of POST /d", "requests that the API sends"),
        ("GET /e", "another document"),
        ("GET /f{", "braces"),
        ("GET /g", "`digest`"),
        ("QUERY /g", "QUERY"),
        ("webhook newPet", "requests that the API sends"),
    ] {
        assert!(
            found.iter().any(|(known, reason)| *known == operation && reason.contains(why)),
            "{operation}: {found:?}"
        );
    }
    assert_eq!((found.len(), import.tools.len()), (11, 1));
}

#[test]
fn warnings_are_said_once_for_all_operations() {
    let mut document = document(json!({
        "/a/{x}": { "get": {}, "put": {}, "post": {}, "delete": {} },
        "/b": { "get": { "parameters": [{ "name": "Authorization", "in": "header", "schema": { "type": "string" } },
                                        { "name": "Host", "in": "header", "schema": {} }] } },
        "/c": { "get": { "security": [{ "flow": [] }] } },
        "/d": { "get": { "security": [{ "gone": [] }] } },
        "/e": { "get": { "security": [{ "flow": [] }, { "key": [] }] } }
    }));
    document["components"] = json!({ "securitySchemes": {
        "flow": { "type": "oauth2", "flows": { "authorizationCode": {} } },
        "key": { "type": "apiKey", "in": "query", "name": "k" } } });
    let import = imported(&document);
    let said = import.warnings.join("\n");
    for part in [
        "not described; it is taken as text (4 operations: GET /a/{x}, PUT /a/{x}, POST /a/{x}, …)",
        "looks like a secret; it is taken from PET_STORE_AUTHORIZATION",
        "the header `Host` is set by the client itself",
        "get an access token yourself and set PET_STORE_TOKEN",
        "`gone`, which is not described",
        "several kinds of authorization would do (flow, key)",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let last = import.tools.last().unwrap();
    assert_eq!(last["entry"]["auth"]["in"], "query", "what works by itself comes first");
    assert_eq!(
        import.variables,
        ["PET_STORE_API_KEY", "PET_STORE_AUTHORIZATION", "PET_STORE_TOKEN"]
    );
}

#[test]
fn client_credentials_become_a_token_source() {
    let mut document =
        document(json!({ "/a": { "get": { "security": [{ "o": ["read", "write"] }] } } }));
    document["components"] = json!({ "securitySchemes": { "o": { "type": "oauth2", "flows": {
        "clientCredentials": { "tokenUrl": "https://pets.example/token" } } } } });
    let import = imported(&document);
    assert_eq!(
        import.tools[0]["entry"]["auth"],
        json!({ "type": "oauth2", "token_url": "https://pets.example/token", "client_id": "${PET_STORE_CLIENT_ID}",
                "client_secret": "${PET_STORE_CLIENT_SECRET}", "scope": "read write" })
    );
    Reader::new().read(&import.tools[0]).unwrap();
}

#[test]
fn operations_are_chosen_without_changing_their_names() {
    let document = document(json!({
        "/pets": { "get": { "operationId": "list", "tags": ["pets"] }, "post": { "operationId": "add", "tags": ["Pets"] } },
        "/pets/{id}": { "get": { "operationId": "list", "tags": ["pets"] } },
        "/users": { "get": { "operationId": "users", "tags": ["users"] } }
    }));
    let names = |selection: Selection| {
        let options = Options { selection, prefix: Some("p".to_owned()), ..Options::default() };
        import(&document, &options).map(|import| {
            import
                .tools
                .iter()
                .map(|tool| tool["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        })
    };
    let all = names(Selection::default()).unwrap();
    let of = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let only = |selection| names(selection).unwrap();
    assert_eq!(only(Selection { tags: of(&["pets"]), ..Selection::default() }), all[..3]);
    assert_eq!(only(Selection { paths: of(&["/pets/*"]), ..Selection::default() }), all[2..3]);
    assert_eq!(only(Selection { methods: of(&["post"]), ..Selection::default() }), ["p_add"]);
    assert_eq!(
        only(Selection { operations: of(&["users", &all[2]]), ..Selection::default() }),
        all[2..]
    );
    let error =
        names(Selection { tags: of(&["birds"]), ..Selection::default() }).unwrap_err().to_string();
    assert_eq!(
        error,
        "none of its 4 operations is wanted by these filters; its tags are: Pets, pets, users"
    );
}

#[test]
fn the_address_is_the_documents_or_the_one_that_is_given() {
    let base = |document: &Value, options: Options| {
        let import = import(document, &options).unwrap();
        let base = import.tools[0]["entry"]["base_url"].as_str().unwrap().to_owned();
        (base, import.variables)
    };
    let mut document = document(json!({ "/a": { "get": {} } }));
    let given =
        Options { base_url: Some("http://127.0.0.1:1/x/".to_owned()), ..Options::default() };
    assert_eq!(base(&document, given.clone()).0, "${PET_STORE_URL:http://127.0.0.1:1/x}");
    document["paths"]["/a"]["get"]["servers"] = json!([{ "url": "https://up.example" }]);
    assert_eq!(base(&document, Options::default()).0, "https://up.example");
    document["paths"]["/a"]["get"]["servers"] = json!([]);
    document["servers"] = json!([{ "url": "/v3" }]);
    let source = Some(Url::parse("https://docs.example/api.json").unwrap());
    assert_eq!(
        base(&document, Options { source, ..Options::default() }).0,
        "${PET_STORE_URL:https://docs.example/v3}"
    );
    let (base, variables) = base(&document, Options::default());
    assert_eq!((base.as_str(), variables), ("${PET_STORE_URL}", vec!["PET_STORE_URL".to_owned()]));
    let wrong = Options { base_url: Some("ftp://x".to_owned()), ..Options::default() };
    assert!(import(&document, &wrong).is_err());
}
