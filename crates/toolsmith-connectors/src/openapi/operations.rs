//! The operations of a document, and what in it is none that a tool could be made of.

use toolsmith_core::{Map, Value};

use super::{
    document::{Document, reference_of},
    model::Operation,
    notes::Notes,
};

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

/// Adds the operations of a path; what stands beside a reference comes before what it means.
fn add_path<'a>(
    document: &Document<'a>,
    (path, item): (&'a str, &'a Value),
    found: &mut Vec<Operation<'a>>,
    notes: &mut Notes,
) {
    let label = short(path, 200);
    let Some(own) = item.as_object() else {
        return notes.leave_out(label, "it is not a map of operations");
    };
    add_operations(document, (path, own), &Map::new(), (found, notes));
    if reference_of(item).is_none() {
        return;
    }
    match document.follow(item).map(Value::as_object) {
        Ok(Some(meant)) => {
            if ["parameters", "servers"].iter().any(|key| own.contains_key(*key)) {
                let why = "what stands beside its `$ref` does not hold for what that refers to";
                notes.warn(&label, why);
            }
            add_operations(document, (path, meant), own, (found, notes));
        }
        Ok(None) => notes.leave_out(label, "it is not a map of operations"),
        Err(why) => notes.leave_out(label, why),
    }
}

/// Adds the operations of a map, but for those that another one has already.
fn add_operations<'a>(
    document: &Document<'a>,
    (path, shared): (&'a str, &'a Map<String, Value>),
    before: &Map<String, Value>,
    (found, notes): (&mut Vec<Operation<'a>>, &mut Notes),
) {
    let label = short(path, 200);
    for (key, value) in shared.iter().filter(|(key, _)| !before.contains_key(*key)) {
        if let Some((_, method)) = METHODS.iter().find(|(known, _)| *known == key.as_str()) {
            match value.as_object() {
                Some(own) => {
                    let operation = Operation { method, path, shared, own };
                    tell_callbacks(document, &operation, notes);
                    tell_links(document, &operation, notes);
                    found.push(operation);
                }
                None => notes.leave_out(format!("{method} {label}"), "it is not a map of keys"),
            }
        } else if let Some((_, method)) = UNSENT.iter().find(|(known, _)| *known == key.as_str()) {
            leave_method(method, &label, notes);
        } else if key == "additionalOperations" {
            for method in value.as_object().into_iter().flat_map(Map::keys) {
                leave_method(&short(method, 40), &label, notes);
            }
        }
    }
}

fn leave_method(method: &str, path: &str, notes: &mut Notes) {
    let why = format!("tools do not send the method {method}");
    notes.leave_out(format!("{method} {path}"), why);
}

fn tell_callbacks(document: &Document<'_>, operation: &Operation<'_>, notes: &mut Notes) {
    let callbacks = operation.own.get("callbacks").and_then(Value::as_object);
    for (name, callback) in callbacks.into_iter().flatten() {
        let why = match document.follow(callback).map(Value::as_object) {
            Ok(Some(requests)) if requests.is_empty() => continue,
            Ok(_) => "callbacks are requests that the API sends; a tool only sends its own".into(),
            Err(why) => why,
        };
        let name = short(name, 100);
        notes.leave_out(format!("callback {name} of {}", operation.label()), why);
    }
}

/// Links say which operation takes what this one returns; nothing in a definition does.
fn tell_links(document: &Document<'_>, operation: &Operation<'_>, notes: &mut Notes) {
    let responses = operation.own.get("responses").and_then(Value::as_object);
    let has_links = responses.into_iter().flatten().any(|(_, response)| {
        let response = document.follow(response).ok();
        let links = response.and_then(|response| response.get("links")).and_then(Value::as_object);
        links.is_some_and(|links| !links.is_empty())
    });
    if has_links {
        notes.warn(&operation.label(), "its links to other operations are not carried over");
    }
}

fn tell_webhooks(document: &Document<'_>, notes: &mut Notes) {
    for key in ["webhooks", "x-webhooks"] {
        let webhooks = document.root.get(key).and_then(Value::as_object);
        for name in webhooks.into_iter().flat_map(Map::keys) {
            notes.leave_out(
                format!("webhook {}", short(name, 100)),
                "webhooks are requests that the API sends; a tool only sends its own",
            );
        }
    }
}

fn short(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
