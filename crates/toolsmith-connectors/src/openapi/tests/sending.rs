//! Requests of imported tools, as a real server sees them.

use toolsmith_core::{Value, json};

use super::{Reader, imported};
use crate::rest::tests::server::{Reply, Seen, Server};

/// Imports a document whose server is this one, calls the only tool, and returns the request.
async fn sent(mut document: Value, input: Value) -> Seen {
    let server = Server::start(|_| Reply::new(200, "application/json", "{}")).await;
    match document.get("swagger") {
        Some(_) => {
            document["host"] = server.address.to_string().into();
            document["schemes"] = json!(["http"]);
        }
        None => document["servers"] = json!([{ "url": server.url("/v1") }]),
    }
    let import = imported(&document);
    assert_eq!((import.tools.len(), &import.unmapped), (1, &Vec::new()), "{:?}", import.warnings);
    Reader::new().bench(&import.tools[0]).call(input).await.unwrap();
    server.seen().remove(0)
}

/// An OpenAPI document with one operation.
fn document(method: &str, path: &str, operation: Value) -> Value {
    json!({ "openapi": "3.0.3", "info": { "title": "API", "version": "1" }, "paths": { path: { method: operation } } })
}

fn parameter(name: &str, place: &str, kind: &str, more: Value) -> Value {
    let mut parameter = json!({ "name": name, "in": place, "required": place == "path", "schema": { "type": kind } });
    parameter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    parameter
}

#[tokio::test]
async fn every_style_of_a_path_stands_in_its_place() {
    let styled = |name: &str, kind: &str, style: &str, explode: bool| {
        parameter(name, "path", kind, json!({ "style": style, "explode": explode }))
    };
    let operation = json!({ "parameters": [
        styled("a", "string", "simple", false),
        styled("b", "array", "simple", true),
        styled("c", "object", "simple", true),
        styled("d", "array", "label", true),
        styled("e", "object", "label", false),
        styled("f f", "array", "matrix", true),
        styled("g", "object", "matrix", true),
    ] });
    let seen = sent(
        document("get", "/{a}/{b}/{c}/x{d}/{e}/{f f}/{g}.json", operation),
        json!({
            "a": "p/q", "b": [1, "2"], "c": { "x": 1, "y": "z" }, "d": ["u", "v"], "e": { "k": 1 },
            "f_f": ["m", "n"], "g": { "R": 1, "G": 2 }
        }),
    );
    let seen = seen.await;
    assert_eq!(seen.target, "/v1/p%2Fq/1,2/x=1,y=z/x.u.v/.k,1/;f%20f=m;f%20f=n/;R=1;G=2.json");
    assert_eq!(seen.method, "GET");
}

#[tokio::test]
async fn every_style_of_a_query_stands_in_its_place() {
    let styled = |name: &str, kind: &str, more: Value| parameter(name, "query", kind, more);
    let operation = json!({ "parameters": [
        styled("plain", "string", json!({})),
        styled("many", "array", json!({})),
        styled("csv", "array", json!({ "explode": false })),
        styled("spread", "object", json!({})),
        styled("flat", "object", json!({ "explode": false })),
        styled("space", "array", json!({ "style": "spaceDelimited", "explode": false })),
        styled("pipe", "array", json!({ "style": "pipeDelimited", "explode": false })),
        styled("deep", "object", json!({ "style": "deepObject", "explode": true })),
        styled("open", "string", json!({ "allowReserved": true })),
        styled("closed", "string", json!({})),
        { "name": "json", "in": "query", "content": { "application/json": { "schema": { "type": "array" } } } },
        styled("brackets[]", "array", json!({})),
        { "name": "fixed", "in": "query", "required": true, "schema": { "enum": ["v 1"] } },
        styled("absent", "string", json!({})),
    ] });
    let seen = sent(
        document("get", "/q", operation),
        json!({
            "plain": "a b&c", "many": [1, 2], "csv": ["x,y", "z"], "spread": { "s": 1, "t": "u" },
            "flat": { "k": "v" }, "space": [1, 2], "pipe": [3, 4], "deep": { "a": { "b": 1 }, "c": 2 },
            "open": "a/b?c", "closed": "a/b?c", "json": [{ "x": 1 }], "brackets": ["p", "q"]
        }),
    );
    assert_eq!(
        seen.await.target,
        "/v1/q?fixed=v+1&plain=a+b%26c&many=1&many=2&csv=x%2Cy,z&s=1&t=u&flat=k,v&space=1%202&pipe=3%7C4\
         &deep%5Ba%5D%5Bb%5D=1&deep%5Bc%5D=2&open=a/b?c&closed=a%2Fb%3Fc&json=%5B%7B%22x%22%3A1%7D%5D\
         &brackets%5B%5D=p&brackets%5B%5D=q"
    );
}

#[tokio::test]
async fn headers_and_cookies_stand_in_their_place() {
    let operation = json!({ "parameters": [
        parameter("X-List", "header", "array", json!({})),
        parameter("X-Map", "header", "object", json!({ "explode": true })),
        parameter("X-Flat", "header", "object", json!({})),
        parameter("session", "cookie", "string", json!({})),
        parameter("ids", "cookie", "array", json!({ "explode": false })),
        parameter("Accept", "header", "string", json!({})),
    ] });
    let seen = sent(
        document("get", "/h", operation),
        json!({
            "X-List": [1, "b"], "X-Map": { "a": 1, "b": 2 }, "X-Flat": { "a": 1 }, "session": "x y;z",
            "ids": [7, 8]
        }),
    );
    let seen = seen.await;
    assert_eq!(seen.target, "/v1/h");
    assert_eq!(seen.header("x-list"), Some("1,b"));
    assert_eq!((seen.header("x-map"), seen.header("x-flat")), (Some("a=1,b=2"), Some("a,1")));
    assert_eq!(seen.header("cookie"), Some("session=x%20y%3Bz; ids=7%2C8"));
}

#[tokio::test]
async fn names_that_clash_reach_their_own_places() {
    let body = json!({ "required": true, "content": { "application/json": { "schema": {
        "type": "object", "required": ["id"],
        "properties": { "id": { "type": "integer" }, "note": { "type": "string", "nullable": true },
                        "@type": { "type": "string" }, "made": { "type": "string", "readOnly": true } }
    } } } });
    let operation = json!({ "requestBody": body, "parameters": [
        parameter("id", "path", "string", json!({})),
        parameter("id", "query", "string", json!({})),
        parameter("id", "header", "string", json!({})),
    ] });
    let input = json!({ "id": "p", "id_body": 5, "id_query": "q", "id_header": "h", "type": "t", "note": null });
    let seen = sent(document("patch", "/x/{id}", operation), input).await;
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("PATCH", "/v1/x/p?id=q"));
    assert_eq!(seen.header("id"), Some("h"));
    assert_eq!(seen.text(), r#"{"id":5,"note":null,"@type":"t"}"#);
}

#[tokio::test]
async fn bodies_are_sent_in_the_form_that_the_document_names() {
    let body = |media_type: &str, schema: Value, encoding: Value| {
        let media = json!({ "schema": schema, "encoding": encoding });
        json!({ "requestBody": { "required": true, "content": { media_type: media } } })
    };
    let object = |fields: Value| json!({ "type": "object", "properties": fields });
    let fields = object(
        json!({ "a": { "type": "string" }, "l": { "type": "array" }, "o": { "type": "object" } }),
    );
    let input = json!({ "a": "x y", "l": [1, 2], "o": { "k": "v" } });
    for (operation, input, media_type, text) in [
        (
            body("application/json", fields.clone(), json!({})),
            input.clone(),
            "application/json",
            r#"{"a":"x y","l":[1,2],"o":{"k":"v"}}"#,
        ),
        (
            body("application/vnd.x+json", fields.clone(), json!({})),
            input.clone(),
            "application/vnd.x+json",
            r#"{"a":"x y","l":[1,2],"o":{"k":"v"}}"#,
        ),
        (
            body("application/x-www-form-urlencoded", fields.clone(), json!({})),
            input.clone(),
            "application/x-www-form-urlencoded",
            "a=x+y&l=1&l=2&o=%7B%22k%22%3A%22v%22%7D",
        ),
        (
            body(
                "application/x-www-form-urlencoded",
                fields.clone(),
                json!({ "l": { "explode": false }, "o": { "style": "deepObject", "explode": true } }),
            ),
            input.clone(),
            "application/x-www-form-urlencoded",
            "a=x+y&l=1,2&o%5Bk%5D=v",
        ),
        (
            body("application/json", json!({ "type": "array" }), json!({})),
            json!({ "body": [1] }),
            "application/json",
            "[1]",
        ),
        (
            body("text/plain", json!({ "type": "string" }), json!({})),
            json!({ "body": "hi" }),
            "text/plain; charset=utf-8",
            "hi",
        ),
        (
            body("application/xml", object(json!({})), json!({})),
            json!({ "body": "<a/>" }),
            "application/xml",
            "<a/>",
        ),
        (
            body("application/octet-stream", json!({}), json!({})),
            json!({ "body": "data:;base64,eHk=" }),
            "application/octet-stream",
            "xy",
        ),
        (
            body("image/png", json!({}), json!({})),
            json!({ "body": "data:image/gif;base64,eHk=" }),
            "image/png",
            "xy",
        ),
    ] {
        let seen = sent(document("post", "/b", operation), input).await;
        assert_eq!(seen.header("content-type"), Some(media_type));
        assert_eq!(seen.text(), text, "{media_type}");
    }
}

#[tokio::test]
async fn files_are_parts_with_names() {
    let schema = json!({ "type": "object", "required": ["file"], "properties": {
        "file": { "type": "string", "format": "binary" },
        "purpose": { "type": "string" },
        "meta": { "type": "object" },
        "more": { "type": "array", "items": { "type": "string", "format": "binary" } }
    } });
    let media = json!({ "schema": schema, "encoding": { "file": { "contentType": "image/png" } } });
    let operation =
        json!({ "requestBody": { "required": true, "content": { "multipart/form-data": media } } });
    let input = json!({
        "file": "data:image/png;base64,eHk=", "file_filename": "a.png", "purpose": "test",
        "meta": { "k": 1 }, "more": ["one", "two"]
    });
    let seen = sent(document("post", "/f", operation), input).await;
    let media_type = seen.header("content-type").unwrap();
    let boundary = media_type.strip_prefix("multipart/form-data; boundary=").unwrap();
    let part = |head: &str, content: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; name={head}\r\n\r\n{content}\r\n")
    };
    let expected = [
        part("\"file\"; filename=\"a.png\"\r\nContent-Type: image/png", "xy"),
        part("\"purpose\"", "test"),
        part("\"meta\"\r\nContent-Type: application/json", r#"{"k":1}"#),
        part("\"more\"; filename=\"more\"\r\nContent-Type: application/octet-stream", "one"),
        part("\"more\"; filename=\"more\"\r\nContent-Type: application/octet-stream", "two"),
        format!("--{boundary}--\r\n"),
    ];
    assert_eq!(seen.text(), expected.concat());
}

#[tokio::test]
async fn older_documents_are_sent_in_their_own_way() {
    let array = |name: &str, format: &str| json!({ "name": name, "in": "query", "type": "array", "items": { "type": "string" }, "collectionFormat": format });
    let swagger = |operation: Value| json!({ "swagger": "2.0", "info": { "title": "API" }, "basePath": "/v2", "paths": { "/x/{ids}": { "post": operation } } });
    let operation = json!({ "consumes": ["application/x-www-form-urlencoded"], "parameters": [
        { "name": "ids", "in": "path", "required": true, "type": "array", "items": { "type": "integer" } },
        array("csv", "csv"), array("ssv", "ssv"), array("tsv", "tsv"), array("pipes", "pipes"), array("multi", "multi"),
        { "name": "name", "in": "formData", "type": "string", "required": true },
        { "name": "tags", "in": "formData", "type": "array", "items": { "type": "string" } },
    ] });
    let two = json!(["a", "b"]);
    let input = json!({
        "ids": [1, 2], "csv": two, "ssv": two, "tsv": two, "pipes": two, "multi": two, "name": "n", "tags": two
    });
    let seen = sent(swagger(operation), input).await;
    assert_eq!(seen.target, "/v2/x/1,2?csv=a,b&ssv=a%20b&tsv=a%09b&pipes=a%7Cb&multi=a&multi=b");
    assert_eq!(seen.text(), "name=n&tags=a,b");
    let operation = json!({ "parameters": [
        { "name": "ids", "in": "path", "required": true, "type": "string" },
        { "name": "upload", "in": "formData", "type": "file" },
    ] });
    let seen = sent(swagger(operation), json!({ "ids": "1", "upload": "text" })).await;
    assert!(seen.text().contains("name=\"upload\"; filename=\"upload\""), "{}", seen.text());
    let operation = json!({ "parameters": [
        { "name": "ids", "in": "path", "required": true, "type": "string" },
        { "name": "pet", "in": "body", "required": true, "schema": { "$ref": "#/definitions/Pet" } },
    ] });
    let mut document = swagger(operation);
    document["definitions"] =
        json!({ "Pet": { "type": "object", "properties": { "name": { "type": "string" } } } });
    assert_eq!(
        sent(document, json!({ "ids": "1", "name": "Rex" })).await.text(),
        r#"{"name":"Rex"}"#
    );
}

#[tokio::test]
async fn secrets_stand_where_their_schemes_say() {
    let schemes = json!({
        "header": { "type": "apiKey", "in": "header", "name": "X-Key" },
        "app": { "type": "apiKey", "in": "query", "name": "app" },
        "bearer": { "type": "http", "scheme": "bearer" },
    });
    let with = |security: Value| {
        let mut document = document("get", "/s", json!({ "security": security }));
        document["components"] = json!({ "securitySchemes": schemes });
        document
    };
    let seen = sent(with(json!([{ "bearer": [] }])), json!({})).await;
    assert_eq!(seen.header("authorization"), Some("Bearer s3cret-token"));
    let seen = sent(with(json!([{ "app": [], "bearer": [] }])), json!({})).await;
    assert_eq!(
        (seen.header("authorization"), seen.target.as_str()),
        (Some("Bearer s3cret-token"), "/v1/s?app=s3cret-app")
    );
    let mut only = document(
        "get",
        "/s",
        json!({ "security": [{ "c": [] }], "parameters": [parameter("a", "cookie", "string", json!({}))] }),
    );
    only["components"] =
        json!({ "securitySchemes": { "c": { "type": "apiKey", "in": "cookie", "name": "sid" } } });
    only["info"]["title"] = "".into();
    let seen = sent(only, json!({ "a": "1" })).await;
    assert_eq!(seen.header("cookie"), Some("a=1; sid=s3cret-key"));
}
