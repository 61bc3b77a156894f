//! `GET /openapi.json` and `GET /docs`: the addresses of this door, for programs and for people.

mod addresses;
mod page;
mod schemas;

use axum::{
    extract::State,
    http::HeaderMap,
    response::{Html, Response},
};
use toolsmith_core::{Map, Value, json};

use self::addresses::{ADDRESSES, Address, Kind, Sent};
use super::tagged;
use crate::Gateway;

/// Answers the description of the door as an OpenAPI 3.1 document.
pub(super) async fn document(State(_): State<Gateway>, headers: HeaderMap) -> Response {
    tagged::answer(&headers, "application/json", described().to_string().into())
}

/// Answers the same as a page.
pub(super) async fn docs() -> Html<String> {
    Html(page::page(ADDRESSES))
}

fn described() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for address in ADDRESSES {
        let path = paths.entry(address.path).or_insert_with(|| json!({}));
        path[address.method] = operation(address);
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
            "schemas": schemas::all(),
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
        },
        // On its own machine a server may do without.
        "security": [{ "key": [] }, {}],
    })
}

fn operation(address: &Address) -> Value {
    let names = address.path.split(['{', '}']).skip(1).step_by(2);
    let in_path = names.map(|name| {
        let kind = if name == "id" { Kind::Id } else { Kind::Text };
        json!({ "name": name, "in": "path", "required": true, "schema": kind.schema() })
    });
    let in_query = address.query.iter().map(|(name, kind)| {
        let required = address.path.ends_with("summary") && *name == "conversation_id";
        json!({ "name": name, "in": "query", "required": required, "schema": kind.schema() })
    });
    let mut operation = json!({
        "summary": address.summary,
        "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
        "responses": responses(address),
    });
    if let Some(schema) = address.body {
        operation["requestBody"] = json!({ "required": true, "content": content(schema) });
    }
    operation
}

fn responses(address: &Address) -> Value {
    let mut responses = Map::new();
    for (status, schema) in address.answers {
        let content = match schema {
            Sent::Json(schema) => content(schema),
            Sent::Events => json!({ "text/event-stream": {} }),
            Sent::JsonOrEvents(schema) => {
                let mut both = content(schema);
                both["text/event-stream"] = json!({});
                both
            }
            Sent::JsonOrText(schema) => {
                let mut both = content(schema);
                both["text/plain"] = json!({ "schema": { "type": "string" } });
                both
            }
            Sent::Text => json!({ "text/plain": { "schema": { "type": "string" } } }),
            Sent::Page => json!({ "text/html": {} }),
            Sent::Nothing => Value::Null,
        };
        let mut response = json!({ "description": description(status) });
        if !content.is_null() {
            response["content"] = content;
        }
        responses.insert((*status).to_owned(), response);
    }
    Value::Object(responses)
}

fn content(schema: &str) -> Value {
    json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
}

fn description(status: &str) -> &'static str {
    match status {
        "200" => "What was asked for",
        "201" => "It was made",
        "202" => "It goes on",
        "304" => "What the client has is still good",
        "503" => "Not at this moment",
        "4XX" => "What is wrong with the request, or with the call",
        _ => "What this server could not do",
    }
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
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
        assert!(page::page(ADDRESSES).contains("/run_tool"));
    }
}
