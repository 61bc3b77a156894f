//! `toolsmith serve` under load: many connections, many listeners, many sessions, and the end.
//!
//! `TOOLSMITH_LOAD=long cargo test -p toolsmith-cli --test it -- loading --nocapture --test-threads
//! 1` makes more of everything, and prints figures.

use std::{
    collections::HashSet,
    fs,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::{
    client::{Answer, Broken, Client, files_of, memory_of, open_many_files},
    serving::Serving,
    support::{Place, eventually},
};

const ECHO: &str = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;

/// Makes calls on many connections until it is said that there were enough; returns how many.
fn call(
    serving: &Serving,
    connections: usize,
    is_enough: &(dyn Fn(usize) -> bool + Sync),
) -> usize {
    let calls = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let mut client = Client::connect(&serving.address).unwrap();
                while !is_enough(calls.fetch_add(1, Relaxed)) {
                    let answer = client.send("POST /run_tool", ECHO).unwrap();
                    assert_eq!(answer.status, 200, "{answer:?}");
                    assert_eq!(answer.body["output"], json!({"message": "hi"}));
                }
            });
        }
    });
    calls.into_inner() - connections
}

/// Returns how much is done: a little in every run, and much when that is asked for.
fn amount<T>(usual: T, long: T) -> T {
    if std::env::var_os("TOOLSMITH_LOAD").is_some() { long } else { usual }
}

#[test]
fn many_connections_are_served_without_an_error_and_memory_stays() {
    let place = Place::new();
    let serving = Serving::start(&place, &[]);
    let (begun, before) = (Instant::now(), OnceLock::new());
    let is_enough = |calls| {
        // By then the pages that the database keeps in memory are there.
        if calls == amount(8_000, 250_000) {
            before.set(memory_of(serving.id())).ok();
        }
        calls >= amount(24_000, usize::MAX) || begun.elapsed() > Duration::from_mins(2)
    };
    let calls = call(&serving, 256, &is_enough);
    let after = memory_of(serving.id());
    let before = *before.get().unwrap();
    println!("{calls} calls in {:?}: {before} MB before, {after} MB after", begun.elapsed());
    assert!(after < before + amount(40, 10), "{before} MB before, {after} MB after");
}

/// Lets many listen, tells them one thing, and lets them go.
fn listen(listeners: usize) -> String {
    let most = open_many_files();
    assert!(most > listeners + 100, "this system allows {most} open files");
    let place = Place::new();
    let serving = Serving::start(&place, &[]);
    call(&serving, 8, &|calls| calls >= 500);
    let (memory, files) = (memory_of(serving.id()), files_of(serving.id()));
    let mut clients = Vec::new();
    for _ in 0..listeners {
        let mut client = Client::connect(&serving.address).unwrap();
        client.listen("/events?type=execution_completed&tool=calculator").unwrap();
        clients.push(client);
    }
    let with_all = memory_of(serving.id());
    let begun = Instant::now();
    call(&serving, 8, &|calls| calls >= 500);
    let calls_took = begun.elapsed() / 500;
    let begun = Instant::now();
    let outcome = serving
        .send("POST /run_tool", r#"{"tool_id": "calculator", "params": {"expression": "1+1"}}"#);
    assert_eq!(outcome["success"], true, "{outcome}");
    for client in &mut clients {
        client.hear("execution_completed").unwrap();
    }
    let heard_after = begun.elapsed();
    drop(clients);
    eventually("all connections are given back", || files_of(serving.id()) <= files + 10);
    call(&serving, 8, &|calls| calls >= 500);
    let after = memory_of(serving.id());
    assert!(with_all < memory + 20 + listeners as u64 / 20, "{memory} {with_all}");
    let each = (with_all - memory) * 1_024 / listeners as u64;
    format!(
        "{listeners} listeners: {memory} MB before, {with_all} MB with them ({each} kB each), {after} MB \
         after; a call took {calls_took:?}; all heard within {heard_after:?}"
    )
}

#[test]
fn many_listeners_hear_what_happens_and_leave_no_connection_behind() {
    println!("{}", listen(amount(800, 10_000)));
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":
    "2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;

/// Opens MCP sessions that nobody uses again.
fn abandon(serving: &Serving, sessions: usize) {
    let opened = AtomicUsize::new(0);
    let open = || {
        let mut client = Client::connect(&serving.address).unwrap();
        while opened.fetch_add(1, Relaxed) < sessions {
            let answer = client.send("POST /mcp", HELLO).unwrap();
            assert!(answer.status == 200 && answer.session.is_some(), "{answer:?}");
        }
    };
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(open);
        }
    });
}

#[test]
fn sessions_that_nobody_comes_back_to_do_not_add_up() {
    let place = Place::new();
    let serving = Serving::start(&place, &[]);
    let memories = [1, 2, 5, 10].map(|tenths| {
        let more = amount(2_000, 100_000) * tenths / 10;
        abandon(&serving, more);
        (more, memory_of(serving.id()))
    });
    assert!(memories[3].1 < memories[1].1 + 30, "{memories:?}");
    println!("memory in MB after so many more sessions: {memories:?}");
}

#[test]
fn memory_of_sessions_returns_to_the_system_when_their_time_is_over() {
    let place = Place::new();
    place.write("toolsmith.yaml", "serve: {max_mcp_sessions: 200000, mcp_session_timeout: 2}\n");
    let serving = Serving::start(&place, &[]);
    abandon(&serving, 100);
    let before = memory_of(serving.id());
    abandon(&serving, amount(40_000, 100_000));
    let most = memory_of(serving.id());
    assert!(most >= before + 10, "{before} MB before, {most} MB with sessions");
    let is_back = || memory_of(serving.id()) <= before + (most - before) / 4;
    eventually("the memory is given back", is_back);
    println!("{before} MB before, {most} MB with sessions, {} MB after", memory_of(serving.id()));
}

/// What a client saw until it was told to leave.
#[derive(Default)]
struct Seen {
    answered: Vec<String>,
    begun: Vec<String>,
    refused: usize,
    unanswered: usize,
}

const TOOL: &str = "name: nap\nentry: {type: command, command: sleep, args: ['0.3173']}\n";

/// Calls fast and slow tools, children, and calls that go on by themselves, until the door closes.
fn insist(address: &str, number: usize, seen: &Mutex<Seen>) {
    let calls = [
        ("POST /run_tool", ECHO),
        ("POST /run_tool", r#"{"tool_id": "sleep", "params": {"duration": 0.2}}"#),
        ("POST /run_tool", r#"{"tool_id": "nap"}"#),
        ("POST /run_tool?async=true", r#"{"tool_id": "sleep", "params": {"duration": 0.3}}"#),
        ("POST /run_tool?async=true", r#"{"tool_id": "nap"}"#),
    ];
    let Ok(mut client) = Client::connect(address) else { return };
    for turn in 0.. {
        let (line, body) = calls[(number + turn) % calls.len()];
        let answer = client.send(line, body);
        let is_last = answer.as_ref().map_or(true, |answer| answer.is_last);
        seen.lock().take(answer);
        if is_last {
            match Client::connect(address) {
                Ok(other) => client = other,
                Err(_) => return,
            }
        }
    }
}

impl Seen {
    fn take(&mut self, answer: Result<Answer, Broken>) {
        match answer {
            Ok(Answer { status: 200, body, .. }) => {
                self.answered.push(body["call_id"].as_str().unwrap().to_owned());
            }
            Ok(Answer { status: 202, body, .. }) => {
                self.begun.push(body["call_id"].as_str().unwrap().to_owned());
            }
            // A tool that is called too often at once is refused, and so is a call at the end.
            Ok(Answer { status: 429, .. }) => self.refused += 1,
            Ok(Answer { status: 503, body, .. }) => {
                assert_eq!(body["error"]["type"], "rejected", "{body}");
                self.refused += 1;
            }
            Ok(answer) => panic!("{answer:?}"),
            Err(Broken::Halfway(what)) => panic!("a broken answer: {what}"),
            // A request can cross the end of its connection on the way.
            Err(Broken::Unanswered) => self.unanswered += 1,
        }
    }
}

/// Ends a server that is under load, and looks at what is left.
fn end_under_load() -> (Seen, Duration) {
    let place = Place::new().with("tools/nap.yaml", TOOL);
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let seen = Mutex::new(Seen::default());
    let address = serving.address.clone();
    let mut took = Duration::ZERO;
    thread::scope(|scope| {
        for number in 0..64 {
            let (address, seen) = (&address, &seen);
            scope.spawn(move || insist(address, number, seen));
        }
        eventually("many calls are answered", || {
            let seen = seen.lock();
            seen.answered.len() > 300 && seen.begun.len() > 60
        });
        let begun = Instant::now();
        let (code, said) = serving.end("-TERM");
        took = begun.elapsed();
        assert_eq!((code, said.as_str()), (Some(0), ""));
    });
    let seen = seen.into_inner();
    let recorded = recorded(&place);
    for id in seen.answered.iter().chain(&seen.begun) {
        let record = recorded.get(id);
        assert!(record.is_some(), "{id} has no record");
    }
    assert!(!is_running("0.3173"), "a child is left");
    (seen, took)
}

fn recorded(place: &Place) -> HashSet<String> {
    let exported = place.print(&["calls", "export"]);
    let lines = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|record| record["record_id"].as_str().unwrap().to_owned()).collect()
}

/// Tells whether a process has this word among its arguments.
fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes()))
}

#[test]
fn an_end_under_load_loses_no_call_and_leaves_no_child() {
    for _ in 0..amount(1, 10) {
        let (seen, took) = end_under_load();
        let [answered, begun] = [&seen.answered, &seen.begun].map(Vec::len);
        let (refused, unanswered) = (seen.refused, seen.unanswered);
        println!(
            "{answered} answered, {begun} begun, {refused} refused, {unanswered} not taken; ended \
             within {took:?}"
        );
        assert!(took < Duration::from_secs(30), "{took:?}");
    }
}

#[test]
fn a_call_that_outlives_the_limit_is_ended_answered_and_recorded() {
    let place = Place::new()
        .with("tools/nap.yaml", &TOOL.replace("0.3173", "61.3173"))
        .with("toolsmith.yaml", "serve: {shutdown_timeout: 0.5}\n");
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let mut client = Client::connect(&serving.address).unwrap();
    let calling = thread::spawn(move || client.send("POST /run_tool", r#"{"tool_id": "nap"}"#));
    eventually("the child runs", || is_running("61.3173"));
    let (code, said) = serving.end("-TERM");
    assert_eq!(code, Some(0));
    assert!(said.contains("1 call"), "{said}");
    let answer = calling.join().unwrap().unwrap();
    assert_eq!((answer.status, &answer.body["error"]["type"]), (499, &json!("cancelled")));
    assert!(recorded(&place).contains(answer.body["call_id"].as_str().unwrap()));
    assert!(!is_running("61.3173"), "a child is left");
}
