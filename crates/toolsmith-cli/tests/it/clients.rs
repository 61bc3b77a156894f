//! The MCP clients of others list and call our tools, over HTTP and standard streams.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use toolsmith_testing::{fixtures::mcp_clients, skip};

use crate::{
    serving::Serving,
    support::{PROGRAMS, Place, Ran},
};

/// The last revision that begins with `initialize`, and the first one without.
const REVISIONS: [(&str, &str); 2] = [("legacy", "2025-11-25"), ("auto", "2026-07-28")];

/// Where the clients are; a loud nothing when they are not installed.
fn installed() -> Option<PathBuf> {
    let folder = mcp_clients();
    if folder.is_none() {
        skip("the MCP clients of others are not installed; ./test installs them");
    }
    folder
}

/// What a client is told to speak with: the address of a server, or how to start one.
fn targets(place: &Place, serving: &Serving) -> [Vec<String>; 2] {
    let data = place.path().join("streams").display().to_string();
    let started = [env!("CARGO_BIN_EXE_toolsmith"), "mcp", "--data", &data].map(str::to_owned);
    [vec![format!("http://{}/mcp", serving.address)], started.to_vec()]
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(name)
}

/// Runs a client, whose home is the folder of the test; it must succeed.
fn run(place: &Place, program: &Path, arguments: &[&str], target: &[String]) -> Value {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", PROGRAMS).env("HOME", place.path()).current_dir(place.path());
    let ran = Ran::of(command.args(arguments).args(target));
    assert_eq!(ran.code, Some(0), "{arguments:?} {target:?}: {ran:?}");
    ran.json()
}

/// Lets a script converse in each revision and each way.
fn converse(program: &Path, first: &[&str], revisions: &[(&str, &str)]) {
    let place = Place::new();
    let serving = Serving::start(&place, &[]);
    for target in targets(&place, &serving) {
        for (mode, revision) in revisions {
            let told = run(&place, program, &[first, &[*mode]].concat(), &target);
            check(&told, revision);
        }
    }
}

fn check(told: &Value, revision: &str) {
    assert_eq!(told["revision"], revision);
    for name in ["calculator", "echo", "read_file"] {
        assert!(told["tools"].as_array().unwrap().contains(&json!(name)), "{told}");
    }
    assert_eq!(told["echo"], json!({"message": "hi"}));
    assert_eq!((&told["is_error"], &told["page"]), (&json!(true), &json!("# Echo")));
}

fn python(kind: &str) {
    let Some(folder) = installed() else { return };
    let script = script("client.py").display().to_string();
    converse(&folder.join("python/bin/python"), &[&script, kind], &REVISIONS);
}

fn typescript(sdk: &str, revisions: &[(&str, &str)]) {
    let Some(folder) = installed() else { return };
    let script = script("client.mjs").display().to_string();
    let packages = folder.join("npm").display().to_string();
    converse(&node(&folder), &[&script, &packages, sdk], revisions);
}

fn node(folder: &Path) -> PathBuf {
    folder.join("npm/node_modules/node/bin/node")
}

#[test]
fn the_official_python_client_lists_and_calls_tools() {
    python("sdk");
}

#[test]
fn fastmcp_lists_and_calls_tools() {
    python("fastmcp");
}

#[test]
fn the_first_official_typescript_client_lists_and_calls_tools() {
    typescript("v1", &REVISIONS[..1]);
}

#[test]
fn the_second_official_typescript_client_lists_and_calls_tools() {
    typescript("v2", &REVISIONS);
}

#[test]
fn the_inspector_lists_and_calls_tools_and_finds_no_fault_in_a_schema() {
    let Some(folder) = installed() else { return };
    let place = Place::new();
    let serving = Serving::start(&place, &[]);
    let package = "npm/node_modules/@modelcontextprotocol/inspector";
    let inspector = folder.join(package).join("clients/launcher/build/index.js");
    let inspector = inspector.display().to_string();
    let inspect = |target: &[String], words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        // What follows the target would be taken for an argument of the server it starts.
        let all = [words.as_slice(), target].concat();
        run(&place, &node(&folder), &[&inspector, "--cli"], &all)
    };
    for target in targets(&place, &serving) {
        let listed = inspect(&target, &["--strict", "--method", "tools/list"]);
        let names: Vec<&Value> =
            listed["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert!(names.contains(&&json!("echo")), "{names:?}");
        let call = ["--method", "tools/call", "--tool-name", "echo", "--tool-arg=message=hi", "--"];
        let echo = inspect(&target, &call);
        assert_eq!(echo["structuredContent"], json!({"message": "hi"}));
    }
}

#[test]
fn the_first_official_typescript_client_makes_a_task_of_a_call() {
    let Some(folder) = installed() else { return };
    let slow = "name: slow\ndescription: Is slow.\n\
                entry: {type: command, command: [sleep, '0.3']}\n";
    let place = Place::new().with("tools/slow.yaml", slow);
    let serving = Serving::start(&place, &[]);
    let script = script("tasks.mjs").display().to_string();
    let packages = folder.join("npm").display().to_string();
    let target = [format!("http://{}/mcp", serving.address)];
    let told = run(&place, &node(&folder), &[&script, &packages], &target);
    assert_eq!(told["support"], "optional");
    let steps: Vec<&str> =
        told["told"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
    assert_eq!((steps.first(), steps.last()), (Some(&"taskCreated"), Some(&"result")), "{told}");
    assert_eq!(told["listed"], json!(["completed"]), "{told}");
}
