//! Services that misbehave: slow, endless, silent, loud, or gone.

use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinSet;

use super::*;

/// A server that answers with whatever bytes its file `answer` holds, or does what `mode` says.
const WILD: &str = r#"
import os, socket, sys, threading, time
mode = sys.argv[1]
door = socket.create_server(("127.0.0.1", int(os.environ["PORT"])), backlog=64)

def serve(client):
    request = client.recv(65536)
    if mode == "silent":
        time.sleep(600)
    if mode == "garbage":
        client.sendall(b"\x00\xff not http at all\r\n\r\n")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    if mode == "endless":
        client.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        while True:
            client.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
    if mode == "heads":
        client.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            client.sendall(b"X-A: " + b"a" * 1000 + b"\r\n")
    if mode == "drip":
        client.sendall(head + b"Content-Length: 1000000\r\n\r\n")
        while True:
            client.sendall(b" ")
            time.sleep(0.05)
    if mode == "lie":
        client.sendall(head + b"Content-Length: 100\r\n\r\n{\"x\":")
    if mode == "broken-json":
        client.sendall(head + b"Content-Length: 5\r\n\r\n{\"x\":")
    if mode == "loud":
        for _ in range(20000):
            print("noise" * 100)
        sys.stdout.write("x" * 5_000_000)
        sys.stdout.flush()
        client.sendall(head + b"Content-Length: 4\r\n\r\ntrue")
    client.close()

while True:
    threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
"#;

fn wild(yard: &Yard, mode: &str) -> Bench {
    fs::write(yard.folder.path().join("wild.py"), WILD).unwrap();
    yard.tool(&json!({ "command": ["python3", "wild.py", mode] }))
}

#[tokio::test]
async fn answers_that_are_none_are_errors_that_say_so() {
    let yard = Yard::with_python();
    for (mode, told) in [
        ("garbage", "broke the connection before its answer was complete"),
        ("lie", "broke the connection before its answer was complete"),
        ("endless", "more than"),
        ("heads", ""),
    ] {
        let tool = wild(&yard, mode);
        let call = timeout(Duration::from_secs(25), tool.call(json!({}))).await;
        let error = call.expect("no answer is waited for without end").unwrap_err();
        assert!(error.message().contains(told), "{mode}: {error}");
        assert!(error.message().len() < 1_000, "{mode}: {error}");
    }
    let tool = wild(&yard, "broken-json");
    assert_eq!(
        tool.call(json!({})).await.unwrap(),
        json!("{\"x\":"),
        "text that is no JSON is text"
    );
}

#[tokio::test]
async fn a_service_that_prints_megabytes_answers_and_its_log_stays_small() {
    let yard = Yard::with_python();
    let tool = wild(&yard, "loud");
    assert_eq!(tool.call(json!({})).await.unwrap(), json!(true));
}

#[tokio::test]
async fn a_silent_or_dripping_service_lets_its_callers_go() {
    let yard = Yard::with_python();
    for mode in ["silent", "drip"] {
        let tool = wild(&yard, mode);
        let call = timeout(Duration::from_secs(1), tool.call(json!({}))).await;
        assert!(call.is_err(), "{mode}: the deadline is the engine's");
        assert_eq!(yard.state(), State::Running, "{mode}: its port still accepts");
    }
}

#[tokio::test]
async fn a_health_check_without_an_answer_ends_the_start_in_time() {
    let yard = Yard::with_python();
    fs::write(yard.folder.path().join("wild.py"), WILD).unwrap();
    let health = json!({ "path": "/health", "timeout": 1 });
    let entry = json!({ "command": ["python3", "wild.py", "silent"], "health": health });
    let tool = yard.tool(&entry);
    let call = timeout(Duration::from_secs(20), tool.call(json!({}))).await;
    let error = call.expect("the start ends by itself").unwrap_err();
    let told = "was not well within 1 s of its start: its health check `/health` gave no answer";
    assert!(error.message().contains(told), "{error}");
    assert_eq!(yard.state(), State::Failed);
}

#[tokio::test]
async fn a_service_that_is_killed_during_calls_is_explained_to_each_of_them() {
    let yard = Yard::with_python();
    let tool = std::sync::Arc::new(yard.tool(&python(&[])));
    let pid = pid_of(&tool.call(json!({})).await.unwrap());
    let mut callers = JoinSet::new();
    for _ in 0..5 {
        let tool = std::sync::Arc::clone(&tool);
        callers.spawn(async move { tool.call(json!({ "do": "hang" })).await });
    }
    sleep(Duration::from_millis(200)).await;
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    for result in callers.join_all().await {
        let error = result.unwrap_err();
        assert!(
            error.message().starts_with("The process of `tested` ended with signal 9 (SIGKILL)"),
            "{error}"
        );
        assert_eq!(error.details()["signal"], "SIGKILL");
    }
    assert_ne!(pid_of(&tool.call(json!({})).await.unwrap()), pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_two_services_are_told_the_same_port() {
    let yard = Yard::with_python();
    let ports: Vec<Port> = (0..200).map(|_| Port::reserve(&yard.services).unwrap()).collect();
    let mut numbers: Vec<u16> = ports.iter().map(|port| port.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 200);
    drop(ports);
    assert!(yard.services.ports().lock().is_empty());
}

#[tokio::test]
async fn a_changed_definition_lets_calls_finish_on_the_old_service() {
    let yard = Yard::with_python();
    let old = yard.tool(&python(&[]));
    let first = pid_of(&old.call(json!({})).await.unwrap());
    let new = yard.tool(&python(&["--stubborn"]));
    let second = pid_of(&new.call(json!({})).await.unwrap());
    assert_eq!(pid_of(&old.call(json!({})).await.unwrap()), first, "who has it may go on");
    drop(old);
    poll("the old one is gone", || is_gone(first)).await;
    assert_eq!(pid_of(&new.call(json!({})).await.unwrap()), second);
    assert_eq!(yard.state(), State::Running);
}
