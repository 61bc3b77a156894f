//! Reads samples in the tests of all dialects.

use serde_json::{Value, json};
use toolsmith_core::{Parameter, ToolSpec};

use crate::{Dialect, ProblemKind, Reply, Settings, Tools, laws, parse};

/// The tools of the samples: `add(a: integer, b: integer)` and `write(path, content: string)`.
pub(crate) fn tools() -> Tools {
    Tools::of_specs(&specs())
}

/// The definitions of the tools of the samples.
pub(crate) fn specs() -> Vec<ToolSpec> {
    vec![
        ToolSpec::new("add").unwrap().with_description("Adds two numbers.").with_parameters(&[
            Parameter::integer("a").required(),
            Parameter::integer("b").with_description("The other one."),
        ]),
        ToolSpec::new("file.write")
            .unwrap()
            .with_parameters(&[Parameter::string("path").required(), Parameter::string("content")]),
    ]
}

/// Reads a text, after all laws were checked on it.
pub(crate) fn read(dialect: Dialect, text: &str) -> Reply {
    laws::all_hold(dialect, text, &tools());
    laws::any_split_gives_the_same(Dialect::Auto, text, &tools());
    parse(dialect, text, &tools(), &Settings::default())
}

/// Reads a server's answer, whose texts stand encoded in it.
pub(crate) fn read_answer(dialect: Dialect, text: &str) -> Reply {
    laws::any_split_gives_the_same(dialect, text, &tools());
    laws::no_prefix_invents_a_call(dialect, text, &tools());
    laws::any_split_gives_the_same(Dialect::Auto, text, &tools());
    parse(dialect, text, &tools(), &Settings::default())
}

/// Returns the calls as `[[name, arguments], …]`.
pub(crate) fn calls(reply: &Reply) -> Value {
    reply.calls.iter().map(|call| json!([call.name.as_str(), call.arguments])).collect()
}

/// Returns the kinds of the problems.
pub(crate) fn problems(reply: &Reply) -> Vec<ProblemKind> {
    reply.problems.iter().map(|problem| problem.kind).collect()
}

/// Writes a stream of server-sent events.
pub(crate) fn events(documents: &[Value]) -> String {
    let events = documents.iter().map(|document| format!("event: x\ndata: {document}\n\n"));
    events.collect::<Vec<_>>().concat()
}
