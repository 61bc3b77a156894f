//! `toolsmith tools new`

use std::fs;

use serde_json::json;

use crate::{server::Server, support::Place};

/// Says which path was asked for.
fn asked(lines: &[String]) -> String {
    let path = lines[0].split(' ').nth(1).unwrap();
    json!({ "login": path.rsplit('/').next(), "path": path }).to_string()
}

#[test]
fn what_is_made_validates_and_runs_as_it_is() {
    let server = Server::start(asked);
    let url = server.url();
    let variables = [("GITHUB_API_URL", url.as_str())];
    for (kind, output) in [
        ("command", json!("hello, world")),
        ("javascript", json!({"words": 3})),
        ("builtin", json!({"message": "hello"})),
        ("http", json!({"login": "octocat", "path": "/users/octocat"})),
    ] {
        let place = Place::new();
        let made = place.json(&["tools", "new", kind, "fresh"]);
        assert_eq!((&made["file"], &made["kind"]), (&json!("tools/fresh.yaml"), &json!(kind)));
        let next: Vec<&str> =
            made["next"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        assert_eq!(next[0], "toolsmith tools validate tools/fresh.yaml");
        let ran = place.run(&["tools", "validate", "--strict"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "ok 1 tool\n"), "{kind}: {ran:?}");
        let words = words(next[1]);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        let ran = place.run_knowing(&variables, &words);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{kind}: {ran:?}");
        assert_eq!(ran.json()["output"], output, "{kind}");
    }
}

/// Splits the line of a shell without its program.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.split_off(1)
}

#[test]
fn people_are_told_what_was_made_and_what_to_try() {
    let place = Place::new();
    assert_eq!(
        place.print(&["tools", "new", "command", "greet"]),
        "created tools/greet.yaml\n\nTry next:\n  toolsmith tools validate tools/greet.yaml\n  \
         toolsmith run greet who=world\n"
    );
    let ran = place.run_knowing(&[], &["run", "greet", "who=you"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "hello, you\n"), "{ran:?}");
    assert_eq!(place.print(&["tools", "list", "--kind", "command"]).lines().count(), 2);
}

#[test]
fn a_name_that_is_somebody_elses_is_made_with_a_note() {
    let place = Place::new().with("tools/other.yaml", "name: greet\n");
    let printed = place.print(&["tools", "new", "builtin", "echo"]);
    let note = "note `echo` is a built-in tool: this definition takes its place\n";
    assert_eq!(printed.lines().nth(1), Some(note.trim_end()), "{printed}");
    let made = place.json(&["tools", "new", "builtin", "greet"]);
    let note = "`greet` is defined in another file already: choose another name, or a version of \
                its own";
    assert_eq!(made["note"], note);
    assert!(place.json(&["tools", "new", "builtin", "fresh"]).get("note").is_none());
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::new().with("tools/greet.yaml", "mine");
    let ran = place.run(&["tools", "new", "builtin", "greet", "--json"]);
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"));
    let message = "tools/greet.yaml is there already; choose another name, or remove it";
    assert_eq!(ran.json()["error"]["message"], message);
    assert_eq!(place.read("tools/greet.yaml"), "mine");
}

#[test]
fn names_that_are_no_names_and_kinds_that_are_no_kinds_are_refused() {
    let place = Place::new();
    let long = "x".repeat(65);
    for name in ["a b", "../x", "/etc/x", "", "é", "a\nb", &long] {
        let ran = place.run(&["tools", "new", "command", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{name:?} {ran:?}");
        assert!(ran.stderr.starts_with("error: "), "{ran:?}");
    }
    let ran = place.run(&["tools", "new", "comand", "x"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("command"), "{ran:?}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn the_folder_is_the_configured_one_or_the_one_that_is_named() {
    let place = Place::new().with("toolsmith.yaml", "tools_directory: [mine, yours]\n");
    place.print(&["tools", "new", "builtin", "one"]);
    place.print(&["tools", "new", "builtin", "two", "--to", "yours/deep"]);
    assert!(place.path().join("mine/one.yaml").exists());
    assert!(place.path().join("yours/deep/two.yaml").exists());
    for name in ["one", "two"] {
        assert_eq!(place.print(&["run", name, "message=hi"]), "hi\n");
    }
}
