//! `GET /openapi.json` and `GET /docs`: the addresses of this door, for programs and for people.

mod message;
mod page;
mod schemas;

use std::sync::LazyLock;

use axum::{
    http::{HeaderMap, StatusCode},
    response::{Html, Response},
};
use bytes::Bytes;
use toolsmith_core::{Map, Value, json};

pub(super) use self::message::Message;
use self::schemas::Schemas;
use super::{
    addresses::{self, Address, Fails, Sent},
    tagged,
};

/// The description, written when it is asked for first: it is the same for as long as we run.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| described().to_string().into());

/// Answers the description of the door as an OpenAPI 3.1 document.
pub(super) async fn document(headers: HeaderMap) -> Response {
    tagged::answer(&headers, "application/json", DOCUMENT.clone())
}

/// Answers the same as a page.
pub(super) async fn docs() -> Html<String> {
    Html(page::page(&described()))
}

fn described() -> Value {
    let mut schemas = Schemas::default();
    let mut paths: Map<String, Value> = Map::new();
    for address in addresses::all() {
        let path = paths.entry(address.path).or_insert_with(|| json!({}));
        path[address.verb.as_str()] = operation(address, &mut schemas);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Toolsmith",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Tools over HTTP: found, called, followed and looked after.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas.all(),
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
        },
        // On its own machine a server may do without.
        "security": [{ "key": [] }, {}],
    })
}

fn operation(address: &Address, schemas: &mut Schemas) -> Value {
    let names = address.path.split(['{', '}']).skip(1).step_by(2);
    let mut parameters: Vec<Value> = names.map(in_path).collect();
    if let Some(query) = address.query {
        parameters.extend(schemas.query(query));
    }
    let mut operation = json!({
        "operationId": operation_id(address),
        "summary": address.summary,
        "parameters": parameters,
        "responses": responses(address, schemas),
    });
    if let Some(body) = address.body {
        let content = json!({ "application/json": { "schema": schemas.read(body) } });
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

fn in_path(name: &str) -> Value {
    let schema = match name {
        "id" => json!({ "type": "string", "format": "uuid" }),
        "name" => json!({ "type": "string", "examples": ["echo"] }),
        _ => json!({ "type": "string" }),
    };
    json!({ "name": name, "in": "path", "required": true, "schema": schema })
}

/// Writes `GET /tools/{name}` as `get_tools_name`.
fn operation_id(address: &Address) -> String {
    let words = address.path.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words = words.filter(|word| !word.is_empty());
    std::iter::once(address.verb.as_str()).chain(words).collect::<Vec<_>>().join("_")
}

fn responses(address: &Address, schemas: &mut Schemas) -> Value {
    let mut responses = Map::new();
    for (status, sent) in address.answers {
        responses.insert(status.to_string(), response(*status, &content(*sent, schemas)));
    }
    let failure = json!({ "application/json": { "schema": failure(address, schemas) } });
    for status in address.failures() {
        responses.insert(status.to_string(), response(status, &failure));
    }
    Value::Object(responses)
}

/// A call that fails has an outcome; a request that is none has not.
fn failure(address: &Address, schemas: &mut Schemas) -> Value {
    let error = schemas.error();
    if address.can_fail_by(Fails::Call) {
        return json!({ "anyOf": [schemas.outcome(), error] });
    }
    if address.can_fail_by(Fails::Message) {
        return json!({ "anyOf": [schemas.message(), error] });
    }
    error
}

fn content(sent: Sent, schemas: &mut Schemas) -> Value {
    let text = json!({ "schema": { "type": "string" } });
    match sent {
        Sent::Json(of) => json!({ "application/json": { "schema": schemas.written(of) } }),
        Sent::JsonOrEvents(of) => json!({
            "application/json": { "schema": schemas.written(of) },
            "text/event-stream": text,
        }),
        Sent::JsonOrText(of) => json!({
            "application/json": { "schema": schemas.written(of) },
            "text/plain": text,
        }),
        Sent::Events => json!({ "text/event-stream": text }),
        Sent::Plain => json!({ "text/plain": text }),
        Sent::Page => json!({ "text/html": text }),
        Sent::Nothing => Value::Null,
    }
}

fn response(status: u16, content: &Value) -> Value {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let mut response = json!({ "description": reason.unwrap_or("The caller left") });
    if !content.is_null() {
        response["content"] = content.clone();
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_that_is_named_is_there() {
        let document = described();
        let text = document.to_string();
        for piece in text.split("#/components/schemas/").skip(1) {
            let name = piece.split('"').next().unwrap();
            let schema = &document["components"]["schemas"][name];
            assert!(schema.is_object() || schema.is_boolean(), "{name}");
        }
        assert!(page::page(&document).contains("/run_tool"));
    }

    #[test]
    fn every_operation_has_a_name_of_its_own() {
        let mut names: Vec<String> = addresses::all().iter().map(operation_id).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
