//! `toolsmith init`

use std::fs;

use serde_json::json;

use crate::support::Place;

#[test]
fn an_empty_folder_is_prepared_and_works() {
    let place = Place::new();
    let ran = place.run(&["init"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        ran.stdout,
        "created toolsmith.yaml\ncreated tools/README.md\n\nTry next:\n  \
         toolsmith run echo message=hi\n  toolsmith tools new command greet\n  toolsmith tools list\n"
    );
    assert!(place.read("tools/README.md").starts_with("# Tools\n"));
    assert!(!place.path().join(".gitignore").exists());
    let next = ran.stdout.split("Try next:\n").nth(1).unwrap();
    for line in next.lines().chain(["toolsmith config show", "toolsmith run greet who=you"]) {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        assert_eq!(place.run_knowing(&[], &words).code, Some(0), "{line}");
    }
}

#[test]
fn what_stands_in_the_folder_of_tools_is_true() {
    let place = Place::new();
    place.print(&["init"]);
    let readme = place.read("tools/README.md");
    let commands = readme.lines().filter_map(|line| line.strip_prefix("    toolsmith "));
    let commands: Vec<&str> = commands.filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(commands.len(), 4);
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let ran = place.run_knowing(&[], &words);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{command}");
    }
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::new().with("toolsmith.yaml", "log: info\n");
    let report = place.run(&["init", "--json"]).json();
    assert_eq!(
        report,
        json!({
            "folder": ".", "created": ["tools/README.md"], "changed": [],
            "kept": ["toolsmith.yaml"],
            "next": [
                "toolsmith run echo message=hi", "toolsmith tools new command greet",
                "toolsmith tools list"
            ]
        })
    );
    assert_eq!(place.read("toolsmith.yaml"), "log: info\n");
    let again = place.run(&["init", "--json"]).json();
    assert_eq!(again["kept"], json!(["toolsmith.yaml", "tools/README.md"]));
}

#[test]
fn a_repository_ignores_the_data_folder_once() {
    let place = Place::new().with(".gitignore", "/target");
    fs::create_dir(place.path().join(".git")).unwrap();
    assert_eq!(place.run(&["init", "--json"]).json()["changed"], json!([".gitignore"]));
    assert_eq!(place.run(&["init", "--json"]).json()["changed"], json!([]));
    assert_eq!(place.read(".gitignore"), "/target\n.toolsmith/\n");
}

#[test]
fn another_folder_is_made_when_it_is_missing() {
    let place = Place::new();
    fs::create_dir_all(place.path().join("new/agent/.git")).unwrap();
    let report = place.run(&["init", "new/agent", "--json"]).json();
    assert_eq!(report["created"], json!(["toolsmith.yaml", "tools/README.md", ".gitignore"]));
    assert_eq!(
        report["next"],
        json!([
            "cd new/agent",
            "toolsmith run echo message=hi",
            "toolsmith tools new command greet",
            "toolsmith tools list"
        ])
    );
    assert_eq!(place.read("new/agent/.gitignore"), ".toolsmith/\n");
}

#[test]
fn a_folder_that_cannot_be_made_is_a_clear_error() {
    let place = Place::new().with("file", "");
    let ran = place.run(&["init", "file"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("error: cannot make the folder file/tools: "), "{}", ran.stderr);
    let json = place.run(&["init", "file", "--json"]).json();
    assert_eq!(json["error"]["type"], "execution_error");
}
