//! `toolsmith calls list`, `show`, `stats` and `summary`

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Place, steady};

/// Three calls: two succeed, one fails; two belong to a conversation.
fn place_with_calls() -> Place {
    let place = Place::new();
    place.print(&["run", "echo", "message=one"]);
    place.print(&["run", "echo", "message=two", "--conversation", "c1"]);
    let failed = place.run(&["run", "calculator", "expression=1/0", "--conversation", "c1"]);
    assert_eq!(failed.code, Some(1));
    place
}

fn tools(list: &Value) -> Vec<&str> {
    list["calls"].as_array().unwrap().iter().map(|c| c["tool_name"].as_str().unwrap()).collect()
}

#[test]
fn people_get_the_latest_calls_first() {
    let place = place_with_calls();
    let printed = place.print(&["calls", "list"]);
    steady(|| {
        assert_snapshot!(printed, @r"
    ID  TIME  TOOL  RESULT  TOOK  CALLER  CONVERSATION
    [id]  [time]  calculator  execution_error  [took]  cli  c1
    [id]  [time]  echo  ok  [took]  cli  c1
    [id]  [time]  echo  ok  [took]  cli
    ");
    });
}

#[test]
fn programs_get_whole_records_page_by_page() {
    let place = place_with_calls();
    let first = place.json(&["calls", "list", "--limit", "2"]);
    assert_eq!(tools(&first), ["calculator", "echo"]);
    let fields: Vec<&String> = first["calls"][0].as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), 17);
    for field in ["record_id", "params", "result", "execution_time", "is_success", "error_type"] {
        assert!(fields.contains(&&field.to_owned()), "{fields:?}");
    }
    let rest = place.json(&["calls", "list", "--before", first["next"].as_str().unwrap()]);
    assert_eq!((tools(&rest), rest.get("next")), (vec!["echo"], None));
    let people = place.run(&["calls", "list", "--limit", "1"]);
    assert!(people.stderr.starts_with("note: there are more; go on with --before "), "{people:?}");
}

#[test]
fn filters_narrow_the_list() {
    let place = place_with_calls();
    for (filter, count) in [
        (&["--tool", "echo"][..], 2),
        (&["--conversation", "c1"], 2),
        (&["--failed"], 1),
        (&["--succeeded"], 2),
        (&["--tool", "echo", "--failed"], 0),
        (&["--since", "1h"], 3),
        (&["--until", "1h"], 0),
        (&["--since", "2020-01-31", "--until", "2020-01-31T12:00:00Z"], 0),
        (&["--caller", "nobody"], 0),
        (&["--user", "nobody"], 0),
    ] {
        let list = place.json(&[&["calls", "list"], filter].concat());
        assert_eq!(tools(&list).len(), count, "{filter:?}");
    }
    let nothing = place.run(&["calls", "list", "--caller", "nobody"]);
    assert_eq!((nothing.stdout.as_str(), nothing.stderr.as_str()), ("", "note: no call fits\n"));
}

#[test]
fn wrong_filters_are_usage_errors() {
    let place = Place::new();
    for wrong in [
        &["--since", "yesterday"][..],
        &["--limit", "0"],
        &["--limit", "10001"],
        &["--before", "x"],
        &["--failed", "--succeeded"],
    ] {
        let ran = place.run(&[&["calls", "list", "--json"], wrong].concat());
        assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"), "{wrong:?}");
    }
}

#[test]
fn one_call_is_shown_whole() {
    let place = place_with_calls();
    let record = place.json(&["calls", "list"])["calls"][0].clone();
    let id = record["record_id"].as_str().unwrap();
    assert_eq!(place.json(&["calls", "show", id]), record);
    let printed = place.print(&["calls", "show", id]);
    steady(|| {
        assert_snapshot!(printed, @r#"
    call  [id]
    tool  calculator 1.0.0
    time  [time]
    took  [took]
    result  execution_error
    error  Division by zero at position 2.
    by  cli
    conversation  c1

    INPUT
    {
      "expression": "1/0"
    }
    "#);
    });
}

#[test]
fn a_call_that_is_not_there_is_an_error() {
    let place = place_with_calls();
    let id = "019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60";
    let ran = place.run(&["calls", "show", id]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.starts_with(&format!("error: there is no record of call {id};")), "{ran:?}");
    assert_eq!(place.run(&["calls", "show", id, "--json"]).error_type(), "execution_error");
    let malformed = place.run(&["calls", "show", "7"]);
    assert!(malformed.code == Some(2) && malformed.stderr.contains("calls list"), "{malformed:?}");
}

#[test]
fn statistics_and_summaries_match_what_was_run() {
    let place = place_with_calls();
    let stats = place.json(&["calls", "stats"]);
    for (field, value) in [
        ("total_calls", json!(3)),
        ("successful_calls", json!(2)),
        ("failed_calls", json!(1)),
        ("tool_usage", json!({"calculator": 1, "echo": 2})),
    ] {
        assert_eq!(stats[field], value, "{field}");
    }
    assert!((stats["success_rate"].as_f64().unwrap() - 200.0 / 3.0).abs() < 1e-9);
    let calculator = &stats["tools"]["calculator"];
    assert_eq!((&calculator["count"], &calculator["failures"]), (&json!(1), &json!(1)));
    assert!(calculator["p99_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(
        place.json(&["calls", "summary", "c1"]),
        json!({
            "conversation_id": "c1", "total_calls": 2, "successful_calls": 1, "failed_calls": 1,
            "success_rate": 50.0, "tool_usage": {"calculator": 1, "echo": 1}
        })
    );
    assert_eq!(
        place.json(&["calls", "summary", "c1", "--brief"]),
        json!({
            "total_calls": 2, "success_rate": 50.0,
            "tool_usage": {"calculator": 1, "echo": 1}, "has_errors": true
        })
    );
}

#[test]
fn people_get_totals_and_a_table() {
    let place = place_with_calls();
    let printed = place.print(&["calls", "stats"]);
    assert!(printed.starts_with("3 calls, 1 failed, 66.7 % succeeded\n\nTOOL "), "{printed}");
    assert_eq!(printed.lines().count(), 5);
    assert_eq!(
        place.print(&["calls", "summary", "c1"]),
        "2 calls, 1 failed, 50.0 % succeeded\n\nTOOL        CALLS\ncalculator  1\necho        1\n"
    );
    let brief = place.print(&["calls", "summary", "c1", "--brief"]);
    assert_eq!(brief, "2 calls, 1 failed, 50.0 % succeeded\n");
    assert_eq!(place.print(&["calls", "summary", "nobody"]), "0 calls\n");
}

#[test]
fn without_a_database_there_is_a_hint_and_none_is_made() {
    let place = Place::new();
    let hint = "note: nothing is recorded in .toolsmith yet; try: toolsmith run echo message=hi\n";
    for (arguments, document) in [
        (&["calls", "list"][..], json!({"calls": []})),
        (&["calls", "export"], json!({"calls": []})),
        (
            &["calls", "summary", "c"],
            json!({
                "conversation_id": "c", "total_calls": 0, "successful_calls": 0, "failed_calls": 0,
                "success_rate": 0.0, "tool_usage": {}
            }),
        ),
        (&["calls", "prune", "--keep", "1"], json!({"records": 0, "artifacts": 0, "bytes": 0})),
        (&["artifacts", "list"], json!({"artifacts": []})),
    ] {
        let people = place.run(arguments);
        assert_eq!((people.code, people.stderr.as_str()), (Some(0), hint), "{arguments:?}");
        let program = place.run(&[arguments, &["--json"]].concat());
        assert_eq!((program.code, program.stderr.as_str()), (Some(0), hint), "{arguments:?}");
        assert_eq!(program.json(), document);
    }
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 0);
    assert!(!place.path().join(".toolsmith").exists());
}

#[test]
fn a_file_of_somebody_else_is_refused_by_name() {
    let place = Place::new();
    std::fs::create_dir(place.path().join(".toolsmith")).unwrap();
    let place = place.with(".toolsmith/toolsmith.db", &"no database ".repeat(500));
    for arguments in [&["calls", "list"][..], &["run", "echo", "message=hi"]] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        assert!(ran.stderr.contains("toolsmith.db is not a Toolsmith database"), "{ran:?}");
    }
}
