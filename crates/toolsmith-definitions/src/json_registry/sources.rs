//! Where a tool runs: the sources of the old service, and the entries of definitions.

use serde_json::{Map, Value, json};

use super::Rebase;

/// The keys of a source that have a meaning here.
const KEYS: [&str; 8] = [
    "host_dir",
    "command",
    "image",
    "build",
    "internal_port",
    "url",
    "endpoint_path",
    "http_method",
];

/// The keys that say what a tool is doing at the moment, and nothing about the tool.
const MOMENTARY: [&str; 6] = ["state", "pid", "port", "container_id", "tool_id", "active_source"];

/// Other words for an address.
const ADDRESSES: [&str; 4] = ["base_url", "remote_url", "endpoint", "hub_url"];

/// A source as definitions write it, and the keys that were left out.
pub(super) struct Source {
    pub(super) map: Map<String, Value>,
    pub(super) left: Vec<String>,
}

/// Reads a source; the error says what is wrong with it.
pub(super) fn read(value: &Value, rebase: Rebase<'_>) -> Result<Source, String> {
    let Value::Object(old) = value else {
        return Err(format!("expected an object, found {}", toolsmith_core::describe(value)));
    };
    let word = type_of(old)?;
    let mut map = Map::from_iter([("type".to_owned(), json!(word))]);
    let mut left = Vec::new();
    for (key, value) in old.iter().filter(|(key, value)| *key != "type" && !is_nothing(value)) {
        let key = if ADDRESSES.contains(&key.as_str()) { "url" } else { key.as_str() };
        match (key, value) {
            ("host_dir" | "build", Value::String(folder)) => {
                // A folder is what an image is built from, where there is one.
                let key = if word == "docker" { "build" } else { "host_dir" };
                map.insert(key.to_owned(), json!(rebase(folder)));
            }
            ("http_method", Value::String(method)) => {
                map.insert(key.to_owned(), json!(method.to_ascii_uppercase()));
            }
            _ if KEYS.contains(&key) => _ = map.insert(key.to_owned(), value.clone()),
            _ if MOMENTARY.contains(&key) => {}
            _ => left.push(key.to_owned()),
        }
    }
    split_address(&mut map);
    Ok(Source { map: ordered(&map), left })
}

fn type_of(old: &Map<String, Value>) -> Result<&'static str, String> {
    match old.get("type").and_then(Value::as_str) {
        Some("local" | "uv" | "process") => Ok("local"),
        Some("docker" | "container") => Ok("docker"),
        Some("remote" | "api" | "http" | "cloud") => Ok("remote"),
        Some(other) => Err(format!("expected `local`, `docker` or `remote`, found {other:?}")),
        None => Err("`type` is missing: `local`, `docker` or `remote`".to_owned()),
    }
}

/// What says nothing: the old service writes all fields, used or not.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_u64() == Some(0),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) => false,
    }
}

/// A remote service may be named by the whole address in `endpoint_path`.
fn split_address(map: &mut Map<String, Value>) {
    let Some(address) = map.get("endpoint_path").and_then(Value::as_str) else { return };
    let Some(start) = address.find("://").map(|at| at + 3).filter(|_| !map.contains_key("url"))
    else {
        return;
    };
    let path = address.get(start..).and_then(|rest| rest.find('/')).map(|at| start + at);
    let (url, path) =
        address.split_at_checked(path.unwrap_or(address.len())).unwrap_or((address, ""));
    let (url, path) = (json!(url), json!(if path.is_empty() { "/" } else { path }));
    map.insert("url".to_owned(), url);
    map.insert("endpoint_path".to_owned(), path);
}

/// Puts the keys into one order, whatever order they came in.
fn ordered(map: &Map<String, Value>) -> Map<String, Value> {
    let keys = std::iter::once("type").chain(KEYS);
    keys.filter_map(|key| Some((key.to_owned(), map.get(key)?.clone()))).collect()
}

/// Writes a single source as the entry of a definition.
pub(super) fn to_entry(source: &Map<String, Value>) -> Value {
    let mut entry = Map::new();
    for (key, value) in source {
        match (key.as_str(), value.as_str()) {
            ("type", Some("local")) => entry.insert("type".to_owned(), json!("process")),
            ("type", Some("docker")) => entry.insert("type".to_owned(), json!("container")),
            ("host_dir", _) => entry.insert("dir".to_owned(), value.clone()),
            _ => entry.insert(key.clone(), value.clone()),
        };
    }
    Value::Object(entry)
}

/// Reads the entry of a definition as a source; the error says why it is none.
pub(super) fn of_entry(entry: &Value, rebase: Rebase<'_>) -> Result<Source, String> {
    let Value::Object(entry) = entry else { return Err("it has no entry".to_owned()) };
    let has = |key: &str| entry.contains_key(key);
    let written = entry.get("type").and_then(Value::as_str).unwrap_or_default();
    let word = match written {
        "process" => "local",
        "container" => "docker",
        "remote" | "http" | "rest" => "remote",
        "external" if has("dir") || has("host_dir") => "local",
        "external" if has("image") || has("build") => "docker",
        "external" if has("url") || has("base_url") => "remote",
        other => return Err(format!("a `{other}` tool is no source of the old service")),
    };
    let mut old = Map::from_iter([("type".to_owned(), json!(word))]);
    for (key, value) in entry {
        let key = match key.as_str() {
            "type" => continue,
            "dir" => "host_dir",
            "path" => "endpoint_path",
            "method" => "http_method",
            other => other,
        };
        old.insert(key.to_owned(), value.clone());
    }
    read(&Value::Object(old), rebase)
}

/// Writes a source in the form of the old service, with all its usual fields.
pub(super) fn to_old(source: &Map<String, Value>) -> Value {
    let mut old = Map::new();
    let is_docker = source.get("type").is_some_and(|word| word == "docker");
    for (key, value) in source {
        let key = if is_docker && key == "build" { "host_dir" } else { key.as_str() };
        old.insert(key.to_owned(), value.clone());
    }
    for (key, usual) in
        [("endpoint_path", json!("/")), ("http_method", json!("POST")), ("internal_port", json!(0))]
    {
        old.entry(key).or_insert(usual);
    }
    Value::Object(old)
}
