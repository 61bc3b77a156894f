//! What runs a tool of an old registry, as the `entry` of a definition.

use super::tool::{Keys, fault, made, renamed};
use crate::{
    Makers,
    problem::{About, Findings},
    yaml::{Content, Entry},
};

/// The words for an address that a REST tool may use.
const ADDRESSES: [&str; 3] = ["api_url", "base_url", "url"];

/// Makes the entry of a type, and what follows from it.
pub(super) fn of(
    word: &'static str,
    keys: &mut Keys,
    name: Option<&str>,
    makers: &Makers,
    findings: &mut Findings,
) -> Vec<Entry> {
    match word {
        "rest" => match keys.take_any(&ADDRESSES) {
            Some(address) => rest(address, keys, findings),
            None => vec![handled("custom", Some("rest"), (keys, name), makers)],
        },
        "mcp" => mcp(keys, name, findings),
        "native" => vec![handled("custom", Some("stateful"), (keys, name), makers)],
        _ => vec![handled("builtin", None, (keys, name), makers)],
    }
}

/// Names the registered or built-in tool that serves a function of the old system.
fn handled(
    word: &str,
    kind: Option<&str>,
    (keys, name): (&mut Keys, Option<&str>),
    makers: &Makers,
) -> Entry {
    let function = keys.take("function_path");
    let place = function.as_ref().map_or((1, 1), |function| (function.line, function.column));
    let path = function.as_ref().and_then(|function| function.value.as_text()).unwrap_or_default();
    let (module, function) = path.rsplit_once(':').unwrap_or(("", path));
    let module = module.rsplit('.').next().unwrap_or(module);
    let candidates = [name.unwrap_or_default(), function, module];
    let served = candidates.into_iter().find(|name| makers.handler(name).is_some());
    let handler = served.or(name).unwrap_or(function);
    let mut entry = vec![text("type", word, place), text("handler", handler, place)];
    entry.extend(kind.map(|kind| text("kind", kind, place)));
    made("entry", Content::Map(entry), place)
}

fn rest(address: Entry, keys: &mut Keys, findings: &mut Findings) -> Vec<Entry> {
    let place = (address.line, address.column);
    let method = keys.take("method").map(|mut method| {
        if let Content::Text(word) = &mut method.value.value {
            word.make_ascii_uppercase();
        }
        method
    });
    let word = method.as_ref().and_then(|method| method.value.as_text()).unwrap_or("GET");
    let mut annotations = vec![flag("open_world", place)];
    if matches!(word, "GET" | "HEAD") {
        annotations.insert(0, flag("read_only", place));
    }
    let mut entry = vec![text("type", "rest", place), renamed(address, "base_url")];
    entry.extend(method);
    entry.extend(keys.take("headers"));
    entry.extend(auth(keys, findings));
    vec![
        made("entry", Content::Map(entry), place),
        made("annotations", Content::Map(annotations), place),
    ]
}

/// Reads how requests show who sends them.
fn auth(keys: &mut Keys, findings: &mut Findings) -> Option<Entry> {
    let method = keys.take("auth_method");
    let key = keys.take_any(&["api_key", "token", "api_token", "bearer_token"]);
    let place = method.as_ref().or(key.as_ref()).map(|entry| (entry.line, entry.column))?;
    let said = method.as_ref().map_or(Some("api_key"), |method| method.value.as_text());
    let inner = match said.map(str::to_ascii_lowercase).as_deref() {
        Some("none" | "") => return None,
        Some("api_key" | "apikey" | "key") => key.map(|key| {
            let mut inner = vec![text("type", "api_key", place), renamed(key, "value")];
            let name = keys.take_any(&["api_key_header", "api_key_name", "api_key_param"]);
            inner.extend(
                name.map(|name| {
                    let is_query = name.key == "api_key_param";
                    (renamed(name, "name"), is_query)
                })
                .into_iter()
                .flat_map(|(name, is_query)| {
                    is_query.then(|| text("in", "query", place)).into_iter().chain([name])
                }),
            );
            inner
        }),
        Some("bearer" | "token" | "api_token" | "bearer_token") => {
            key.map(|key| vec![text("type", "bearer", place), renamed(key, "token")])
        }
        Some("basic") => keys.take("username").map(|username| {
            let password = keys.take("password");
            [Some(text("type", "basic", place)), Some(username), password]
                .into_iter()
                .flatten()
                .collect()
        }),
        _ => {
            let message = "expected one of `api_key`, `bearer`, `basic`, `none`: requests go without \
                           authorization";
            findings.warn(About::Other, fault("/auth_method", message));
            return None;
        }
    };
    if inner.is_none() {
        let message = "what it needs is not given: requests go without authorization";
        findings.warn(About::Other, fault("/auth_method", message));
    }
    inner.map(|inner| made("auth", Content::Map(inner), place))
}

fn mcp(keys: &mut Keys, name: Option<&str>, findings: &mut Findings) -> Vec<Entry> {
    let address = keys.take_any(&["mcp_server_url", "server_url", "url"]);
    let Some(address) = address else {
        findings.fault(fault("", "`mcp_server_url` is missing: say where the server is"));
        return Vec::new();
    };
    let place = (address.line, address.column);
    let mut entry = vec![text("type", "mcp", place), renamed(address, "server_url")];
    entry.extend(name.map(|name| text("tool", name, place)));
    entry.extend(keys.take("headers"));
    vec![made("entry", Content::Map(entry), place)]
}

fn text(key: &str, text: &str, place: (usize, usize)) -> Entry {
    made(key, Content::Text(text.to_owned()), place)
}

fn flag(key: &str, place: (usize, usize)) -> Entry {
    made(key, Content::Bool(true), place)
}
