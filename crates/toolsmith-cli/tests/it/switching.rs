//! `toolsmith tools enable` and `disable`

use std::{fs, thread};

use serde_json::json;

use crate::support::Place;

const GREET: &str = "name: greet\ndescription: Greets.\nentry: {type: builtin, handler: echo}\n";

#[test]
fn a_tool_that_is_switched_off_cannot_be_run_until_it_is_switched_on() {
    let place = Place::new().with("tools/greet.yaml", GREET);
    // One from a file, one that is built in.
    for (name, input) in [("greet", "message=1"), ("calculator", "expression=1")] {
        assert_eq!(place.print(&["tools", "disable", name]), format!("{name} is disabled\n"));
        let again = place.print(&["tools", "disable", name]);
        assert_eq!(again, format!("{name} is already disabled\n"));
        let ran = place.run(&["run", name, input]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
        assert!(ran.stderr.starts_with(&format!("error: `{name}` is disabled")), "{ran:?}");
        let ran = place.run(&["run", name, input, "--json"]);
        assert_eq!(ran.error_type(), "tool_not_found");
        let ran = place.run(&["run", name, input, "--dry-run"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    }
    let list = place.json(&["tools", "list", "--state", "disabled"]);
    let names: Vec<_> = list["tools"].as_array().unwrap().iter().map(|t| &t["name"]).collect();
    assert_eq!(names, ["calculator", "greet"]);
    assert!(place.print(&["tools", "list"]).contains("(disabled) Greets."));
    for (name, input) in [("greet", "message=1"), ("calculator", "expression=1")] {
        let told = place.json(&["tools", "enable", name]);
        assert_eq!(told, json!({"name": name, "enabled": true, "changed": true}));
        assert_eq!(place.print(&["run", name, input]), "1\n");
    }
}

#[test]
fn a_definition_that_is_off_by_itself_can_be_switched_on() {
    let place = Place::new().with("tools/greet.yaml", &format!("{GREET}enabled: false\n"));
    assert_eq!(place.run(&["run", "greet", "message=1"]).code, Some(3));
    place.print(&["tools", "enable", "greet"]);
    assert_eq!(place.print(&["run", "greet", "message=1"]), "1\n");
}

#[test]
fn a_name_that_nobody_has_is_an_error_and_nothing_is_remembered() {
    let place = Place::new();
    let ran = place.run(&["tools", "disable", "calculater"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    assert!(ran.stderr.contains("Did you mean `calculator`?"), "{ran:?}");
    assert!(!place.path().join(".toolsmith").exists());
}

#[test]
fn two_processes_that_switch_at_once_lose_nothing() {
    let place = Place::new();
    let halves = [
        ["calculator", "echo", "sleep", "get_env", "set_env"],
        ["read_file", "write_file", "list_files", "web_fetch", "http_get"],
    ];
    thread::scope(|scope| {
        for half in &halves {
            let place = &place;
            scope.spawn(move || {
                for name in half {
                    place.print(&["tools", "disable", name]);
                }
            });
        }
    });
    let list = place.json(&["tools", "list", "--state", "disabled"]);
    assert_eq!(list["tools"].as_array().unwrap().len(), 10, "{list}");
}

#[test]
fn what_is_switched_off_stays_off_wherever_the_switches_stood_and_when_they_cannot_be_read() {
    let place = Place::new();
    place.print(&["tools", "disable", "calculator"]);
    let folder = place.path().join(".toolsmith");
    let file = folder.join("switches/switches.json");
    // Where an earlier version wrote them.
    fs::rename(&file, folder.join("switches.json")).unwrap();
    fs::remove_dir_all(folder.join("switches")).unwrap();
    assert_eq!(place.run(&["run", "calculator", "expression=1"]).code, Some(3));
    assert!(file.exists());
    fs::write(&file, "{").unwrap();
    let ran = place.run(&["run", "calculator", "expression=1"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("cannot read which tools are switched off"), "{ran:?}");
    assert!(ran.stderr.contains("remove it"), "{ran:?}");
}
