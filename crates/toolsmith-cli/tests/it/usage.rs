//! Wrong arguments, help, version.

use serde_json::json;

use crate::support::Place;

#[test]
fn wrong_arguments_exit_with_2_and_say_what_is_near() {
    let ran = Place::new().run(&["confg"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("config"), "{}", ran.stderr);
}

#[test]
fn wrong_arguments_are_json_when_json_is_asked_for() {
    let place = Place::new();
    for (arguments, message) in [
        (&["config", "show", "--json", "--wrong"][..], "unexpected argument '--wrong' found"),
        (&["--json", "completions", "tcsh"], "invalid value 'tcsh' for '<SHELL>'"),
        (&["--json"], "a command is missing; `toolsmith --help` lists them"),
        (&["config", "--json"], "a command is missing; `toolsmith --help` lists them"),
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""), "{arguments:?}");
        let error = &ran.json()["error"];
        assert_eq!(error["type"], "bad_request");
        let text = error["message"].as_str().unwrap();
        assert!(text.starts_with(message), "{text}");
        assert!(!text.contains("Usage:"), "{text}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let place = Place::new();
    for word in [&["--help"][..], &["config", "show", "--help"], &["init", "--help"]] {
        let ran = place.run(word);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout.contains("Examples:\n  toolsmith "), "{}", ran.stdout);
        assert!(ran.stdout.contains("Global options:"), "{}", ran.stdout);
    }
    let version = place.run(&["--version"]);
    assert_eq!(version.stdout, format!("toolsmith {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn no_word_at_all_shows_the_help() {
    let ran = Place::new().run(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("Usage: toolsmith"), "{}", ran.stderr);
}

#[test]
fn a_broken_configuration_exits_with_2() {
    let place = Place::new().with("toolsmith.yaml", "limits:\n  queue_sise: 3\n");
    let ran = place.run(&["config", "show"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let line = "toolsmith.yaml:2:3: limits.queue_sise: unknown key. Did you mean `queue_size`?";
    assert_eq!(ran.stderr, format!("error: {line}\n"));
    let ran = place.run(&["config", "show", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""));
    assert_eq!(ran.json(), json!({"error": {"type": "bad_request", "message": line}}));
}

#[test]
fn words_without_settings_do_not_read_the_configuration() {
    let place = Place::new().with("toolsmith.yaml", "broken: [\n");
    assert_eq!(place.run(&["completions", "bash"]).code, Some(0));
    assert_eq!(place.run(&["init", "elsewhere"]).code, Some(0));
}

#[test]
fn folders_that_cannot_be_meant_are_usage_errors() {
    let place = Place::new().with("file", "");
    for words in [
        &["run", "echo", "message=hi"][..],
        &["calls", "list"],
        &["calls", "prune", "--keep", "1"],
        &["artifacts", "list"],
        &["tools", "list"],
        &["config", "show"],
    ] {
        for (flags, said) in [
            (["--data", "file"], "data_directory: `file` is a file; a folder is needed here"),
            (["--tools", "nodir"], "tools_directory: there is no folder `nodir`"),
            (["--config", "nofile"], "there is no file nofile"),
        ] {
            let ran = place.run(&[words, &flags].concat());
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{words:?}");
            assert_eq!(ran.stderr, format!("error: flag {}: {said}\n", flags[0]), "{words:?}");
        }
    }
}

#[test]
fn help_with_json_is_still_help() {
    let place = Place::new();
    assert!(place.print(&["help", "--json"]).contains("Usage: toolsmith"));
    assert!(place.print(&["help", "run", "--json"]).contains("Usage: toolsmith run"));
}
