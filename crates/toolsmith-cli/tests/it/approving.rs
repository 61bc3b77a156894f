//! Approvals as the person at an MCP client meets them, and the one at the shell.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use toolsmith_testing::{fixtures::mcp_clients, skip};

use crate::{
    serving::Serving,
    support::{PROGRAMS, Place, Ran, eventually},
};

/// A tool that a person must agree to.
const RISKY: &str = "name: risky\ndescription: Is risky.\napproval: true\n\
                     parameters: [{name: n, type: integer, required: true}]\n\
                     entry: {type: command, command: [echo, 'ran {n}']}\n";

fn place() -> Place {
    Place::new().with("tools/risky.yaml", RISKY)
}

fn python() -> Option<PathBuf> {
    let folder = mcp_clients();
    if folder.is_none() {
        skip("the MCP clients of others are not installed; ./test installs them");
    }
    folder.map(|folder| folder.join("python/bin/python"))
}

/// Starts the official Python client, whose person answers.
fn client(place: &Place, python: &Path, words: &[&str], target: &[String]) -> Child {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/approving.py");
    let mut command = Command::new(python);
    command.env_clear().env("PATH", PROGRAMS).env("HOME", place.path()).current_dir(place.path());
    command.arg(script).args(words).args(target);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn told(client: Child) -> Value {
    let ran = Ran::from_output(client.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()
}

#[test]
fn whoever_started_the_program_approves_in_the_dialogue_of_their_client() {
    let Some(python) = python() else { return };
    let place = place();
    let data = place.path().join("streams").display().to_string();
    let tools = place.path().join("tools").display().to_string();
    let program = env!("CARGO_BIN_EXE_toolsmith");
    let target = [program, "mcp", "--tools", &tools, "--data", &data].map(str::to_owned);
    for mode in ["legacy", "auto"] {
        let answered = |answer| told(client(&place, &python, &[mode, answer], &target));
        let approved = answered("approve");
        assert_eq!(approved["asked"].as_array().unwrap().len(), 1, "{approved}");
        assert!(approved["asked"][0].as_str().unwrap().contains(r#"{"n":7}"#), "{approved}");
        assert_eq!(approved["is_error"], false, "{mode}: {approved}");
        assert!(approved["text"].as_str().unwrap().contains("ran 7"), "{approved}");
        for (answer, said) in [("deny", "denied it"), ("decline", "denied it"), ("cancel", "agree")]
        {
            let refused = answered(answer);
            assert_eq!(refused["is_error"], true, "{mode} {answer}: {refused}");
            assert!(refused["text"].as_str().unwrap().contains(said), "{answer}: {refused}");
        }
    }
}

#[test]
fn a_client_over_http_waits_for_the_word_at_the_shell() {
    let Some(python) = python() else { return };
    let place = place();
    let serving = Serving::start(&place, &[]);
    let target = [format!("http://{}/mcp", serving.address)];
    for mode in ["legacy", "auto"] {
        let waiting = client(&place, &python, &[mode, "approve"], &target);
        let mut id = String::new();
        eventually("the call waits for approval", || {
            let listed = place.json(&["approvals", "list"]);
            id = listed["approvals"][0]["approval_id"].as_str().unwrap_or_default().to_owned();
            !id.is_empty()
        });
        let decided = place.json(&["approvals", "approve", &id]);
        assert_eq!(decided["decision"], "approve");
        let told = told(waiting);
        assert!(told["text"].as_str().unwrap().contains("ran 7"), "{mode}: {told}");
        assert!(told["asked"][0].as_str().unwrap().contains(&id), "{told}");
    }
    assert_eq!(place.json(&["approvals", "list"])["approvals"], json!([]));
}
