//! `toolsmith run`

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Place, Ran};

#[test]
fn people_see_the_obvious_value() {
    let place = Place::new();
    for (arguments, printed) in [
        (&["echo", "message=hi"][..], "hi\n"),
        (&["echo", "message=两行\n"], "两行\n"),
        (&["calculator", "expression=2*(3+4)"], "14\n"),
        (&["calculator", "expression=2**64"], "18446744073709551616\n"),
        (&["calculator", "expression=1/3", "precision=2"], "0.33\n"),
        (&["calculator@^1", "expression=1"], "1\n"),
    ] {
        assert_eq!(place.print(&[&["run"], arguments].concat()), printed, "{arguments:?}");
    }
}

#[test]
fn programs_see_the_outcome_and_nothing_else() {
    let outcome = Place::new().json(&["run", "echo", "message=hi"]);
    let fields: Vec<&str> = outcome.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "call_id",
            "tool_name",
            "version",
            "success",
            "output",
            "error",
            "started_at",
            "duration_ms",
            "metadata"
        ]
    );
    assert_eq!(outcome["output"], json!({"message": "hi"}));
    assert_eq!((&outcome["success"], &outcome["error"]), (&json!(true), &Value::Null));
}

#[test]
fn failures_have_their_codes_and_say_what_to_do() {
    let place = Place::new();
    for (arguments, code, word, said) in [
        (
            &["ech", "message=hi"][..],
            3,
            "tool_not_found",
            "There is no tool `ech`. Did you mean `echo`?",
        ),
        (&["echo@^2"], 3, "tool_not_found", "`echo` has no such version; there are: 1.0.0."),
        (&["calculator"], 4, "validation_error", "`expression` is required (string)"),
        (
            &["calculator", "expression=1", "precision=x"],
            4,
            "validation_error",
            "`precision` must be",
        ),
        (&["calculator", "expression=1/0"], 1, "execution_error", "Division by zero"),
        (&["calculator", "expression=2**"], 1, "execution_error", "Unexpected end"),
        (&["calculator", "expression=__import__(\"os\")"], 1, "execution_error", "only numbers"),
    ] {
        let people = place.run(&[&["run"], arguments].concat());
        assert_eq!((people.code, people.stdout.as_str()), (Some(code), ""), "{people:?}");
        assert!(people.stderr.starts_with("error: "), "{people:?}");
        assert!(people.stderr.contains(said), "{people:?}");
        let program = place.run(&[&["run", "--json"], arguments].concat());
        assert_eq!((program.code, program.stderr.as_str()), (Some(code), ""), "{program:?}");
        assert_eq!(
            (program.error_type().as_str(), &program.json()["success"]),
            (word, &json!(false))
        );
    }
}

#[test]
fn problems_of_an_input_stand_one_a_line() {
    let ran = Place::new().run(&["run", "calculator", "precision=99"]);
    assert_eq!(ran.code, Some(4));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines[0], "error: the input does not fit `calculator`:");
    assert!(lines[1].starts_with("  `expression` is required"), "{lines:?}");
    assert!(lines[2].starts_with("  `precision` must be at most 15"), "{lines:?}");
    assert_eq!(lines[3], "try: toolsmith tools show calculator");
}

#[test]
fn a_hundred_thousand_brackets_are_a_clear_error() {
    let place = Place::new().with("brackets", &"(".repeat(100_000));
    let ran = place.run(&["run", "calculator", "expression=@brackets"]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.stderr.contains("at most 10000 characters"), "{ran:?}");
}

#[test]
fn the_input_comes_from_arguments_files_and_standard_input() {
    let place = Place::new().with("note", "from a file").with("all.json", r#"{"message": "all"}"#);
    assert_eq!(place.print(&["run", "echo", "message=@note"]), "from a file\n");
    assert_eq!(place.print(&["run", "echo", "message:=\"quoted\""]), "quoted\n");
    assert_eq!(place.print(&["run", "echo", "--params", "@all.json"]), "all\n");
    assert_eq!(place.print(&["run", "echo", "--params", "@all.json", "message=top"]), "top\n");
    let piped = place.run_reading(&["run", "echo", "--params", "-"], "{\"message\":\n\"piped\"}");
    assert_eq!((piped.code, piped.stdout.as_str()), (Some(0), "piped\n"));
}

#[test]
fn wrong_arguments_are_usage_errors_and_nothing_is_recorded() {
    let place = Place::new().with("long", &"x".repeat((16 << 20) + 1));
    for (arguments, said) in [
        (&["--params", "{\"message\": "][..], "line 1, column 12: the JSON ends too early"),
        (&["--params", "[1]"], "--params must be a JSON object"),
        (&["--params", "@nowhere"], "cannot read `nowhere`: there is no such file"),
        (&["--params", "@long"], "it is longer than 16777216 bytes"),
        (&["message=@long"], "it is longer than 16777216 bytes"),
        (&["message"], "`message` is not KEY=VALUE"),
        (&["message=a", "message=b"], "`message` is given twice"),
        (&["message=a", "--timeout", "0"], "expected a number of seconds above 0"),
    ] {
        let ran = place.run(&[&["run", "echo"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(said), "{ran:?}");
        let ran = place.run(&[&["run", "echo", "--json"], arguments].concat());
        assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"), "{ran:?}");
    }
    let nested = "[".repeat(1_000);
    let ran = place.run_reading(&["run", "echo", "--params", "-"], &nested);
    assert!(ran.code == Some(2) && ran.stderr.contains("nested too deep"), "{ran:?}");
    let second_line = place.run_reading(&["run", "echo", "--params", "-"], "{\"a\": 1,\n\"b\":}");
    assert!(second_line.stderr.contains("line 2, column 5: "), "{second_line:?}");
    assert_eq!(place.json(&["calls", "list"])["calls"], json!([]));
}

#[test]
#[cfg(unix)]
fn arguments_that_are_no_text_are_usage_errors() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let place = Place::new();
    let broken = OsStr::from_bytes(b"message=\xff");
    let ran = Ran::of(place.command(&["run", "echo", "--json"]).arg(broken));
    assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"));
    let ran = Ran::of(place.command(&["run", "echo"]).arg(broken));
    assert!(ran.code == Some(2) && ran.stderr.contains("invalid UTF-8"), "{ran:?}");
}

#[test]
fn what_the_engine_noted_is_told_on_standard_error() {
    let place = Place::new();
    let ran = place.run(&["run", "echo", "message=hi", "loud=1", "twice=2"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "hi\n"));
    assert_eq!(ran.stderr, "note: `echo` has no parameter `loud`, `twice`; left out\n");
    let outcome = place.json(&["run", "echo", "message=hi", "loud=1"]);
    assert_eq!(outcome["metadata"], json!({"dropped_parameters": ["loud"]}));
    let place = place.with("toolsmith.yaml", "strict_validation: true\n");
    assert_eq!(place.run(&["run", "echo", "message=hi", "loud=1"]).code, Some(4));
}

#[test]
fn secrets_of_the_configuration_reach_neither_output_nor_records() {
    let yaml = "tools:\n  webSearch:\n    apiKey: ${KEY}\n";
    let place = Place::new().with("toolsmith.yaml", yaml);
    let with_key = |arguments: &[&str]| {
        let ran = Ran::of(place.command(arguments).env("KEY", "hunter2-hunter2"));
        assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
        ran
    };
    let said = with_key(&["run", "echo", "message=it is hunter2-hunter2"]);
    assert_eq!(said.stdout, "it is ***\n");
    with_key(&["run", "echo", "message:=[\"hunter2-hunter2\"]", "--json"]);
    with_key(&["run", "echo", "message=hunter2-hunter2", "--dry-run"]);
    // Also for a reader who does not know what is secret.
    let mut export = place.command(&["calls", "export", "--log", "off"]);
    let records = Ran::of(&mut export).stdout;
    assert!(records.contains("it is ***") && !records.contains("hunter2"), "{records}");
}

#[test]
fn a_call_says_where_it_came_from() {
    let place = Place::new();
    place.print(&["run", "echo", "message=hi", "--conversation", "c1"]);
    let call = &place.json(&["calls", "list"])["calls"][0];
    assert_eq!((&call["caller_type"], &call["conversation_id"]), (&json!("cli"), &json!("c1")));
    assert_eq!((&call["params"], &call["version"]), (&json!({"message": "hi"}), &json!("1.0.0")));
}

#[test]
fn a_reader_who_leaves_early_or_a_full_device_is_no_crash() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_toolsmith");
    let script = format!("'{program}' run echo message=hi | true; echo ${{PIPESTATUS[0]}}");
    let mut piped = Command::new("bash");
    let ran = Ran::of(piped.args(["-c", &script]).env_clear().current_dir(place.path()));
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("0\n", ""));
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return toolsmith_testing::skip("there is no /dev/full");
    };
    let ran = Ran::of(place.command(&["run", "echo", "message=hi"]).stdout(full));
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("error: No space left on device"), "{ran:?}");
    assert_eq!(place.json(&["calls", "stats"])["total_calls"], 2, "the calls were made");
}

#[test]
fn a_secret_setting_is_neither_printed_nor_recorded() {
    let place = Place::new();
    let mut command = place.command(&["run", "echo", "message=envsecretvalue99"]);
    let ran = Ran::of(command.env("TOOLSMITH_TOOLS_WEBSEARCH_APIKEY", "envsecretvalue99"));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "***\n"));
    assert!(!place.print(&["calls", "export"]).contains("envsecretvalue99"));
    let file = "tools:\n  webSearch:\n    apiKey: filesecretvalue99\n";
    let place = Place::new().with("toolsmith.yaml", file);
    assert_eq!(place.print(&["run", "echo", "message=filesecretvalue99"]), "***\n");
}

#[test]
fn control_characters_from_outside_do_not_reach_the_terminal() {
    let place = Place::new();
    let is_bad = |c: char| c.is_control() && c != '\n';
    assert!(!place.print(&["init", "\u{1b}[31mfolder"]).contains(is_bad));
    for arguments in [
        &["run", "\u{1b}[31mx\u{7}"][..],
        &["run", "echo", "message=hi", "\u{1b}[31mx=1"],
        &["run", "--dry-run", "\u{1b}[31mx"],
        &["tools", "show", "\u{1b}[31mx"],
        &["batch", "\u{1b}[31mx"],
        &["\u{1b}[31mx"],
        &["--config", "\u{1b}[31mx", "config", "show"],
        &["calls", "list", "--data", "\u{1b}[31mx"],
    ] {
        let ran = place.run(arguments);
        assert!(!ran.stderr.is_empty() && !ran.stderr.contains(is_bad), "{arguments:?} {ran:?}");
        assert!(!ran.stdout.contains(is_bad), "{arguments:?} {ran:?}");
    }
}

#[test]
fn a_long_name_does_not_fill_the_screen() {
    let place = Place::new();
    place.print(&["run", "echo", "message=hi", "--conversation", &"x".repeat(1_000)]);
    let list = place.print(&["calls", "list"]);
    assert!(list.lines().all(|line| line.len() < 300), "{list}");
}
