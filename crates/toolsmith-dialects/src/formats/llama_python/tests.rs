//! Samples of the Python-style dialect.

use serde_json::json;

use super::super::samples::{calls, problems, read};
use crate::{Dialect, ProblemKind};

#[test]
fn python_literals_become_json() {
    let reply = read(
        Dialect::LlamaPython,
        r#"[add(a=1, b=-2.5), f.g(s='it\'s "x"\n\x41\u00e9\d', t=True, n=None, l=[1, (2, 3),], d={'k': {"x": 1e3}}), h(**{"odd key": .5})]"#,
    );
    assert_eq!(
        calls(&reply),
        json!([
            ["add", {"a": 1, "b": -2.5}],
            ["f.g", {
                "s": "it's \"x\"\nA\u{e9}\\d", "t": true, "n": null, "l": [1, [2, 3]],
                "d": {"k": {"x": 1000.0}}
            }],
            ["h", {"odd key": 0.5}],
        ])
    );
    assert_eq!(reply.text(), "");
}

#[test]
fn the_tokens_of_other_families_are_read_too() {
    for text in [
        "Hm. <|python_start|>[add(a=1)]<|python_end|> On.",
        "Hm. <|tool_call_start|>[add(a=1)]<|tool_call_end|> On.",
        "Hm. <function_calls>add(a=1)</function_calls> On.",
    ] {
        let reply = read(Dialect::LlamaPython, text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{text}");
        assert_eq!(reply.text(), "Hm.  On.", "{text}");
    }
}

#[test]
fn what_only_looks_like_a_call_is_text() {
    for text in
        ["hello [A(A=\t)A(A=,\t\t)A(A=,\t", "[link](a) [x]", "[f(1)]", "[f(a=b)]", "[f(a='x)]"]
    {
        let reply = read(Dialect::LlamaPython, text);
        assert!(reply.calls.is_empty() && reply.set_aside.is_empty(), "{text}");
        assert_eq!(reply.text(), text);
    }
}

#[test]
fn a_list_that_is_not_closed_is_noted() {
    let reply = read(Dialect::LlamaPython, "[add(a=1), and so on");
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(problems(&reply), [ProblemKind::MissingEnd]);
    assert_eq!(reply.text(), ", and so on");
}
