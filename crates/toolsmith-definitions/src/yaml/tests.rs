//! What the reader makes of texts, good and hostile.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn json_of(text: &str) -> Value {
    let documents = parse(text).unwrap();
    assert_eq!(documents.len(), 1, "{documents:?}");
    documents[0].to_json()
}

fn error_of(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn every_key_and_value_knows_its_place() {
    let documents = parse("# a comment\na:\n  b: [1,\n    中, x]\n").unwrap();
    let Content::Map(entries) = &documents[0].value else { panic!() };
    assert_eq!((entries[0].line, entries[0].column), (2, 1));
    let Content::Map(inner) = &entries[0].value.value else { panic!() };
    assert_eq!((entries[0].value.line, entries[0].value.column), (3, 3));
    let Content::List(items) = &inner[0].value.value else { panic!() };
    let places: Vec<_> = items.iter().map(|item| (item.line, item.column)).collect();
    assert_eq!(places, [(3, 7), (4, 5), (4, 8)]);
}

#[test]
fn plain_words_mean_what_the_core_schema_says() {
    let text = "[~, null, true, 3, -3, 0x10, 1.5, 18446744073709551615, yes, '3', !!str 3, '']";
    assert_eq!(
        json_of(text),
        json!([
            null,
            null,
            true,
            3,
            -3,
            16,
            1.5,
            18_446_744_073_709_551_615_u64,
            "yes",
            "3",
            "3",
            ""
        ])
    );
    assert_eq!(scalar("10").to_json(), json!(10));
    assert_eq!(scalar("30d").to_json(), json!("30d"));
    assert_eq!(scalar("{a").to_json(), json!("{a"));
}

#[test]
fn a_key_that_stands_twice_is_an_error_at_its_second_place() {
    assert_eq!(error_of("a: 1\nb: 2\na: 3\n"), "3:1: the key `a` stands twice; remove one of them");
    assert_eq!(
        error_of("{\"a\": 1, 'a': 2}"),
        "1:10: the key `a` stands twice; remove one of them"
    );
}

#[test]
fn broken_text_says_where() {
    for text in ["a: [1", "a: 'x", "a: b: c", "a:\n\tb: 1", "a: *nowhere", "}"] {
        let error = parse(text).unwrap_err();
        assert!(error.message.starts_with("this is not valid YAML"), "{text}: {error}");
        assert!(error.line >= 1 && error.column >= 1, "{text}: {error}");
    }
}

#[test]
fn tabs_do_not_indent_but_in_json() {
    let tab = "this is not valid YAML: a tab indents this line; use spaces";
    for (text, place) in [
        ("\tname: c\n", "1:2"),
        ("a:\n\tb: 1\n", "2:2"),
        ("\ta: 1\n\tb: 2\n", "1:2"),
        ("---\n \ta: 1\n", "2:3"),
        ("\t- 1\n", "1:2"),
    ] {
        let error = error_of(text);
        assert!(error.starts_with(&place[..1]) && error.ends_with(tab), "{text:?}: {error}");
    }
    assert_eq!(json_of("{\n\t\"a\": [\n\t\t1\n\t]\n}\n"), json!({"a": [1]}));
    assert_eq!(json_of("\t{\"a\": 1}\n"), json!({"a": 1}));
    assert_eq!(json_of("b: |\n  x\n  \ty: z\n"), json!({"b": "x\n\ty: z\n"}));
}

#[test]
fn unusual_things_are_refused_in_words() {
    assert_eq!(error_of("? [a]\n: 1\n"), "1:3: a key must be text, not a list or a map");
    assert_eq!(error_of("a: !color red"), "1:4: the tag `!color` is not known here; remove it");
    assert_eq!(error_of("a: !set {b: 1}"), "1:4: the tag `!set` is not known here; remove it");
    assert_eq!(error_of("a: !!int x"), "1:4: \"x\" does not fit its tag");
    assert_eq!(
        error_of("a: 12e4567"),
        "1:4: `12e4567` is not a finite number; put it in quotes if it is text"
    );
    assert_eq!(error_of("a: &x [*x]"), "1:8: this alias refers to itself or to another document");
    assert_eq!(
        error_of("a: &x 1\n---\nb: *x\n"),
        "3:4: this alias refers to itself or to another document"
    );
}

#[test]
fn anchors_are_copied_and_merge_keys_are_ordinary() {
    assert_eq!(
        json_of("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n"),
        json!({"a": {"b": 1}, "c": {"b": 1}, "d": {"<<": {"b": 1}}})
    );
    assert_eq!(json_of("&k a: 1\nb: *k\n"), json!({"a": 1, "b": "a"}));
}

#[test]
fn hostile_texts_are_stopped_early() {
    let deep = "lists and maps nest deeper than 64 levels";
    for level in ["[", "{a: ", "- ", "? "] {
        let text = level.repeat(MAX_BYTES / level.len());
        let message = parse(&text).unwrap_err().message;
        let is_stopped = [deep, "a key must be text", "this is not valid YAML: recursion"]
            .iter()
            .any(|beginning| message.starts_with(beginning));
        assert!(is_stopped, "{level}: {message}");
    }
    let indented: Vec<String> = (0..1000).map(|n| " ".repeat(n) + "a:\n").collect();
    assert!(error_of(&indented.concat()).ends_with(deep));
    assert!(error_of(&"#".repeat(MAX_BYTES + 1)).contains("longer than 1048576 bytes"));
    let bomb: String = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| {
        let last = n - 1;
        text + &format!("a{n}: &a{n} [*a{last}, *a{last}]\n")
    });
    assert!(error_of(&bomb).ends_with("the aliases of this text grow too large"));
}

#[test]
fn empty_texts_and_several_documents_are_told_apart() {
    assert_eq!(parse("").unwrap(), []);
    assert_eq!(parse("# only a comment\n").unwrap(), []);
    assert_eq!(parse("---\n").unwrap()[0].value, Content::Null);
    let two: Vec<_> = parse("a: 1\n---\nb: 2\n").unwrap().iter().map(Node::to_json).collect();
    assert_eq!(two, [json!({"a": 1}), json!({"b": 2})]);
}

#[test]
fn json_with_escaped_emoji_is_read() {
    assert_eq!(json_of(r#"{"a": "\ud83d\ude00 \u4e2d \\ud83d"}"#), json!({"a": r"😀 中 \ud83d"}));
    assert!(error_of(r#"{"a": "\ud83d"}"#).contains("invalid Unicode"));
}

proptest! {
    #[test]
    fn any_json_text_is_yaml(value in json_value()) {
        prop_assert_eq!(json_of(&value.to_string()), value.clone());
        prop_assert_eq!(json_of(&serde_json::to_string_pretty(&value).unwrap()), value);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[-\\[\\]{}:,?&*!|>'\"%@`#\\\\ \\n\\ta-c0-9<~.]{0,60}") {
        parse(&text).ok();
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[ -~\\n\\t中文é😀]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[ -~中]{0,6}", inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<Value>()),
        ]
    })
}

#[test]
fn one_long_text_with_many_aliases_is_refused_before_it_is_copied_often() {
    let aliases = "*a, ".repeat(20_000);
    let text = format!("long: &a {}\nlist: [{aliases}*a]\n", "x".repeat(100_000));
    let error = parse(&text).unwrap_err();
    assert_eq!(error.message, "the aliases of this text grow too large");
    assert!(parse("a: &a text\nb: [*a, *a]\n").is_ok());
}
