//! Where the requests of an operation go.

use toolsmith_core::{Map, Value};
use toolsmith_net::Url;

use super::{
    Options,
    document::{Dialect, Document},
    model::Operation,
};

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Server {
    /// An address.
    Known(String),
    /// The document does not say.
    Unknown,
    /// Something that is not HTTP.
    Foreign(String),
}

/// Finds the server of an operation: its own, that of its path, that of the document.
pub(super) fn find(
    document: &Document<'_>,
    operation: &Operation<'_>,
    options: &Options,
) -> Server {
    if let Some(url) = &options.base_url {
        return Server::Known(url.trim_end_matches('/').to_owned());
    }
    if document.dialect == Dialect::Two {
        return of_swagger(document, operation, options);
    }
    let lists = [
        operation.own.get("servers"),
        operation.shared.get("servers"),
        document.root.get("servers"),
    ];
    let list =
        lists.into_iter().flatten().filter_map(Value::as_array).find(|list| !list.is_empty());
    let Some(list) = list else {
        // A document without servers means the root of where it came from.
        return options
            .source
            .as_ref()
            .and_then(|source| resolve("/", Some(source)))
            .map_or(Server::Unknown, Server::Known);
    };
    let urls: Vec<String> = list.iter().take(20).filter_map(filled).collect();
    if let Some(url) = urls.iter().find_map(|url| resolve(url, options.source.as_ref())) {
        return Server::Known(url);
    }
    match urls.iter().find(|url| url.contains("://") && !url.starts_with("http")) {
        Some(url) => {
            Server::Foreign(url.split("://").next().unwrap_or_default().chars().take(20).collect())
        }
        None => Server::Unknown,
    }
}

/// Counts the servers that a document has to choose from.
pub(super) fn count(document: &Document<'_>, options: &Options) -> usize {
    match (&options.base_url, document.dialect) {
        (None, Dialect::Three) => {
            document.root.get("servers").and_then(Value::as_array).map_or(0, Vec::len)
        }
        _ => 0,
    }
}

fn of_swagger(document: &Document<'_>, operation: &Operation<'_>, options: &Options) -> Server {
    let text = |key: &str| document.root.get(key).and_then(Value::as_str).unwrap_or_default();
    let schemes = operation.own.get("schemes").or(document.root.get("schemes"));
    let schemes: Vec<&str> =
        schemes.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let scheme = match schemes.iter().find(|scheme| **scheme == "https").or(schemes.first()) {
        Some(scheme) if !scheme.starts_with("http") => {
            return Server::Foreign(scheme.chars().take(20).collect());
        }
        Some(scheme) => *scheme,
        None => options.source.as_ref().map_or("https", Url::scheme),
    };
    let (host, base) = (text("host"), text("basePath"));
    let url = match host {
        "" => base.to_owned(),
        host => format!("{scheme}://{host}/{}", base.trim_start_matches('/')),
    };
    let url = if url.is_empty() { "/".to_owned() } else { url };
    resolve(&url, options.source.as_ref()).map_or(Server::Unknown, Server::Known)
}

/// Fills in the variables of a server; nothing when one has no value.
fn filled(server: &Value) -> Option<String> {
    let url = server.get("url").and_then(Value::as_str).filter(|url| url.len() <= 2_000)?;
    let variables = server.get("variables").and_then(Value::as_object);
    let mut text = String::new();
    let mut rest = url;
    while let Some((before, from)) = rest.split_once('{') {
        let (name, after) = from.split_once('}')?;
        text.push_str(before);
        text.push_str(&value_of(variables, name)?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

fn value_of(variables: Option<&Map<String, Value>>, name: &str) -> Option<String> {
    let variable = variables?.get(name)?;
    let values = variable.get("enum").and_then(Value::as_array);
    let value = variable.get("default").or_else(|| values?.first())?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Makes an address whole; what is not HTTP, or could be taken for a template, is none.
fn resolve(url: &str, source: Option<&Url>) -> Option<String> {
    let parsed = match Url::parse(url) {
        Ok(parsed) => parsed,
        Err(_) => source?.join(url).ok()?,
    };
    let is_http = matches!(parsed.scheme(), "http" | "https") && parsed.host_str().is_some();
    let has_more = parsed.query().is_some()
        || parsed.fragment().is_some()
        || !parsed.username().is_empty()
        || parsed.password().is_some();
    let text = String::from(parsed);
    let is_plain = !text.contains(['{', '}', '$', '"', '\\']);
    (is_http && !has_more && is_plain).then(|| text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn server(root: &Value, source: Option<&str>) -> Server {
        let document = Document::open(root).unwrap();
        let (shared, own) = (Map::new(), Map::new());
        let operation = Operation { method: "GET", path: "/", shared: &shared, own: &own };
        let source = source.map(|source| Url::parse(source).unwrap());
        find(&document, &operation, &Options { source, ..Options::default() })
    }

    #[test]
    fn variables_have_their_defaults_and_relative_addresses_their_source() {
        let of = |url: &str, source| {
            server(
                &json!({ "openapi": "3.0.0", "servers": [{
            "url": url, "variables": { "v": { "default": "v2" }, "e": { "enum": ["x"] }, "n": {} } }] }),
                source,
            )
        };
        let known = |url: &str| Server::Known(url.to_owned());
        assert_eq!(of("https://a.example/{v}/{e}/", None), known("https://a.example/v2/x"));
        assert_eq!(of("https://a.example/{n}", None), Server::Unknown);
        assert_eq!(of("https://a.example/{no", None), Server::Unknown);
        assert_eq!(of("/v1", None), Server::Unknown);
        assert_eq!(
            of("/v1", Some("https://b.example/docs/api.json")),
            known("https://b.example/v1")
        );
        assert_eq!(
            of("..", Some("https://b.example/x/docs/api.json")),
            known("https://b.example/x")
        );
        assert_eq!(of("wss://a.example", None), Server::Foreign("wss".to_owned()));
        for hostile in [
            "https://a.example/${HOME}",
            "javascript:alert(1)",
            "https://u:p@a.example",
            "file:///etc",
        ] {
            assert!(!matches!(of(hostile, None), Server::Known(_)), "{hostile}");
        }
        let none = json!({ "openapi": "3.0.0" });
        assert_eq!(server(&none, None), Server::Unknown);
        assert_eq!(server(&none, Some("http://127.0.0.1:80/o.json")), known("http://127.0.0.1"));
    }

    #[test]
    fn older_documents_have_parts_of_an_address() {
        let of = |more: Value, source| {
            let mut root = json!({ "swagger": "2.0" });
            root.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            server(&root, source)
        };
        let known = |url: &str| Server::Known(url.to_owned());
        assert_eq!(
            of(
                json!({ "host": "a.example", "basePath": "/v1", "schemes": ["http", "https"] }),
                None
            ),
            known("https://a.example/v1")
        );
        assert_eq!(of(json!({ "host": "a.example" }), None), known("https://a.example"));
        assert_eq!(
            of(json!({ "basePath": "/v1" }), Some("http://b.example/s.json")),
            known("http://b.example/v1")
        );
        assert_eq!(of(json!({}), None), Server::Unknown);
        assert_eq!(
            of(json!({ "host": "a", "schemes": ["wss"] }), None),
            Server::Foreign("wss".to_owned())
        );
    }
}
