//! JSON, base64 and hashes.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use toolsmith_core::{Value, json};

use crate::workbench::Workbench;

fn query(data: &Value, path: &str) -> Result<Value, String> {
    let output = Workbench::new().call("json_query", json!({ "data": data, "path": path }));
    output.map(|output| output["results"].clone()).map_err(|error| error.message().to_owned())
}

#[test]
fn the_examples_of_the_standard_come_out() {
    let store = json!({
        "store": {
            "book": [
                { "category": "reference", "author": "Nigel Rees", "price": 8.95 },
                { "category": "fiction", "author": "Evelyn Waugh", "price": 12.99 },
                { "category": "fiction", "author": "Herman Melville", "isbn": "0-553", "price": 8.99 }
            ],
            "bicycle": { "color": "red", "price": 399 }
        }
    });
    for (path, expected) in [
        ("$.store.book[*].author", json!(["Nigel Rees", "Evelyn Waugh", "Herman Melville"])),
        ("$..author", json!(["Nigel Rees", "Evelyn Waugh", "Herman Melville"])),
        ("$..book[2].author", json!(["Herman Melville"])),
        ("$..book[-1].author", json!(["Herman Melville"])),
        ("$..book[0,1].price", json!([8.95, 12.99])),
        ("$..book[?@.isbn].author", json!(["Herman Melville"])),
        ("$..book[?@.price<10].price", json!([8.95, 8.99])),
        ("$..book[?match(@.author, 'E.*')].price", json!([12.99])),
        ("$['store']['bicycle']['color']", json!(["red"])),
        ("$.missing", json!([])),
    ] {
        assert_eq!(query(&store, path).unwrap(), expected, "{path}");
    }
}

#[test]
fn a_mistake_in_a_path_is_shown_where_it_is() {
    let message = query(&json!({}), "$.a[?]").unwrap_err();
    assert!(message.contains("position"), "{message}");
    for path in ["", "a", "$.", "$[", "$['a", "$[?@.a ==]", "$[99999999999999999999]"] {
        assert!(query(&json!({}), path).unwrap_err().contains("position"), "{path}");
    }
}

#[test]
fn paths_and_data_that_mean_harm_end_at_once() {
    let begun = Instant::now();
    let mut deep = json!(1);
    for _ in 0..120 {
        deep = json!([deep, 1]);
    }
    let wide = json!({ "a": (0..20_000).collect::<Vec<_>>() });
    for path in [
        "$".to_owned() + &"..*".repeat(300),
        "$".to_owned() + &"[*,*]".repeat(190),
        "$".to_owned() + &"[?@[*,*]]".repeat(100),
        "$".to_owned() + &"[?@".repeat(200),
        "$[?".to_owned() + &"(".repeat(500),
        "$[?".to_owned() + &"!".repeat(900),
        "$[?$..[?$..[?$..*]]]".to_owned(),
        "$..[?@ == $]".to_owned(),
        "$..[?match(@, '((((a{0,50}){0,50}){0,50}){0,50})')]".to_owned(),
        "$..['".to_owned() + &"x".repeat(2_000) + "']",
        "$[?length(length(length(@)))]".to_owned(),
    ] {
        for data in [&deep, &wide] {
            query(data, &path).ok();
        }
    }
    let mut deeper = json!(1);
    for _ in 0..200 {
        deeper = json!([deeper]);
    }
    assert!(query(&deeper, "$..*").unwrap_err().contains("201 deep"));
    // A deadline wide enough for a busy machine and a build without optimisation.
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn no_path_makes_the_search_panic(path in "[$@.\\[\\]()?*,:'a1!=<& -]{0,40}") {
        query(&json!({ "a": [1, { "a": "x" }] }), &format!("${path}")).ok();
    }

    #[test]
    fn text_survives_base64_and_json(text in any::<String>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let bench = Workbench::new();
        let run = |tool: &str, input: Value| runtime.block_on(bench.run(tool, input)).unwrap();
        let encoded = run("base64_encode", json!({ "text": text }))["encoded"].clone();
        let decoded = run("base64_decode", json!({ "encoded": encoded }));
        prop_assert_eq!(&decoded["decoded"], &json!(text));
        let written = run("json_stringify", json!({ "data": [text] }))["text"].clone();
        prop_assert_eq!(&run("json_parse", json!({ "text": written }))["data"], &json!([text]));
    }
}
