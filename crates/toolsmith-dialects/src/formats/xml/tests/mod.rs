//! Tests of the XML dialect.

mod examples;
mod generated;
mod shapes;
mod spellings;

use serde_json::{Value, json};

use crate::{Dialect, ProblemKind, Reply, Settings, Tools, laws, parse};

/// Reads a text with no tools known, after checking the laws on it.
fn read(text: &str) -> Reply {
    read_with(text, &Tools::none())
}

fn read_with(text: &str, tools: &Tools) -> Reply {
    laws::all_hold(Dialect::Xml, text, tools);
    parse(Dialect::Xml, text, tools, &Settings::default())
}

fn calls(reply: &Reply) -> Vec<(&str, &Value)> {
    reply.calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect()
}

fn kinds(reply: &Reply) -> Vec<ProblemKind> {
    reply.problems.iter().map(|problem| problem.kind).collect()
}

/// Puts a call of `x` around parameters.
fn call_of(parameters: &str) -> String {
    format!("<function_calls>\n<invoke name=\"x\">\n{parameters}\n</invoke>\n</function_calls>")
}

/// Checks that a text is one call of `x` with the given arguments.
fn is_one_call(text: &str, arguments: &Value) -> Reply {
    let reply = read(text);
    assert_eq!(calls(&reply), [("x", arguments)], "{text}\n{:?}", reply.problems);
    reply
}

fn is_no_call(text: &str) -> Reply {
    let reply = read(text);
    assert_eq!(calls(&reply), [], "{text}");
    reply
}

fn tools() -> Tools {
    let schema = json!({
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "is_on": {"type": "boolean"},
            "list": {"type": "array"},
            "map": {"type": "object"},
            "free": {},
        }
    });
    Tools::of_schemas([("x", &schema)])
}
