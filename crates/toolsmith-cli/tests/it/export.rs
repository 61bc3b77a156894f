//! `toolsmith calls export`

use std::{io::Read, process::Stdio};

use serde_json::{Value, json};

use crate::support::Place;

/// Calls whose texts are hard on formats.
fn place_with_calls() -> Place {
    let place = Place::new();
    place.print(&["run", "echo", "message=one"]);
    place.print(&["run", "echo", "message=a \"quote\", a comma,\nand a line 中文"]);
    assert_eq!(place.run(&["run", "calculator", "expression=1/0"]).code, Some(1));
    place
}

fn listed(place: &Place) -> Vec<Value> {
    let list = place.json(&["calls", "list"]);
    list["calls"].as_array().unwrap().iter().rev().cloned().collect()
}

#[test]
fn lines_read_back_as_the_records() {
    let place = place_with_calls();
    let printed = place.print(&["calls", "export"]);
    let records: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records, listed(&place));
}

#[test]
fn csv_reads_back_as_the_records() {
    let place = place_with_calls();
    let printed = place.print(&["calls", "export", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(printed.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let records = listed(&place);
    assert_eq!((header.len(), rows.len()), (17, records.len()));
    for (row, record) in rows.iter().zip(&records) {
        for (name, cell) in header.iter().zip(row) {
            match &record[name] {
                Value::Null => assert_eq!(cell, "", "{name}"),
                Value::String(text) => assert_eq!(cell, text, "{name}"),
                Value::Number(number) => {
                    assert_eq!(cell.parse::<f64>().ok(), number.as_f64(), "{name}");
                }
                other => assert_eq!(&serde_json::from_str::<Value>(cell).unwrap(), other, "{name}"),
            }
        }
    }
}

#[test]
fn with_json_it_is_one_document() {
    let place = place_with_calls();
    assert_eq!(place.json(&["calls", "export"]), json!({"calls": listed(&place)}));
    let ran = place.run(&["calls", "export", "--format", "csv", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"));
}

#[test]
fn a_file_takes_what_the_filter_lets_through() {
    let place = place_with_calls();
    let words = ["calls", "export", "--output", "out.jsonl", "--tool", "echo"];
    assert_eq!(place.print(&words), "wrote 2 records to out.jsonl\n");
    assert_eq!(place.read("out.jsonl").lines().count(), 2);
    let report = place.json(&["calls", "export", "--output", "out.csv", "--format", "csv"]);
    assert_eq!(report, json!({"exported": 3, "file": "out.csv"}));
    assert!(place.read("out.csv").starts_with("record_id,tool_name,"));
    let ran = place.run(&["calls", "export", "--output", "no/folder"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stderr, "error: cannot write no/folder: there is no such folder\n");
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let place = Place::new();
    // More than fits into a pipe, so that writing meets its closed end.
    let call = json!({"tool": "echo", "params": {"message": "x".repeat(1_000)}}).to_string() + "\n";
    assert_eq!(place.run_reading(&["batch"], &call.repeat(300)).code, Some(0));
    for format in [&[][..], &["--format", "csv"], &["--json"]] {
        let mut command = place.command(&[&["calls", "export"], format].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut start = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{format:?}");
    }
}

#[test]
fn a_dash_means_standard_output() {
    let place = Place::new();
    place.print(&["run", "echo", "message=hi"]);
    assert_eq!(
        place.print(&["calls", "export", "--output", "-"]),
        place.print(&["calls", "export"])
    );
    assert!(!place.path().join("-").exists());
}
