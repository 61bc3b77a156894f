//! Tools of MCP servers on the command line.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::{Value, json};
use toolsmith_testing::skip;

use crate::{
    serving::Serving,
    support::{PROGRAMS, Place, Ran, eventually},
};

/// A folder with a server of the connectors' own script; it notes each of its starts in `pids`.
fn place(more: &str) -> Option<Place> {
    scripted("counted, pids", more)
}

/// A folder with a server of the connectors' own script.
pub(crate) fn scripted(mode: &str, more: &str) -> Option<Place> {
    if !Path::new("/usr/bin/python3").exists() && !Path::new("/usr/local/bin/python3").exists() {
        skip("python3 is not installed");
        return None;
    }
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolsmith-connectors/tests/it/scripted.py");
    let config = format!(
        "mcpServers:\n  srv:\n    command: python3\n    args: [{}, '2025-11-25', {mode}]\n{more}",
        script.display()
    );
    Some(Place::new().with("toolsmith.yaml", &config))
}

fn run(place: &Place, arguments: &[&str]) -> Ran {
    Ran::of(place.command(arguments).env("PATH", PROGRAMS))
}

/// How often the server was started.
fn starts(place: &Place) -> usize {
    fs::read_to_string(place.path().join("pids")).unwrap_or_default().lines().count()
}

fn names(ran: &Ran) -> Vec<String> {
    let tools = ran.json()["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().filter_map(|tool| tool["name"].as_str().map(ToOwned::to_owned)).collect()
}

#[test]
fn tools_of_a_server_are_listed_shown_and_run() {
    let Some(place) = place("") else { return };
    let ran = run(&place, &["run", "echo", "message=hi"]);
    assert_eq!((ran.stdout.trim(), starts(&place)), ("hi", 0), "{ran:?}");
    let ran = run(&place, &["tools", "list", "--kind", "mcp", "--json"]);
    assert!(names(&ran).contains(&"srv__echo".to_owned()), "{ran:?}");
    assert_eq!(starts(&place), 1);
    // What is known is not asked for again.
    let ran = run(&place, &["tools", "show", "srv__echo", "--json"]);
    assert_eq!(ran.json()["description"], json!("Does echo."));
    assert_eq!(run(&place, &["tools", "search", "echo", "--json"]).code, Some(0));
    assert_eq!(starts(&place), 1);
    let ran = run(&place, &["run", "srv__echo", "text=one two"]);
    assert_eq!((ran.code, ran.stdout.trim(), ran.stderr.as_str()), (Some(0), "one two", ""));
    let ran = run(&place, &["run", "srv__echo", "text=x", "--dry-run"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(starts(&place), 2);
    let ran = run(&place, &["calls", "list", "--json"]);
    assert_eq!(ran.json()["calls"][0]["tool_name"], json!("srv__echo"), "{ran:?}");
}

#[test]
fn the_first_run_of_a_tool_asks_its_server_alone() {
    let Some(place) = place("  other: {command: python3, args: [-c, 'open(\"no\", \"w\")']}\n")
    else {
        return;
    };
    let ran = run(&place, &["run", "srv__echo", "text=x"]);
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "x"), "{ran:?}");
    assert_eq!((starts(&place), place.path().join("no").exists()), (1, false));
}

#[test]
fn a_server_that_is_down_says_why_and_leaves_the_others() {
    let down = "  down: {command: sh, args: [-c, 'echo no licence >&2; exit 9']}\n";
    let Some(place) = place(down) else { return };
    let ran = run(&place, &["tools", "list", "--kind", "mcp", "--json"]);
    assert_eq!(ran.code, Some(0));
    assert!(names(&ran).iter().all(|name| name.starts_with("srv__")), "{ran:?}");
    let expected = "The MCP server `down` did not start: it ended with exit code 9: no licence.";
    assert!(ran.stderr.contains(expected), "{ran:?}");
    let ran = run(&place, &["run", "down__anything", "--json"]);
    assert_eq!(ran.error_type(), "upstream_error");
    assert_eq!(ran.json()["error"]["message"], json!(expected));
}

#[test]
fn a_definition_binds_a_tool_and_a_switch_holds_for_all() {
    let Some(place) = place("") else { return };
    place.write(
        "tools/say.yaml",
        "name: say\ndescription: Says it.\nparameters: [{name: text, type: string}]\nentry: {type: mcp, \
         server: srv, tool: echo}\n",
    );
    let ran = run(&place, &["run", "say", "text=bound"]);
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "bound"), "{ran:?}");
    assert_eq!(run(&place, &["tools", "validate"]).code, Some(0));
    assert_eq!(run(&place, &["tools", "disable", "srv__echo"]).code, Some(0));
    assert_eq!(run(&place, &["run", "srv__echo", "text=x"]).code, Some(3));
    assert_eq!(run(&place, &["tools", "enable", "srv__echo"]).code, Some(0));
    assert_eq!(run(&place, &["run", "srv__echo", "text=x"]).code, Some(0));
}

#[test]
fn tools_of_a_server_are_served_though_nobody_knew_them() {
    let Some(place) = place("") else { return };
    let serving = Serving::start(&place, &[]);
    let call = r#"{"tool_id": "srv__echo", "params": {"text": "hi"}}"#;
    eventually("the tool is served", || serving.send("POST /run_tool", call)["output"] == "hi");
}

#[test]
fn what_is_taken_over_is_private_and_can_be_read() {
    let theirs =
        r#"{"mcpServers": {"a": {"command": "x", "env": {"PIN": "1234"}}, "z": {"weird": 1}}}"#;
    let place = Place::new().with("theirs.json", theirs);
    let report = place.json(&["import", "mcp", "theirs.json"]);
    assert_eq!(report["servers"], json!(["a"]));
    assert!(report["notes"][0].as_str().unwrap().contains("`z` is left out"), "{report}");
    let written = fs::metadata(place.path().join("toolsmith.yaml")).unwrap();
    assert_eq!(written.permissions().mode() & 0o777, 0o600);
    let ran = place.run(&["config", "show"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn servers_of_another_client_are_taken_over() {
    let theirs =
        r#"{"mcpServers": {"gh": {"command": "npx", "env": {"GH_TOKEN": "hunter2-hunter2"}}}}"#;
    let place = Place::new().with(".cursor/mcp.json", theirs);
    let ran = place.run(&["import", "mcp", "--from", "cursor"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("set the variable GH_TOKEN"), "{ran:?}");
    let written = place.read("toolsmith.yaml");
    assert_eq!(
        written,
        "mcpServers:\n  gh:\n    command: \"npx\"\n    env:\n      GH_TOKEN: \"${GH_TOKEN}\"\n"
    );
    let again = place.json(&["import", "mcp", ".cursor/mcp.json"]);
    assert_eq!((&again["written"], &again["servers"]), (&Value::Null, &json!(["gh"])));
    assert!(!again.to_string().contains("hunter2"));
    assert_eq!(place.read("toolsmith.yaml"), written);
    assert_eq!(place.run(&["import", "mcp", "--from", "vscode"]).code, Some(2));
}

#[test]
fn the_table_of_tools_says_how_their_servers_are() {
    let Some(place) = scripted("counted, pids", "") else { return };
    let serving = Serving::start(&place, &[]);
    let in_state = |state: &str| {
        let table = serving.send(&format!("GET /tools?state={state}"), "");
        let tools = table["tools"].as_array().unwrap();
        tools.iter().filter(|tool| tool["kind"] == "mcp").count()
    };
    eventually("the tools of the server run", || in_state("running") > 0);
    let all = in_state("running");
    let listed = serving.send("GET /tools", "");
    let names = listed["tools"].as_array().unwrap().iter();
    let tool = names.clone().find(|tool| tool["kind"] == "mcp").unwrap();
    place.print(&["tools", "stop", tool["tool_id"].as_str().unwrap()]);
    eventually("they are stopped", || in_state("stopped") == all && in_state("running") == 0);
    let refused = serving.send("GET /tools?q=count&cursor=echo", "");
    assert!(refused["error"]["message"].as_str().unwrap().contains("no pages"), "{refused}");
}
