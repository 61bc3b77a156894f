//! Servers built from the documents of real APIs: what they get stands where the document says.

use std::path::Path;

use toolsmith_core::{Map, Value};
use toolsmith_testing::{fixtures, skip};

use super::{
    Reader,
    real::{METHODS, read},
};
use crate::{
    openapi::{Options, import},
    rest::tests::server::{Reply, Seen, Server},
};

/// Documents of every version whose operations need no token of another server.
const DOCUMENTS: [&str; 9] = [
    "learn__v2.0__json__petstore-expanded.json",
    "learn__v2.0__yaml__uber.yaml",
    "netlify.com__2.16.0__swagger.yaml",
    "wikimedia.org__1.0.0__swagger.yaml",
    "asana.com__1.0__openapi.yaml",
    "circleci.com__v1__openapi.yaml",
    "digitalocean.com__2.0__openapi.yaml",
    "spotify.com__sonallux__2023.2.27__openapi.yaml",
    "museum__openapi.yaml",
];

/// A parameter as the document has it, found without the importer.
#[derive(Debug)]
struct Expected {
    name: String,
    place: String,
    is_list: bool,
    /// What stands between the items; none when the parameter is repeated.
    between: Option<char>,
}

impl Expected {
    /// Returns what a call names it: where the body has a field of its name, with its place.
    fn argument(&self, properties: &Map<String, Value>) -> Option<String> {
        let suffixed = format!("{}_{}", self.name, self.place);
        [suffixed, self.name.clone()].into_iter().find(|name| properties.contains_key(name))
    }
}

fn followed<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => {
            let plain = reference.replace("%7B", "{").replace("%7D", "}").replace("%20", " ");
            followed(document, document.pointer(&plain[1..]).unwrap_or_else(|| panic!("{plain}")))
        }
        None => value,
    }
}

fn expected(document: &Value, raw: &Value) -> Expected {
    let raw = followed(document, raw);
    let is_old = document["swagger"].is_string();
    let schema = if is_old { raw } else { followed(document, &raw["schema"]) };
    let between = match (is_old, raw["collectionFormat"].as_str()) {
        (true, Some("multi")) => None,
        (true, Some("pipes")) => Some('|'),
        (true, _) => Some(','),
        (false, _) if raw["explode"] == false || raw["in"] != "query" => Some(','),
        (false, _) => None,
    };
    Expected {
        name: raw["name"].as_str().unwrap().to_owned(),
        place: raw["in"].as_str().unwrap().to_owned(),
        is_list: schema["type"] == "array",
        between,
    }
}

/// Lists method, path and parameters of every operation, in the order of the document.
fn operations(document: &Value) -> Vec<(String, String, Vec<Expected>)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if !METHODS.contains(&method.as_str()) {
                continue;
            }
            let lists = [&item["parameters"], &operation["parameters"]];
            let raws = lists.into_iter().filter_map(Value::as_array).flatten();
            let mut parameters: Vec<Expected> = Vec::new();
            for parameter in raws.map(|raw| expected(document, raw)) {
                // What an operation says again counts instead of what its path says.
                parameters.retain(|p| (&p.name, &p.place) != (&parameter.name, &parameter.place));
                parameters.push(parameter);
            }
            found.push((method.to_uppercase(), path.clone(), parameters));
        }
    }
    found
}

/// Says what is wrong with a request; nothing when everything stands in its place.
fn wrong(seen: &Seen, path: &str, given: &[(&Expected, String)]) -> Option<String> {
    let (mut path, target) =
        (path.to_owned(), url::Url::parse(&format!("http://x{}", seen.target)).ok()?);
    let pairs: Vec<(String, String)> = target.query_pairs().into_owned().collect();
    for (parameter, value) in given {
        let (name, items) = (&parameter.name, [value.clone(), format!("{value}x")]);
        let is_there = match (parameter.place.as_str(), parameter.is_list, parameter.between) {
            ("path", ..) => {
                path = path.replace(&format!("{{{name}}}"), value);
                true
            }
            ("header", ..) => seen.header(&name.to_lowercase()) == Some(value.as_str()),
            ("query", true, Some(between)) => {
                pairs.contains(&(name.clone(), items.join(&between.to_string())))
            }
            ("query", true, None) => {
                items.iter().all(|item| pairs.contains(&(name.clone(), item.clone())))
            }
            _ => pairs.contains(&(name.clone(), value.clone())),
        };
        if !is_there {
            return Some(format!("{parameter:?} is not in {} {:?}", seen.target, seen.headers));
        }
    }
    (target.path() != path).then(|| format!("{} is not {path}", seen.target))
}

/// Calls every tool of a document, and returns how many parameters were seen in their places.
async fn serve(path: &Path) -> usize {
    let document = read(path);
    let server = Server::start(|_| Reply::new(200, "application/json", "{}")).await;
    let options = Options { base_url: Some(server.url("")), ..Options::default() };
    let import = import(&document, &options).unwrap();
    let values = import.variables.iter().map(|name| (name.as_str(), "s3cret-value".to_owned()));
    let reader = Reader::knowing(values);
    let operations = operations(&document);
    assert_eq!(operations.len(), import.tools.len(), "{path:?}");
    let mut checked = 0;
    for (definition, (method, template, parameters)) in import.tools.iter().zip(&operations) {
        let properties = definition["input_schema"]["properties"].as_object().unwrap();
        let asked =
            parameters.iter().filter(|p| ["path", "query", "header"].contains(&p.place.as_str()));
        let mut input = Map::new();
        let mut given = Vec::new();
        for (number, parameter) in asked.enumerate() {
            let Some(argument) = parameter.argument(properties) else { continue };
            let value = format!("v{number}");
            let is_list = parameter.is_list && parameter.place == "query";
            let items = vec![value.clone(), format!("{value}x")];
            input.insert(argument, if is_list { items.into() } else { value.clone().into() });
            given.push((parameter, value));
        }
        reader.bench(definition).call(Value::Object(input)).await.unwrap();
        let seen = server.seen().pop().unwrap();
        assert_eq!(&seen.method, method);
        assert_eq!(wrong(&seen, template, &given), None, "{path:?} {}", definition["name"]);
        checked += given.len();
    }
    checked
}

#[tokio::test]
async fn tools_of_real_documents_send_what_their_servers_wait_for() {
    let Some(folder) = fixtures::shared().map(|shared| shared.join("openapi")) else {
        return skip("there is no ../shared/data beside the project");
    };
    let mut checked = 0;
    for name in DOCUMENTS {
        checked += serve(&folder.join(name)).await;
    }
    assert!(checked > 1_500, "{checked}");
}
