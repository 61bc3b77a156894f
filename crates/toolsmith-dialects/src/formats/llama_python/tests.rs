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
    for text in [
        "hello [A(A=\t)A(A=,\t\t)A(A=,\t",
        "[link](a) [x]",
        "[f(1)]",
        "[add(a=1, 2)]",
        "[f(a=b)]",
        "[f(a='x)]",
    ] {
        let reply = read(Dialect::LlamaPython, text);
        assert!(reply.calls.is_empty() && reply.set_aside.is_empty(), "{text}");
        assert_eq!(reply.text(), text);
    }
}

#[test]
fn among_words_only_known_tools_are_called() {
    for text in
        ["See [link(x=1)](http://a) and matrix [f(x=1)].", "So [f(x=1), g(y=2)]", "[a] [f(x=1)]"]
    {
        for dialect in [Dialect::LlamaPython, Dialect::Auto] {
            let reply = read(dialect, text);
            assert_eq!((calls(&reply), reply.text()), (json!([]), text.to_owned()), "{dialect}");
        }
    }
    for text in ["<think>Hm.</think>\n[f(x=1)]", "Hm.</think>\n[f(x=1)]", "[f(x=1)]\n[f(x=1)]"] {
        let reply = read(Dialect::LlamaPython, text);
        assert_eq!(calls(&reply)[0], json!(["f", {"x": 1}]), "{text}");
    }
    let reply = read(Dialect::LlamaPython, "So <|python_start|>[f(x=1)]<|python_end|> [add(a=1)]");
    assert_eq!(calls(&reply), json!([["f", {"x": 1}], ["add", {"a": 1}]]));
}

#[test]
fn prose_in_brackets_swallows_nothing() {
    let text = "[foo(it's a link)](url) and [f(see (below)\n";
    let reply = read(Dialect::LlamaPython, &format!("{text}[add(a=1)]"));
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!((reply.text(), problems(&reply)), (text.to_owned(), vec![]));
}

#[test]
fn arguments_without_names_are_named_by_the_schema() {
    let reply = read(Dialect::LlamaPython, "[add(1, 2), add(3, b=4), file.write('x')]");
    let expected = json!([["add", {"a": 1, "b": 2}], ["add", {"a": 3, "b": 4}], ["file.write", {"path": "x"}]]);
    assert_eq!(calls(&reply), expected);
    assert_eq!(problems(&reply), [ProblemKind::Repaired; 3]);
}

#[test]
fn arguments_that_no_parameter_is_left_for_are_set_aside() {
    for text in ["[add(1, 2, 3)]", "[add(1, a=2)]"] {
        let reply = read(Dialect::LlamaPython, text);
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1), "{text}");
        assert_eq!(problems(&reply), [ProblemKind::UnreadableArguments], "{text}");
    }
}

#[test]
fn a_list_that_is_not_closed_is_noted() {
    let reply = read(Dialect::LlamaPython, "[add(a=1), and so on");
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(problems(&reply), [ProblemKind::MissingEnd]);
    assert_eq!(reply.text(), ", and so on");
}
