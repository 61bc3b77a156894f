//! Commands with real processes.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use toolsmith_children::Children;
use toolsmith_core::{
    Advice, Confinement, Context, ErrorKind, Overlay, Parameter, SandboxProfile, StreamItem, Value,
    json,
};

use super::CommandMaker;
use crate::workbench::{self, Bench};

fn maker(overlay: &Overlay) -> CommandMaker {
    let environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("SECRET_KEY", "hidden")];
    let environment: BTreeMap<String, String> =
        environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    CommandMaker::new(Children::new(), &environment, overlay.clone())
}

fn make(entry: &Value) -> Result<Bench, Vec<String>> {
    let names = ["x", "y", "files"].map(Parameter::string);
    workbench::make(&maker(&Overlay::default()), entry, &names, Path::new("/"))
}

/// A tool that runs a script of the shell; `$1` and so on are its arguments.
fn sh(script: &str, args: &[&str]) -> Bench {
    let mut command = vec!["sh", "-c", script, "sh"];
    command.extend(args);
    make(&json!({ "type": "command", "command": command })).unwrap()
}

fn text_of(entry: &Value) -> Vec<String> {
    make(entry).err().unwrap()
}

#[tokio::test]
async fn the_input_arrives_as_json_and_the_output_is_read_as_json() {
    let tool = make(&json!({ "command": "cat" })).unwrap();
    let input = json!({ "x": ["é🦀\n\"", 1.5, null], "y": { "z": true } });
    assert_eq!(tool.call(input.clone()).await.unwrap(), input);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_megabytes_go_in_and_come_out() {
    let tool = make(&json!({ "command": ["cat"] })).unwrap();
    let input = json!({ "x": "0123456789".repeat(1_000_000) });
    assert!(tool.call(input.clone()).await.unwrap() == input);
}

#[tokio::test]
async fn whatever_a_value_says_it_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let witness = folder.path().join("witness");
    let witness = witness.to_str().unwrap();
    let tool = make(&json!({ "command": ["printf", "%s", "{x}"], "output": "text" })).unwrap();
    for attack in [
        format!("; touch {witness}"),
        format!("$(touch {witness})"),
        format!("`touch {witness}`"),
        format!("' ; touch {witness} ; '"),
        format!("\" && touch {witness} #"),
        format!("a\ntouch {witness}"),
        format!("| touch {witness} &"),
        "${TOKEN} {y} %s %n *".to_owned(),
    ] {
        assert_eq!(tool.call(json!({ "x": attack })).await.unwrap(), json!(attack));
    }
    assert!(!Path::new(witness).exists());
}

#[tokio::test]
async fn placeholders_lists_and_absent_parameters_become_arguments() {
    let script = r#"printf '<%s>' "$@""#;
    let tool = sh(script, &["{x}", "--y={y}", "{files}", "{{x}}"]);
    let output = tool.call(json!({ "x": 1, "files": ["a b", "c"] })).await.unwrap();
    assert_eq!(output, json!("<1><a b><c><{x}>"));
    let error = tool.call(json!({ "x": "-rf" })).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ValidationError);
}

#[tokio::test]
async fn a_failure_tells_the_code_and_the_end_of_the_complaints() {
    let tool = sh("echo out; echo first >&2; echo last words >&2; exit 3", &[]);
    let error = tool.call(json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExecutionError);
    assert_eq!(error.message(), "The program `sh` ended with exit code 3: first\nlast words");
    assert_eq!(
        *error.details(),
        json!({ "exit_code": 3, "signal": null, "stderr": "first\nlast words" })
    );
    let long = sh("yes complaint | head -c 1000000 >&2; echo THE END >&2; exit 1", &[]);
    let error = long.call(json!({})).await.unwrap_err();
    assert!(error.message().ends_with("THE END") && error.message().len() < 1_200);
    let silent = sh("echo said on stdout; exit 1", &[]).call(json!({})).await.unwrap_err();
    assert!(silent.message().ends_with("exit code 1: said on stdout"), "{silent}");
}

#[tokio::test]
async fn a_signal_is_named_and_final() {
    let error = sh("kill -ABRT $$", &[]).call(json!({})).await.unwrap_err();
    assert_eq!(error.message(), "The program `sh` ended with signal 6 (SIGABRT).");
    assert_eq!(
        (error.details()["signal"].as_str(), error.advice()),
        (Some("SIGABRT"), Advice::Final)
    );
}

#[tokio::test]
async fn other_codes_can_be_successes() {
    let entry = json!({ "command": ["sh", "-c", "echo none; exit 1"], "success_codes": [0, 1] });
    assert_eq!(make(&entry).unwrap().call(json!({})).await.unwrap(), json!("none"));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let tool = make(&json!({ "command": "no-such-program" })).unwrap();
    let error = tool.call(json!({})).await.unwrap_err();
    assert_eq!(
        error.message(),
        "There is no program `no-such-program` in the folders of PATH, which were searched. \
         Install it, or give its whole path."
    );
    let tool = make(&json!({ "command": ["./no/such", "x"] })).unwrap();
    assert!(tool.call(json!({})).await.unwrap_err().message().contains("`./no/such`"));
    let tool = make(&json!({ "command": "/etc/passwd" })).unwrap();
    assert!(tool.call(json!({})).await.unwrap_err().message().contains("permission denied"));
}

#[tokio::test]
async fn the_environment_is_clean_but_for_what_is_added() {
    let overlay = Overlay::default();
    let here = Context::for_conversation("agent", "here");
    for (name, value) in [("MODE", "set"), ("OWN", "no")] {
        overlay.set(&here, name, value.to_owned()).unwrap();
    }
    for name in ["PATH", "LD_PRELOAD", "HOME", "PYTHONPATH"] {
        assert!(overlay.set(&here, name, "/evil".to_owned()).is_err(), "{name}");
    }
    let entry = json!({
        "command": ["env"],
        "env": { "OWN": "tool", "KEY": "${TOKEN}", "N": 5 },
        "output": "lines",
    });
    let mut tool = workbench::make(&maker(&overlay), &entry, &[], Path::new("/")).unwrap();
    let lines = tool.call(json!({})).await.unwrap();
    let mut lines: Vec<&str> = lines.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    lines.retain(|line| !line.starts_with("TOOLSMITH_CHILD="));
    lines.retain(|line| !line.starts_with("PATH=/usr/local/bin"));
    lines.sort_unstable();
    assert_eq!(lines, ["KEY=s3cret-token", "MODE=set", "N=5", "OWN=tool"]);
    tool.context = Context::for_conversation("agent", "elsewhere");
    let lines = tool.call(json!({})).await.unwrap().to_string();
    assert!(!lines.contains("MODE") && lines.contains("PATH=/usr/local/bin"), "{lines}");
}

#[tokio::test]
async fn paths_begin_at_the_folder_of_the_definition() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    fs::create_dir(home.join("inner")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", home.join("run")).unwrap();
    let maker = maker(&Overlay::default());
    for (cwd, expected) in [(Value::Null, home.clone()), (json!("inner"), home.join("inner"))] {
        let entry = json!({ "command": ["./run", "-c", "pwd"], "cwd": cwd });
        let tool = workbench::make(&maker, &entry, &[], &home).unwrap();
        let told = tool.call(json!({})).await.unwrap();
        assert_eq!(Path::new(told.as_str().unwrap()), expected);
    }
}

#[tokio::test]
async fn stdin_can_be_nothing_or_a_text_of_parameters() {
    let entry = json!({ "command": "cat", "stdin": "none" });
    assert_eq!(make(&entry).unwrap().call(json!({ "x": 1 })).await.unwrap(), json!(""));
    let entry = json!({ "command": "cat", "stdin": "<{x}|{y}>\n", "output": "text" });
    assert_eq!(make(&entry).unwrap().call(json!({ "x": "a" })).await.unwrap(), json!("<a|>"));
}

#[tokio::test]
async fn output_that_is_too_long_or_no_text_is_no_trouble() {
    let entry = json!({ "command": ["yes"], "max_output": 10_000 });
    let error = make(&entry).unwrap().call(json!({})).await.unwrap_err();
    assert!(error.message().contains("more than 10000 bytes"), "{error}");
    assert_eq!(error.advice(), Advice::Differently);
    let tool = sh(r"printf 'a\377b'", &[]);
    assert_eq!(tool.call(json!({})).await.unwrap(), json!("a\u{fffd}b"));
    let tool = make(&json!({ "command": ["printf", "{x}"] })).unwrap();
    let error = tool.call(json!({ "x": "y".repeat(3_000_000) })).await.unwrap_err();
    assert!(error.message().contains("longer than the system allows"), "{error}");
}

#[tokio::test]
async fn limits_hold_the_process() {
    let entry = json!({
        "command": ["sh", "-c", "ulimit -t; ulimit -v; ulimit -f; ulimit -n"],
        "limits": { "cpu_seconds": 9, "memory_mb": 400, "file_size_mb": 1, "open_files": 20 },
        "output": "lines",
    });
    let limits = make(&entry).unwrap().call(json!({})).await.unwrap();
    assert_eq!(limits, json!(["9", "409600", "2048", "20"]));
}

#[tokio::test]
async fn lines_are_sent_as_they_come_when_asked_for() {
    let script = "echo one; echo two; printf three";
    let entry = json!({ "command": ["sh", "-c", script], "stream": true, "output": "lines" });
    let (result, items) = make(&entry).unwrap().follow(json!({})).await;
    assert_eq!(result.unwrap(), json!(["one", "two", "three"]));
    let chunks: Vec<StreamItem> =
        ["one", "two", "three"].map(|line| StreamItem::Chunk(json!(line))).into();
    assert_eq!(items, chunks);
    let (_, items) = sh("echo one", &[]).follow(json!({})).await;
    assert!(items.is_empty());
}

#[tokio::test]
async fn at_the_deadline_the_whole_tree_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pids");
    let script = format!(
        "echo $$ >> {0}; (sleep 100 & echo $! >> {0}; setsid sleep 100 & echo $! >> {0}; wait) & wait",
        file.display()
    );
    let tool = sh(&script, &[]);
    let pids = || -> Vec<i32> {
        let text = fs::read_to_string(&file).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    };
    let started = async {
        poll("the tree has started", || pids().len() == 3).await;
    };
    tokio::select! {
        result = tool.call(json!({})) => panic!("it ended by itself: {result:?}"),
        () = started => {}
    }
    let is_gone = |pid: i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    poll("the tree has ended", || pids().into_iter().all(is_gone)).await;
}

async fn poll(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < until, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whoever loads definitions checks the variables of every entry, and tells where it stands.
#[test]
fn a_variable_that_cannot_be_read_is_not_told_twice() {
    for entry in [
        json!({ "command": "${oops" }),
        json!({ "command": ["ls", "${oops"] }),
        json!({ "command": "ls", "args": [["a", "${oops"]] }),
        json!({ "command": "ls", "stdin": "{x} ${oops" }),
        json!({ "command": "ls", "env": { "A": "${oops" } }),
        json!({ "command": "ls", "cwd": "${oops" }),
    ] {
        assert_eq!(make(&entry).err(), Some(Vec::new()), "{entry}");
    }
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for cwd in ["nope", "file"] {
        let entry = json!({ "command": "cat", "cwd": cwd });
        let maker = maker(&Overlay::default());
        let tool = workbench::make(&maker, &entry, &[], folder.path()).unwrap();
        let error = tool.call(json!({})).await.unwrap_err();
        let place = folder.path().join(cwd);
        let told = format!("There is no folder `{}`", place.display());
        assert!(error.message().starts_with(&told), "{error}");
    }
}

#[test]
fn wrong_entries_say_what_is_wrong() {
    for (entry, expected) in [
        (
            json!({}),
            "/entry: `command` is missing: say which program to run, and with which arguments",
        ),
        (
            json!({ "command": 5 }),
            "/entry/command: expected a program or a list, found the number 5",
        ),
        (json!({ "command": [] }), "/entry/command: expected a list that begins with the program"),
        (
            json!({ "command": "ls -l" }),
            "/entry/command: no shell takes this apart; write it as a list: [ls, -l]",
        ),
        (
            json!({ "command": ["{x}"] }),
            "/entry/command: the program cannot come from the input; only arguments can",
        ),
        (
            json!({ "command": ["ls", "{file}"] }),
            "/entry/command/1: there is no parameter `file`. Did you mean `files`? Write `{{file}}` for plain text in braces",
        ),
        (
            json!({ "command": "ls", "args": ["a", [["b"]]] }),
            "/entry/args/1: expected text, found a list",
        ),
        (
            json!({ "command": "ls", "stdin": "jsn" }),
            "/entry/stdin: expected `json`, `none` or a text with a `{parameter}` in it",
        ),
        (
            json!({ "command": "ls", "env": { "A=B": "x" } }),
            "/entry/env/A=B: \"A=B\" cannot be the name of a variable",
        ),
        (
            json!({ "command": "ls", "success_codes": [256] }),
            "/entry/success_codes/0: expected an exit code from 0 to 255, found the number 256",
        ),
        (
            json!({ "command": "ls", "limits": { "memory": 5 } }),
            "/entry/limits/memory: unknown key `memory`. Did you mean `memory_mb`?",
        ),
        (
            json!({ "comand": "ls", "command": "ls" }),
            "/entry/comand: unknown key `comand`. Did you mean `command`?",
        ),
    ] {
        assert_eq!(text_of(&entry), [expected]);
    }
}

/// A tool that runs a script in a strict sandbox, and the folder of its definition.
fn confined(script: &str, confinement: &Confinement) -> (Bench, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("own.txt"), "own").unwrap();
    let entry = json!({ "command": ["sh", "-c", script], "output": "text", "stdin": "none" });
    let maker = maker(&Overlay::default());
    let tool = workbench::confine(&maker, &entry, folder.path(), confinement).unwrap();
    (tool, folder)
}

#[tokio::test]
async fn a_confined_command_sees_its_folder_and_what_its_sandbox_lists() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let secret = outside.path().join("secret").display().to_string();
    let script = format!("cat own.txt; cat {secret} 2>/dev/null; echo x > own.txt; ulimit -t");
    let strict = Confinement::new(SandboxProfile::Strict);
    let (hidden, _folder) =
        confined(&script, &Confinement { cpu_seconds: Some(5), ..strict.clone() });
    match hidden.call(json!({})).await {
        Ok(said) => assert_eq!(said, json!("own5")),
        Err(error) if error.message().contains("cannot be enforced") => {
            return toolsmith_testing::skip(error.message());
        }
        Err(error) => panic!("{error}"),
    }
    let read = vec![secret.clone()];
    let (shown, _folder) = confined(&format!("cat {secret}"), &Confinement { read, ..strict });
    assert_eq!(shown.call(json!({})).await.unwrap(), json!("secret"));
}

#[tokio::test]
async fn a_confined_command_does_not_start_without_what_it_was_promised() {
    let read = vec!["not/there".to_owned()];
    let strict = Confinement::new(SandboxProfile::Strict);
    let (tool, _folder) = confined("true", &Confinement { read, ..strict });
    assert_eq!(tool.call(json!({})).await.unwrap_err().kind(), ErrorKind::ExecutionError);
}
