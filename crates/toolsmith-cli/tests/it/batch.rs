//! `toolsmith batch`

use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Place, steady};

const CALLS: &str = r#"{"tool": "echo", "params": {"message": "one"}}
{"name": "calculator", "input": {"expression": "1/0"}, "context": {"conversation_id": "c1"}}

{"tool": "echo", "params": {"message": "很长的消息很长的消息很长的消息很长的消息很长的消息很长的消息很长的消息"}}
"#;

fn echoes(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, n| {
        writeln!(text, "{{\"tool\": \"echo\", \"params\": {{\"message\": \"m{n}\"}}}}").unwrap();
        text
    })
}

#[test]
fn people_get_a_table_and_the_counts() {
    let ran = Place::new().with("calls.jsonl", CALLS).run(&["batch", "calls.jsonl"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    steady(|| {
        assert_snapshot!(ran.stdout, @r"
    N  TOOL  RESULT  TIME  OUTPUT
    1  echo  ok  [took]  one
    2  calculator  execution_error  [took]  Division by zero at position 2.
    3  echo  ok  [took]  很长的消息很长的消息很长的消息很长的消息很长的消息很长的消…
    3 calls: 2 succeeded, 1 failed
    ");
    });
}

#[test]
fn programs_get_the_outcomes_in_the_order_of_the_calls() {
    let place = Place::new().with("calls.jsonl", CALLS);
    let ran = place.run(&["batch", "calls.jsonl", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let document = ran.json();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["outcomes"]);
    let tools: Vec<&Value> =
        document["outcomes"].as_array().unwrap().iter().map(|one| &one["tool_name"]).collect();
    assert_eq!(tools, ["echo", "calculator", "echo"]);
    assert_eq!(document["outcomes"][1]["error"]["type"], "execution_error");
    let summary = place.json(&["calls", "summary", "c1"]);
    assert_eq!(summary["tool_usage"], json!({"calculator": 1}));
}

#[test]
fn the_code_is_that_of_the_first_failure() {
    let place = Place::new();
    let list = |tools: &[&str]| {
        json!(tools.iter().map(|tool| json!({"tool": tool, "params": {}})).collect::<Vec<_>>())
            .to_string()
    };
    for (tools, code) in [(&["echo", "nope"][..], 4), (&["nope", "echo"], 3), (&[], 0)] {
        assert_eq!(place.run_reading(&["batch", "-"], &list(tools)).code, Some(code));
    }
    let nothing = place.run_reading(&["batch", "--json"], "");
    assert_eq!((nothing.code, nothing.json()), (Some(0), json!({"outcomes": []})));
}

#[test]
fn of_a_list_nothing_runs_unless_all_of_it_can_be_read() {
    let place = Place::new();
    let list = "[{\"tool\": \"echo\", \"params\": {\"message\": \"x\"}},\n {\"tol\": \"echo\"}]";
    let people = place.run_reading(&["batch", "-"], list);
    assert_eq!((people.code, people.stdout.as_str()), (Some(2), ""));
    assert!(
        people
            .stderr
            .starts_with("error: standard input, line 2, column 7: `tol` is not known here"),
        "{people:?}"
    );
    let program = place.run_reading(&["batch", "-", "--json"], list);
    assert_eq!((program.code, program.error_type().as_str()), (Some(2), "bad_request"));
    assert_eq!(place.json(&["calls", "list"])["calls"], json!([]));
}

#[test]
fn lines_run_a_thousand_at_a_time_and_a_wrong_one_ends_the_document_in_order() {
    let place = Place::new().with("calls.jsonl", &(echoes(1_200) + "wrong\n"));
    let ran = place.run(&["batch", "calls.jsonl", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""));
    let document = ran.json();
    let outcomes = document["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 1_000);
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome["output"]["message"], format!("m{n}"));
    }
    assert_eq!(
        document["error"],
        json!({
            "type": "bad_request",
            "message": "calls.jsonl, line 1201, column 1: this is not valid JSON; text stands in double quotes"
        })
    );
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 1_000);
}

#[test]
fn files_that_cannot_be_read_are_usage_errors() {
    let place = Place::new();
    for (file, said) in [("nowhere", "there is no such file"), (".", "it is a folder")] {
        let ran = place.run(&["batch", file]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert_eq!(ran.stderr, format!("error: cannot read {file}: {said}\n"));
    }
}

#[test]
fn equal_keys_run_once() {
    let call =
        r#"{"tool": "echo", "params": {"message": "x"}, "context": {"idempotency_key": "k"}}"#;
    let ran = Place::new().run_reading(&["batch", "--json"], &format!("{call}\n{call}\n"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let outcomes = &ran.json()["outcomes"];
    assert!(outcomes[1]["metadata"]["reused"].is_object(), "{outcomes}");
}
