//! Attempts of a process to get out of its sandbox; all must fail, and what is allowed must work.

use std::{
    io::Read,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::task::JoinSet;
use toolsmith_core::{Confinement, SandboxProfile};

use super::*;
use crate::workbench::skip_without_sandbox;

/// Returns a tool in a sandbox, or nothing and a loud skip.
async fn confined(yard: &Yard, confinement: &Confinement) -> Option<Bench> {
    let command = ["/usr/bin/python3", "main.py", "--port", "{port}"];
    let entry = json!({ "dir": ".", "command": command });
    let maker = ProcessMaker::new(yard.services.clone());
    let tool = workbench::confine(&maker, &entry, yard.folder.path(), confinement).unwrap();
    match tool.call(json!({})).await {
        Ok(_) => Some(tool),
        Err(error) => {
            skip_without_sandbox(&error);
            None
        }
    }
}

fn strict() -> Confinement {
    Confinement::new(SandboxProfile::Strict)
}

/// Lets the process run some code; returns its `result`, or the name of what it raised.
async fn run(tool: &Bench, code: &str) -> Value {
    let output = tool.call(json!({ "do": "run", "code": code })).await.unwrap();
    output.get("result").unwrap_or(&output["raised"]).clone()
}

/// A server of ours that nobody should reach; counts who does.
fn trap() -> (u16, Arc<AtomicUsize>) {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = door.local_addr().unwrap().port();
    let caught = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&caught);
    std::thread::spawn(move || {
        for stream in door.incoming() {
            count.fetch_add(1, Ordering::Relaxed);
            stream.unwrap().read_to_end(&mut Vec::new()).ok();
        }
    });
    (port, caught)
}

#[tokio::test]
async fn a_strict_process_serves_calls_and_reaches_nothing() {
    let yard = Yard::with_python();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "the-secret").unwrap();
    let secret = outside.path().join("secret").display().to_string();
    let Some(tool) = confined(&yard, &strict()).await else { return };
    let status = yard.services.status("tested").unwrap();
    assert_eq!((status.state, status.port), (State::Running, None), "no port of ours leads in");
    let (port, caught) = trap();
    let connect = |host: &str, port| {
        format!(
            "import socket; socket.create_connection(({host:?}, {port}), 2); result = 'reached'"
        )
    };
    for code in [
        connect("127.0.0.1", port),
        connect("1.1.1.1", 53),
        format!("result = open({secret:?}).read()"),
        format!("result = open('/proc/1/root{secret}').read()"),
        "open('main.py', 'a').write('x'); result = 'written'".to_owned(),
        "open('/etc/shadow').read(); result = 'read'".to_owned(),
        format!("import os; os.kill({}, 15); result = 'killed'", std::process::id()),
        "import glob; result = [n for n in glob.glob('/tmp/toolsmith-*/socket')] or 1 / 0"
            .to_owned(),
        "import os; os.setuid(1234); result = 'changed'".to_owned(),
    ] {
        let result = run(&tool, &code).await;
        let expected = ["Error", "Interrupt", "timeout"];
        let is_refused =
            expected.iter().any(|end| result.as_str().unwrap_or_default().ends_with(end));
        assert!(is_refused, "{code}: {result}");
    }
    let environment = run(&tool, "import os; result = list(os.environ)").await;
    let environment = environment.to_string();
    assert!(!environment.contains("CARGO") && environment.contains("PORT"), "{environment}");
    let seen =
        run(&tool, "import os; result = sum(n.isdigit() for n in os.listdir('/proc'))").await;
    assert!(seen.as_u64().unwrap() <= 3, "it sees its own processes only: {seen}");
    // The last way out: an answer that asks us to go on.
    let elsewhere = format!("http://127.0.0.1:{port}/?the-secret");
    let error = tool.call(json!({ "do": "redirect", "to": elsewhere })).await.unwrap_err();
    assert!(error.message().contains("leads elsewhere, which is not followed"), "{error}");
    assert_eq!(caught.load(Ordering::Relaxed), 0, "nobody came");
    assert_eq!(fs::read_to_string(yard.folder.path().join("main.py")).unwrap(), SERVER);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_reach_a_process_with_a_network_of_its_own() {
    let yard = Yard::with_python();
    let Some(tool) = confined(&yard, &strict()).await else { return };
    let tool = Arc::new(tool);
    let mut callers = JoinSet::new();
    for number in 0..100 {
        let tool = Arc::clone(&tool);
        callers.spawn(async move {
            for _ in 0..5 {
                assert_eq!(run(&tool, &format!("result = {number}")).await, json!(number));
            }
        });
    }
    timeout(Duration::from_mins(1), callers.join_all()).await.unwrap();
    let pid = yard.services.status("tested").unwrap().pid.unwrap();
    yard.services.stop("tested").await;
    poll("it is gone", || is_gone(pid.into())).await;
    assert_eq!(run(&tool, "result = 1").await, json!(1), "and it is started again");
}

#[tokio::test]
async fn a_strict_process_that_crashes_or_fills_its_memory_is_explained() {
    let yard = Yard::with_python();
    let confinement = Confinement { memory: Some(100 << 20), ..strict() };
    let Some(tool) = confined(&yard, &confinement).await else { return };
    let code = "import os, sys; print('no more', file=sys.stderr, flush=True); os._exit(9)";
    let error = tool.call(json!({ "do": "run", "code": code })).await.unwrap_err();
    let told = "The process of `tested` ended with exit code 9. Its last lines:\nno more";
    assert_eq!(error.message(), told);
    // Either the kernel ends it, or Python is refused the memory.
    let greedy = json!({ "do": "run", "code": "result = len(bytearray(500 << 20))" });
    match tool.call(greedy).await {
        Ok(result) => assert_eq!(result["raised"], "MemoryError"),
        Err(error) => {
            let told = "ended with signal 9 (SIGKILL), probably since it reached its memory limit; \
                        ask for less, or raise `memory`";
            assert!(error.message().contains(told), "{error}");
            assert_eq!(error.details()["signal"], "SIGKILL");
        }
    }
    assert_eq!(run(&tool, "result = 1").await, json!(1));
}

#[tokio::test]
async fn a_folder_that_a_sandbox_lists_and_that_is_missing_is_named() {
    let yard = Yard::with_python();
    let entry = json!({ "dir": ".", "command": ["/usr/bin/python3", "main.py"] });
    let maker = ProcessMaker::new(yard.services.clone());
    let missing = Confinement { write: vec!["nowhere".to_owned()], ..strict() };
    let tool = workbench::confine(&maker, &entry, yard.folder.path(), &missing).unwrap();
    let error = tool.call(json!({})).await.unwrap_err();
    if error.message().contains("cannot be enforced") {
        return skip_without_sandbox(&error);
    }
    let place = yard.folder.path().join("nowhere").display().to_string();
    assert!(error.message().contains(&format!("cannot be set up: `{place}`: No such")), "{error}");
}

#[tokio::test]
async fn a_standard_process_with_hosts_reaches_those_only_and_is_reached_by_us() {
    let yard = Yard::with_python();
    let (port, caught) = trap();
    let hosts = vec!["example.invalid".to_owned()];
    let standard = Confinement::new(SandboxProfile::Standard);
    let Some(tool) = confined(&yard, &Confinement { hosts, ..standard.clone() }).await else {
        return;
    };
    let code = format!(
        "import socket; socket.create_connection(('127.0.0.1', {port}), 2); result = 'reached'"
    );
    assert!(run(&tool, &code).await.as_str().unwrap().ends_with("Error"));
    assert_eq!(caught.load(Ordering::Relaxed), 0);
    drop(tool);
    // Without a list its network is ours.
    let tool = confined(&yard, &standard).await.unwrap();
    assert!(yard.services.status("tested").unwrap().port.is_some());
    assert_eq!(run(&tool, &code).await, "reached");
    let write = run(&tool, "open('main.py', 'a'); result = 'written'").await;
    assert!(write == "PermissionError" || write == "written", "Landlock may be missing: {write}");
}
