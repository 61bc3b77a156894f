//! A document as large as the largest that companies publish.

use toolsmith_core::{Map, Value, json};
use toolsmith_definitions::yaml;

use super::{Reader, imported};

const SCHEMAS: usize = 600;
const PATHS: usize = 600;

/// A text of so many words, different for each number.
fn words(number: usize, count: usize) -> String {
    const WORDS: [&str; 8] =
        ["account", "returns", "the", "whether", "a", "customer's", "invoice", "of"];
    let words: Vec<&str> = (0..count).map(|n| WORDS[(number + n * n) % WORDS.len()]).collect();
    format!("Number {number}: {}.", words.join(" "))
}

fn to(number: usize) -> Value {
    json!({ "$ref": format!("#/components/schemas/Model{}", number % SCHEMAS) })
}

/// An object with nested parts that others use too, and itself.
fn schema(number: usize) -> Value {
    let mut fields = Map::new();
    for n in 0..14 {
        let field = json!({ "type": "string", "maxLength": 5_000, "description": words(n, 50) });
        fields.insert(format!("field_{n}"), field);
    }
    let state = json!({ "type": "string", "enum": ["open", "paid", "void"], "default": "open" });
    let inner = json!({ "type": "object", "required": ["id"], "properties": {
        "id": { "type": "string", "example": "id_123" }, "deep": { "type": "array", "items": to(number * 7 + 1) } } });
    fields.insert("state".to_owned(), state);
    fields.insert("inner".to_owned(), inner);
    fields.insert("next".to_owned(), to(number * 13 + 5));
    fields.insert("itself".to_owned(), to(number));
    fields.insert("either".to_owned(), json!({ "anyOf": [to(number + 1), { "type": "string" }] }));
    json!({ "type": "object", "description": words(number, 80), "required": ["state"], "properties": fields })
}

fn operation(number: usize) -> Value {
    let parameters: Vec<Value> = (0..8)
        .map(|n| json!({ "name": format!("filter[{n}]"), "in": "query", "description": words(n, 60), "schema": { "type": "string" } }))
        .collect();
    let content = |schema: Value| json!({ "application/json": { "schema": schema } });
    let failures = ["400", "401", "403", "404", "409", "429", "500"];
    let mut responses: Map<String, Value> = failures
        .iter()
        .map(|status| {
            (
                (*status).to_owned(),
                json!({ "description": words(number, 70), "content": content(to(0)) }),
            )
        })
        .collect();
    responses.insert(
        "200".to_owned(),
        json!({ "description": "It is done.", "content": content(to(number)) }),
    );
    json!({
        "operationId": format!("operation_{number}"), "summary": words(number, 8),
        "description": words(number, 200), "tags": [format!("tag {}", number % 40)],
        "parameters": parameters, "responses": responses
    })
}

/// A document of 13 MB with 1,200 operations.
fn document() -> Value {
    let mut paths = Map::new();
    for n in 0..PATHS {
        let mut post = operation(n * 2 + 1);
        post["requestBody"] = json!({ "content": { "application/json": { "schema": to(n) } } });
        let id = json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
        let item = json!({ "parameters": id, "get": operation(n * 2), "post": post });
        paths.insert(format!("/v1/things_{n}/{{id}}"), item);
    }
    let schemas: Map<String, Value> =
        (0..SCHEMAS).map(|n| (format!("Model{n}"), schema(n))).collect();
    json!({
        "openapi": "3.0.3", "info": { "title": "API", "version": "1" },
        "servers": [{ "url": "https://a.example" }], "paths": paths, "components": { "schemas": schemas }
    })
}

#[test]
fn a_document_of_13_megabytes_is_imported_whole() {
    let document = document();
    let size = document.to_string().len();
    assert!(size > 13_000_000, "{size}");
    let import = imported(&document);
    assert_eq!((import.tools.len(), import.unmapped.len()), (1_200, 0));
    let largest = import.tools.iter().map(|tool| tool.to_string().len()).max().unwrap();
    assert!(largest < 48 * 1024, "{largest}");
    let reader = Reader::new();
    for definition in import.tools.iter().step_by(60) {
        reader.read(definition).unwrap();
    }
    let text = yaml::write(&document);
    assert!(
        yaml::parse_foreign(&text, 64 << 20).unwrap().to_json() == document,
        "YAML is the same"
    );
}
