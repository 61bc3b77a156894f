//! The operations of a document, and what in it is none that a tool could be made of.

use toolsmith_core::{Map, Value};

use super::{document::Document, model::Operation, notes::Notes};

/// The keys of a path that are operations, with their methods.
const METHODS: [(&str, &str); 7] = [
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
];

/// Methods that are not sent.
const UNSENT: [(&str, &str); 2] = [("trace", "TRACE"), ("query", "QUERY")];

/// How many operations are read; a document that has more is not meant for people or models.
const MOST: usize = 20_000;

/// Lists the operations in the order of the document.
pub(super) fn list<'a>(document: &Document<'a>, notes: &mut Notes) -> Vec<Operation<'a>> {
    let mut found = Vec::new();
    match document.root.get("paths") {
        Some(Value::Object(paths)) => {
            for (path, item) in paths.iter().filter(|(path, _)| !path.starts_with("x-")) {
                add_path(document, (path, item), &mut found, notes);
            }
        }
        None | Some(Value::Null) => {}
        Some(_) => notes.warn("", "`paths` is not a map, so there are no operations"),
    }
    if found.len() > MOST {
        for operation in found.drain(MOST..) {
            let why =
                format!("the document has more than {MOST} operations; the first are imported");
            notes.leave_out(operation.label(), why);
        }
    }
    tell_webhooks(document, notes);
    found
}

fn add_path<'a>(
    document: &Document<'a>,
    (path, item): (&'a str, &'a Value),
    found: &mut Vec<Operation<'a>>,
    notes: &mut Notes,
) {
    let label = || path.chars().take(200).collect::<String>();
    let shared = match document.follow(item).map(Value::as_object) {
        Ok(Some(shared)) => shared,
        Ok(None) => return notes.leave_out(label(), "it is not a map of operations"),
        Err(why) => return notes.leave_out(label(), why),
    };
    for (key, value) in shared {
        if let Some((_, method)) = METHODS.iter().find(|(known, _)| *known == key.as_str()) {
            match value.as_object() {
                Some(own) => {
                    let operation = Operation { method, path, shared, own };
                    tell_callbacks(document, &operation, notes);
                    found.push(operation);
                }
                None => notes.leave_out(format!("{method} {}", label()), "it is not a map of keys"),
            }
        } else if let Some((_, method)) = UNSENT.iter().find(|(known, _)| *known == key.as_str()) {
            let why = format!("tools do not send the method {method}");
            notes.leave_out(format!("{method} {}", label()), why);
        } else if key == "additionalOperations" {
            for method in value.as_object().into_iter().flat_map(Map::keys) {
                let method: String = method.chars().take(40).collect();
                let why = format!("tools do not send the method {method}");
                notes.leave_out(format!("{method} {}", label()), why);
            }
        }
    }
}

fn tell_callbacks(document: &Document<'_>, operation: &Operation<'_>, notes: &mut Notes) {
    let callbacks = operation.own.get("callbacks").and_then(Value::as_object);
    for (name, callback) in callbacks.into_iter().flatten() {
        let name: String = name.chars().take(100).collect();
        let requests = document.follow(callback).ok().and_then(Value::as_object);
        let count = requests.map_or(0, Map::len);
        if count > 0 {
            notes.leave_out(
                format!("callback {name} of {}", operation.label()),
                "callbacks are requests that the API sends; a tool only sends its own",
            );
        }
    }
}

fn tell_webhooks(document: &Document<'_>, notes: &mut Notes) {
    for key in ["webhooks", "x-webhooks"] {
        let webhooks = document.root.get(key).and_then(Value::as_object);
        for name in webhooks.into_iter().flat_map(Map::keys) {
            let name: String = name.chars().take(100).collect();
            notes.leave_out(
                format!("webhook {name}"),
                "webhooks are requests that the API sends; a tool only sends its own",
            );
        }
    }
}
