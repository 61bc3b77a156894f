//! Questions of tools, at a terminal and elsewhere.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use crate::{
    mcp::scripted,
    support::{PROGRAMS, Place, Ran},
};

fn place() -> Option<Place> {
    scripted("asking", "    roots: [work]\n")
}

/// Runs a tool at a terminal; each pair is what is waited for and what is then typed.
fn typed(place: &Place, steps: &[(&str, &str)], tool: &str) -> Ran {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/typed.py");
    let steps: Vec<Value> = steps.iter().map(|(seen, typed)| json!([seen, typed])).collect();
    let mut command = Command::new("python3");
    command.arg(driver).arg(Value::from(steps).to_string());
    command.arg(env!("CARGO_BIN_EXE_toolsmith")).args(["run", tool, "--json"]);
    Ran::of(command.env_clear().env("PATH", PROGRAMS).current_dir(place.path()))
}

#[test]
fn whoever_sits_at_the_terminal_is_asked() {
    let Some(place) = place() else { return };
    let steps = [("asks: Who?", ""), ("name: ", "A\r"), ("name: ", "Ada\r")];
    let ran = typed(&place, &steps, "srv__name");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("`srv__name` (MCP server `srv`) asks: Who?"), "{ran:?}");
    assert!(ran.stdout.contains("\"action\": \"accept\""), "{ran:?}");
    assert!(ran.stdout.contains("\"name\": \"Ada\""), "{ran:?}");
    let ran = typed(&place, &[("name: ", "!\r")], "srv__name");
    assert!(ran.stdout.contains("\"action\": \"decline\""), "{ran:?}");
    let ran = typed(&place, &[("name: ", "\u{4}")], "srv__name");
    assert!(ran.stdout.contains("\"action\": \"cancel\""), "{ran:?}");
    let ran = typed(&place, &[("https://a.example/in", ""), ("[y/N] ", "y\r")], "srv__visit");
    assert!(ran.stdout.contains("\"action\": \"accept\""), "{ran:?}");
}

#[test]
fn ctrl_c_at_a_question_cancels_the_call() {
    let Some(place) = place() else { return };
    let ran = typed(&place, &[("name: ", "\u{3}")], "srv__name");
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.stdout.contains("\"type\": \"cancelled\""), "{ran:?}");
}

#[test]
fn without_a_terminal_the_outcome_says_that_nobody_could_answer() {
    let Some(place) = place() else { return };
    let run = |arguments: &[&str]| Ran::of(place.command(arguments).env("PATH", PROGRAMS));
    let ran = run(&["run", "srv__name", "--json"]);
    assert_eq!(ran.json()["output"]["action"], json!("decline"), "{ran:?}");
    assert_eq!(ran.json()["metadata"]["unanswered_questions"], json!(1), "{ran:?}");
    let ran = run(&["run", "srv__name"]);
    let expected =
        "note: `srv__name` asked something, and nobody could answer; run it at a terminal";
    assert!(ran.stderr.contains(expected), "{ran:?}");
    let ran = run(&["run", "srv__roots", "--json"]);
    let root = ran.json()["output"]["roots"][0]["uri"].as_str().unwrap_or_default().to_owned();
    assert!(root.starts_with("file:///") && root.ends_with("/work"), "{ran:?}");
}
