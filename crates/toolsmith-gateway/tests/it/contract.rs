//! The description of the door, and whether answers keep to it.

use std::sync::{Arc, LazyLock};

use hyper::{Method, StatusCode};
use parking_lot::Mutex;
use toolsmith_core::{JsonText, Value, json};
use toolsmith_engine::schema::Schema;

use crate::support::{Keys, Running};

/// A description, with the schemas that were read from it.
#[derive(Debug)]
pub(crate) struct Contract {
    document: Value,
    schemas: Mutex<Vec<(String, Arc<Schema>)>>,
}

impl Contract {
    pub(crate) fn of(document: Value) -> Self {
        Self { document, schemas: Mutex::default() }
    }

    /// Fails unless an answer is one that the description knows.
    pub(crate) fn check(&self, method: &Method, path: &str, (status, body): (StatusCode, &Value)) {
        let path = path.split('?').next().unwrap_or(path);
        let Some(template) = self.template(path) else { return };
        let method = method.as_str().to_lowercase();
        if self.document["paths"][&template][&method].is_null() {
            assert_eq!(status.as_u16(), 405, "{method} {template}");
            return;
        }
        let status = status.as_u16().to_string();
        let response = &self.document["paths"][&template][&method]["responses"][&status];
        assert!(response.is_object(), "{method} {template} answers {status}: {body}");
        let place = format!("/paths/{}/{method}/responses/{status}/content", escaped(&template));
        let place = format!("{place}/application~1json/schema");
        let problems = self.schema(&place).problems(body);
        assert!(problems.is_empty(), "{method} {template} {status}: {problems:?} in {body}");
    }

    /// Finds the address that a path is one of.
    fn template(&self, path: &str) -> Option<String> {
        let paths = self.document["paths"].as_object().unwrap();
        if paths.contains_key(path) {
            return Some(path.to_owned());
        }
        let fits = |template: &&String| {
            let (mut left, mut right) = (template.split('/'), path.split('/'));
            let is_alike =
                left.by_ref().zip(right.by_ref()).all(|(l, r)| l == r || l.starts_with('{'));
            is_alike && template.split('/').count() == path.split('/').count()
        };
        paths.keys().find(fits).cloned()
    }

    fn schema(&self, place: &str) -> Arc<Schema> {
        let mut schemas = self.schemas.lock();
        if let Some((_, known)) = schemas.iter().find(|(other, _)| other == place) {
            return Arc::clone(known);
        }
        let mut schema = self.document.pointer(place).unwrap_or_else(|| panic!("{place}")).clone();
        schema["components"] = self.document["components"].clone();
        let schema = Arc::new(Schema::compile(&JsonText::of(&schema)).unwrap());
        schemas.push((place.to_owned(), Arc::clone(&schema)));
        schema
    }
}

fn escaped(template: &str) -> String {
    template.replace('~', "~0").replace('/', "~1")
}

/// The description is the same for all gateways of this program.
pub(crate) static CONTRACT: LazyLock<Mutex<Option<Arc<Contract>>>> = LazyLock::new(Mutex::default);

#[tokio::test]
async fn the_description_names_every_address_with_what_it_takes_and_answers() {
    let gateway = Running::start().await;
    let (status, document) = gateway.get("/openapi.json").await;
    assert_eq!((status.as_u16(), &document["openapi"]), (200, &json!("3.1.0")));
    let tools = &document["paths"]["/tools"]["get"];
    let names: Vec<&str> = tools["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|parameter| parameter["name"].as_str().unwrap())
        .collect();
    for name in ["q", "category", "group", "tag", "runtime", "state", "limit", "cursor", "format"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let call = &document["components"]["schemas"]["Call"];
    assert_eq!(
        (&call["required"], &call["additionalProperties"]),
        (&json!(["tool_id"]), &json!(false))
    );
    let outcome = &document["components"]["schemas"]["Outcome"];
    assert_eq!(outcome["required"].as_array().unwrap().len(), 9, "{outcome}");
    assert_eq!(outcome["additionalProperties"], false);
    for status in
        [400, 401, 403, 404, 408, 413, 415, 422, 424, 428, 429, 499, 500, 501, 502, 503, 504]
    {
        let run = &document["paths"]["/run_tool"]["post"]["responses"][status.to_string()];
        assert!(run.is_object(), "{status}");
    }
}

#[tokio::test]
async fn every_address_of_the_description_is_there_and_answers_as_it_says() {
    let keys = Keys::new().await;
    let admin = keys.make("admin", |new| new.role = toolsmith_core::Role::Admin).await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let (_, document) = gateway.get_as(&admin, "/openapi.json").await;
    let id = gateway.engine.new_call_id().to_string();
    for (template, operations) in document["paths"].as_object().unwrap() {
        let path =
            template.replace("{id}", &id).replace("{name}", "echo").replace("{group}", "texts");
        for method in operations.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            // Neither a stream of events nor a page nor a text is a document.
            if matches!(template.as_str(), "/events" | "/docs" | "/metrics") {
                continue;
            }
            // What it answers is compared with the description where it is read.
            let (status, body) = gateway.send_as(method.clone(), &admin, &path).await;
            let said = body["error"]["message"].as_str().unwrap_or_default();
            assert_ne!(said, "There is nothing at this address.", "{method} {path}");
            assert!(status.as_u16() != 405 || template.starts_with("/mcp"), "{method} {path}");
            let (status, _) = gateway.send_as(method, "no key", &path).await;
            let expected = match template.as_str() {
                open if open.starts_with("/health") => 200,
                // Strangers may ask who issues tokens, and here nobody does.
                open if open.starts_with("/.well-known/") => 404,
                _ => 401,
            };
            assert_eq!(status.as_u16(), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn the_page_for_people_shows_every_address() {
    let gateway = Running::start().await;
    let page =
        gateway.raw(b"GET /docs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    assert!(page.contains("content-type: text/html"), "{page}");
    for address in ["GET /tools/{name}", "DELETE /calls/{id}", "POST /mcp", "tools that belong"] {
        assert!(page.to_lowercase().contains(&address.to_lowercase()), "{address}");
    }
}
