//! `toolsmith artifacts`, and the calls that leave them

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Place, steady};

/// A call whose output is far too large, and the id of the artifact.
fn place_with_artifact() -> (Place, String, String) {
    let message = "日本".repeat(50_000);
    let place = Place::new().with("long", &message);
    let outcome = place.json(&["run", "echo", "message=@long"]);
    let id = outcome["metadata"]["artifact"]["id"].as_str().unwrap().to_owned();
    assert_eq!(outcome["output"]["cut"], true);
    (place, id, json!({"message": message}).to_string())
}

#[test]
fn people_see_the_beginning_and_where_the_whole_is() {
    let (place, ..) = place_with_artifact();
    let ran = place.run(&["run", "echo", "message=@long"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.starts_with("{\"message\":\"日本日本") && ran.stdout.len() < 5_000);
    steady(
        || assert_snapshot!(ran.stderr, @"note: cut after 4.1 kB of 300.0 kB; the whole: toolsmith artifacts show [id]"),
    );
}

#[test]
fn artifacts_are_listed_and_printed_whole() {
    let (place, id, whole) = place_with_artifact();
    let list = place.json(&["artifacts", "list"]);
    assert_eq!((&list["artifacts"][0]["id"], list.get("next")), (&json!(id), None));
    assert_eq!(list["artifacts"][0]["bytes"], whole.len());
    let printed = place.print(&["artifacts", "list"]);
    steady(|| {
        assert_snapshot!(printed, @r"
    ID  TIME  TOOL  SIZE  TYPE
    [id]  [time]  echo  300.0 kB  application/json
    ");
    });
    assert_eq!(place.print(&["artifacts", "show", &id]), whole);
    let page = place.json(&["artifacts", "show", &id]);
    assert_eq!((page["content"].as_str(), &page["next_offset"]), (Some(&*whole), &json!(null)));
}

#[test]
fn parts_are_read_between_characters() {
    let (place, id, _) = place_with_artifact();
    let show = |offset: &str, limit: &str| {
        place.json(&["artifacts", "show", &id, "--offset", offset, "--limit", limit])
    };
    let page = show("11", "10");
    assert_eq!(page["content"], "\"日本日");
    assert_eq!((&page["offset"], &page["next_offset"]), (&json!(11), &json!(21)));
    assert_eq!(show("0", "1")["content"], "{");
    assert_eq!(show("999999", "10")["content"], "");
    let printed = place.print(&["artifacts", "show", &id, "--offset", "1", "--limit", "9"]);
    assert_eq!(printed, "\"message\"");
}

#[test]
fn a_file_takes_the_whole() {
    let (place, id, whole) = place_with_artifact();
    let words = ["artifacts", "show", &id, "--output", "whole.json"];
    assert_eq!(place.print(&words), "wrote 300.0 kB to whole.json\n");
    assert_eq!(place.read("whole.json"), whole);
    assert_eq!(place.json(&words), json!({"id": id, "file": "whole.json", "bytes": whole.len()}));
}

#[test]
fn an_artifact_that_is_not_there_is_an_error_and_overwrites_nothing() {
    let (place, ..) = place_with_artifact();
    let place = place.with("mine", "precious");
    let id = "019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60";
    let ran = place.run(&["artifacts", "show", id, "--output", "mine"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.starts_with(&format!("error: Artifact {id} not found")), "{ran:?}");
    assert_eq!(place.read("mine"), "precious");
    assert_eq!(place.run(&["artifacts", "show", id, "--json"]).error_type(), "execution_error");
}
