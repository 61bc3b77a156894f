//! Tools that are services of their own, from the shell.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use toolsmith_testing::{fixtures, skip};

use crate::{
    serving::Serving,
    support::{PROGRAMS, Place, Ran},
};

/// How long a process may take to start or to end: plenty for a machine under load.
const PATIENCE: Duration = Duration::from_mins(1);

const SERVER: &str = include_str!("../../../toolsmith-connectors/src/process/tests/server.py");

fn place() -> Place {
    let entry = "entry: {type: process, dir: ./p, command: [python3, main.py, --port, '{port}']}";
    Place::new()
        .with("tools/first.yaml", &format!("name: first\n{entry}\n"))
        .with("tools/second.yaml", &format!("name: second\ndepends_on: [first]\n{entry}\n"))
        .with("tools/p/main.py", SERVER)
}

fn is_gone(pid: &Value) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "not in time: {what}");
        sleep(Duration::from_millis(10));
    }
}

/// Starts the services of `second` and returns what was printed about them.
fn start(place: &Place) -> (Child, Value) {
    let mut command = place.command(&["tools", "start", "second", "--json"]);
    command.env("PATH", PROGRAMS).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut printed = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    // A document is done when it can be read.
    let document = loop {
        if lines.read_line(&mut printed).unwrap() == 0 {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("it ended: {printed}{said}");
        }
        if let Ok(document) = serde_json::from_str::<Value>(&printed) {
            break document;
        }
    };
    (child, document)
}

#[test]
fn a_run_starts_the_process_and_leaves_nothing_behind() {
    let place = place();
    let ran = place.run_knowing(&[], &["run", "first", "x=1", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let output = &ran.json()["output"];
    assert_eq!(output["got"], json!({ "x": "1" }));
    assert!(is_gone(&output["pid"]));
    let ran = place.run_knowing(&[], &["run", "first", "do=crash"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("ended with exit code 3"), "{ran:?}");
    assert!(ran.stderr.contains("about to crash"), "{ran:?}");
}

#[test]
fn start_keeps_a_service_and_what_it_depends_on_until_stop() {
    let place = place();
    let (mut child, document) = start(&place);
    let started = document["started"].as_array().unwrap();
    let names: Vec<&Value> = started.iter().map(|status| &status["tool_name"]).collect();
    assert_eq!(names, ["first", "second"], "what it depends on comes first");
    for status in started {
        assert_eq!(status["state"], "running");
        assert!(status["port"].is_u64() && !is_gone(&status["pid"]), "{status}");
    }
    let told = place.print(&["tools", "stop", "second"]);
    assert_eq!(told, "second: running Toolsmith processes stop its service now\n");
    wait_until("the command ends", || child.try_wait().unwrap().is_some());
    assert!(child.wait().unwrap().success());
    assert!(started.iter().all(|status| is_gone(&status["pid"])));
}

#[test]
fn a_dependency_that_does_not_start_is_named() {
    let place = place().with(
        "tools/first.yaml",
        "name: first\nentry: {type: process, command: [python3, -c, \"raise SystemExit('no key')\"]}\n",
    );
    let ran = place.run_knowing(&[], &["tools", "start", "second", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.json()["error"]["type"], "dependency_error");
    let message = ran.json()["error"]["message"].to_string();
    assert!(message.contains("`first`, which it depends on, did not start"), "{ran:?}");
    assert!(message.contains("no key"), "{ran:?}");
}

#[test]
fn a_tool_that_is_disabled_loses_its_service() {
    let place = place();
    let (mut child, document) = start(&place);
    place.print(&["tools", "disable", "second"]);
    wait_until("the command ends", || child.try_wait().unwrap().is_some());
    let started = document["started"].as_array().unwrap();
    assert!(started.iter().all(|status| is_gone(&status["pid"])));
}

#[test]
fn two_runs_on_one_data_folder_have_services_of_their_own() {
    let place = place();
    let ((mut first, one), (mut second, other)) = (start(&place), start(&place));
    let pids = |document: &Value| -> Vec<Value> {
        let started = document["started"].as_array().unwrap();
        started.iter().map(|status| status["pid"].clone()).collect()
    };
    let (one, other) = (pids(&one), pids(&other));
    assert!(one.iter().all(|pid| !other.contains(pid)));
    // A run that is killed takes its services along, and no others.
    first.kill().unwrap();
    first.wait().unwrap();
    wait_until("the services of the killed run are gone", || one.iter().all(is_gone));
    assert!(other.iter().all(|pid| !is_gone(pid)));
    place.print(&["tools", "stop", "second"]);
    wait_until("the other ends", || second.try_wait().unwrap().is_some());
    assert!(other.iter().all(is_gone));
}

#[test]
fn start_ends_with_ctrl_c() {
    let place = place();
    let (mut child, document) = start(&place);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    wait_until("the command ends", || child.try_wait().unwrap().is_some());
    let started = document["started"].as_array().unwrap();
    assert!(started.iter().all(|status| is_gone(&status["pid"])));
}

#[test]
fn a_tool_without_a_service_has_nothing_to_start() {
    let ran = Place::new().run(&["tools", "start", "echo"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let told = "`echo` has no service of its own: it runs when it is called";
    assert!(ran.stderr.contains(told), "{ran:?}");
}

#[test]
fn without_an_engine_a_container_says_how_to_get_one() {
    let place =
        Place::new().with("tools/c.yaml", "name: c\nentry: {type: container, image: busybox}\n");
    let ran = place.run_knowing(&[("DOCKER_HOST", "unix:///nowhere.sock")], &["run", "c"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("No container engine is running at `unix:///nowhere.sock`"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("apt-get install docker.io"), "{ran:?}");
}

#[test]
fn what_is_made_for_services_validates() {
    for kind in ["python", "process", "container", "remote"] {
        let place = Place::new();
        let made = place.json(&["tools", "new", kind, "fresh"]);
        assert_eq!(made["file"], "tools/fresh.yaml");
        for file in made["others"].as_array().into_iter().flatten() {
            assert!(!place.read(file.as_str().unwrap()).is_empty(), "{file}");
        }
        assert_eq!(place.print(&["tools", "validate", "--strict"]), "ok 1 tool\n", "{kind}");
    }
}

#[test]
fn what_is_made_for_uv_runs_as_it_is() {
    let Some(uv) = fixtures::uv() else { return skip("uv is not installed; run ./test") };
    for kind in ["python", "process"] {
        let place = Place::new();
        let home = place.path().display().to_string();
        place.json(&["tools", "new", kind, "fresh"]);
        let mut command =
            place.command(&["run", "fresh", "text=one two three", "--json", "--timeout", "60"]);
        command.env("PATH", format!("{}:{PROGRAMS}", uv.display()));
        command.env("UV_PYTHON_DOWNLOADS", "never").env("HOME", home);
        let ran = Ran::of(&mut command);
        assert_eq!(ran.json()["output"], json!({ "words": 3 }), "{kind}: {ran:?}");
    }
}

#[test]
fn tools_are_listed_by_the_state_of_their_services() {
    let place = place()
        .with("tools/plain.yaml", "name: plain\nentry: {type: command, command: [printenv]}\n");
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let listed = |query: &str| {
        let table = serving.send(&format!("GET /tools?{query}"), "");
        let rows = table["tools"].as_array().unwrap().iter();
        rows.map(|row| row["tool_id"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    assert_eq!(listed("state=stopped"), ["first", "second"]);
    assert_eq!(listed("state=stopped&limit=1"), ["first"]);
    assert_eq!(listed("state=stopped&limit=1&cursor=first"), ["second"]);
    assert_eq!(listed("state=stopped&runtime=local"), ["first", "second"]);
    assert_eq!(listed("state=stopped&runtime=docker"), [""; 0]);
    let running = listed("state=running");
    for name in ["echo", "plain"] {
        assert!(running.iter().any(|tool| tool == name), "{running:?}");
    }
    assert!(!running.iter().any(|tool| tool == "first"), "{running:?}");
}
