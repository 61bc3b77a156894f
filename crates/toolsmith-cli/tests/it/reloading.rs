//! A process that runs for long follows its definitions: `toolsmith batch` that waits for calls.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::{sleep, spawn},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    interrupt::listens,
    support::{Place, Ran},
};

/// How long anything may take: plenty for a machine under load.
const PATIENCE: Duration = Duration::from_secs(20);

const LATE: &str = "name: late\ndescription: Comes late.\nentry: {type: builtin, handler: echo}\n";

/// A batch that waits for its calls.
struct Waiting {
    child: Child,
    stdin: ChildStdin,
    log: Receiver<String>,
}

impl Waiting {
    /// Starts it and waits until it is ready; nothing where the kernel does not say so.
    fn start(place: &Place) -> Option<Self> {
        let mut command = place.command(&["batch", "-", "--json", "--log", "info"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (tx, log) = channel();
        spawn(move || lines.map_while(Result::ok).try_for_each(|line| tx.send(line)).ok());
        let began = Instant::now();
        loop {
            match listens(&child) {
                Some(true) => return Some(Self { child, stdin, log }),
                Some(false) if began.elapsed() < PATIENCE => sleep(Duration::from_millis(2)),
                Some(false) => panic!("it never begins to wait"),
                None => {
                    drop(stdin);
                    child.wait().unwrap();
                    toolsmith_testing::skip("the kernel does not show signal masks");
                    return None;
                }
            }
        }
    }

    /// Waits for a line of the log.
    fn await_log(&self, part: &str) {
        let until = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.log.recv_timeout(left) {
                Ok(line) if line.contains(part) => return,
                Ok(line) => seen.push(line),
                Err(error) => panic!("`{part}` is never logged ({error}), but: {seen:#?}"),
            }
        }
    }

    /// Makes the calls, and returns their outcomes.
    fn call(mut self, calls: &[Value]) -> Vec<Value> {
        for call in calls {
            writeln!(self.stdin, "{call}").unwrap();
        }
        drop(self.stdin);
        let ran = Ran::from_output(self.child.wait_with_output().unwrap());
        ran.json()["outcomes"].as_array().unwrap().clone()
    }
}

fn call(tool: &str) -> Value {
    json!({"tool": tool, "params": {"message": "hi"}})
}

/// Adds a definition while a batch waits, and calls its tool.
fn assert_follows(place: &Place, make_known: impl FnOnce(&Place)) {
    let Some(waiting) = Waiting::start(place) else { return };
    place.write("tools/late.yaml", LATE);
    make_known(place);
    waiting.await_log("\"added\":1");
    let outcomes = waiting.call(&[call("late"), call("echo")]);
    for outcome in &outcomes {
        assert_eq!(outcome["output"]["message"], "hi", "{outcome}");
    }
    assert_eq!(outcomes.len(), 2);
}

#[test]
fn a_definition_that_comes_later_is_found_by_looking_now_and_then() {
    assert_follows(&Place::new().with("toolsmith.yaml", "reload_interval: 0.2\n"), |_| {});
}

#[test]
fn a_definition_that_comes_later_is_heard_of_by_file_events() {
    let yaml = "auto_reload: false\nwatch_for_changes: true\n";
    assert_follows(&Place::new().with("toolsmith.yaml", yaml), |_| {});
}

#[test]
fn whoever_asks_for_a_reload_need_not_wait() {
    for yaml in ["reload_interval: 3600\n", "auto_reload: false\n"] {
        let place = Place::new().with("toolsmith.yaml", yaml);
        assert_follows(&place, |place| {
            let said = place.print(&["tools", "reload"]);
            assert_eq!(said, "1 tool defined; running processes read them again now\n");
        });
    }
}

#[test]
fn a_running_process_hears_of_switches_and_keeps_what_was_good() {
    let place =
        Place::new().with("toolsmith.yaml", "auto_reload: false\n").with("tools/late.yaml", LATE);
    let Some(waiting) = Waiting::start(&place) else { return };
    place.write("tools/late.yaml", &LATE.replace("entry", "entri"));
    let ran = place.run(&["tools", "reload", "--json"]);
    assert_eq!((ran.code, &ran.json()["problems"][0]["line"]), (Some(2), &json!(3)), "{ran:?}");
    waiting.await_log("Did you mean `entry`?");
    place.print(&["tools", "disable", "echo", "--log", "off"]);
    waiting.await_log("\"updated\":1");
    let outcomes = waiting.call(&[call("late"), call("echo")]);
    assert_eq!(outcomes[0]["output"]["message"], "hi", "the last good version: {outcomes:?}");
    assert_eq!(outcomes[1]["error"]["type"], "tool_not_found");
}
