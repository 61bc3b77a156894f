//! Processes that serve calls: real ones, of Python and of uv.

mod attacks;
mod confined;
mod entries;
mod uv;
mod uv_confined;

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use tokio::time::{Instant, sleep, timeout};
use toolsmith_children::Children;
use toolsmith_core::{Advice, ErrorKind, Value, json};
use toolsmith_net::{Client, Settings};

use super::{Port, ProcessMaker};
use crate::{
    life::{Services, State},
    workbench::{self, Bench},
};

/// What the processes do.
const SERVER: &str = include_str!("server.py");

struct Yard {
    folder: tempfile::TempDir,
    services: Services,
}

impl Yard {
    fn new(environment: BTreeMap<String, String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("main.py"), SERVER).unwrap();
        let client = Client::new(Settings::default()).unwrap();
        Self { folder, services: Services::new(Children::new(), environment, client) }
    }

    fn with_python() -> Self {
        Self::new(std::env::vars().collect())
    }

    fn tool(&self, entry: &Value) -> Bench {
        let maker = ProcessMaker::new(self.services.clone());
        workbench::make(&maker, entry, &[], self.folder.path()).unwrap()
    }

    fn state(&self) -> State {
        self.services.status("tested").unwrap().state
    }
}

fn python(extra: &[&str]) -> Value {
    let mut command = vec!["python3", "main.py", "--port", "{port}"];
    command.extend(extra);
    json!({ "command": command })
}

fn with(mut entry: Value, key: &str, value: Value) -> Value {
    entry[key] = value;
    entry
}

async fn poll(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "not in time: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}

fn is_gone(pid: u64) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

fn pid_of(output: &Value) -> u64 {
    output["pid"].as_u64().unwrap()
}

#[tokio::test]
async fn the_first_call_starts_it_and_the_others_share_it() {
    let yard = Yard::with_python();
    let tool = yard.tool(&python(&[]));
    assert_eq!(yard.state(), State::Stopped);
    let output = tool.call(json!({ "x": 1 })).await.unwrap();
    assert_eq!(output["got"], json!({ "x": 1 }));
    let status = yard.services.status("tested").unwrap();
    assert_eq!(status.state, State::Running);
    assert_eq!(status.port.map(|port| port.to_string()).as_deref(), output["port"].as_str());
    assert_eq!(status.pid.map(u64::from), Some(pid_of(&output)));
    for _ in 0..50 {
        assert_eq!(pid_of(&tool.call(json!({})).await.unwrap()), pid_of(&output));
    }
    drop(tool);
    yard.services.close().await;
    assert!(is_gone(pid_of(&output)));
}

#[tokio::test]
async fn an_idle_process_is_stopped_and_started_again_by_the_next_call() {
    let yard = Yard::with_python();
    let tool = yard.tool(&with(python(&[]), "idle", json!(0.3)));
    let first = pid_of(&tool.call(json!({})).await.unwrap());
    poll("it is stopped", || yard.state() == State::Stopped).await;
    assert!(is_gone(first));
    let second = pid_of(&tool.call(json!({})).await.unwrap());
    assert_ne!(first, second);
}

#[tokio::test]
async fn a_crash_is_explained_and_the_next_call_works() {
    let yard = Yard::with_python();
    let tool = yard.tool(&python(&[]));
    let error = tool.call(json!({ "do": "crash" })).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    let told = "The process of `tested` ended with exit code 3. Its last lines:\nabout to crash";
    assert_eq!(error.message(), told);
    assert_eq!(error.details()["exit_code"], 3);
    assert_eq!(yard.state(), State::Failed);
    assert!(tool.call(json!({})).await.is_ok());
    assert_eq!(yard.state(), State::Running);
}

#[tokio::test]
async fn a_crash_loop_is_reported_with_its_last_lines() {
    let yard = Yard::with_python();
    let script = "import sys; print('no licence'); sys.exit(7)";
    let tool = yard.tool(&json!({ "command": ["python3", "-c", script] }));
    for _ in 0..3 {
        let error = tool.call(json!({})).await.unwrap_err();
        let told = "The process of `tested` ended with exit code 7 before it was well. Its last \
                    lines:\nno licence";
        assert_eq!(error.message(), told);
    }
    let error = tool.call(json!({})).await.unwrap_err();
    assert!(error.message().contains("no licence\nIt failed 3 times in a row"), "{error}");
    assert!(error.retry_after().is_some());
    let status = yard.services.status("tested").unwrap();
    assert_eq!(status.state, State::Failed);
    assert!(status.why.unwrap().contains("exit code 7"));
}

#[tokio::test]
async fn answers_become_outputs_and_errors() {
    let yard = Yard::with_python();
    let tool = yard.tool(&python(&[]));
    assert_eq!(tool.call(json!({ "do": "text" })).await.unwrap(), json!("plain words"));
    let error = tool.call(json!({ "do": "refuse" })).await.unwrap_err();
    assert_eq!((error.kind(), error.advice()), (ErrorKind::ExecutionError, Advice::Differently));
    let told =
        "The process of `tested` answered 422 Unprocessable Entity: body.x: must be positive";
    assert_eq!(error.message(), told);
    let error = tool.call(json!({ "do": "fail" })).await.unwrap_err();
    assert_eq!((error.kind(), error.advice()), (ErrorKind::UpstreamError, Advice::Later));
    assert!(
        error.message().ends_with("500 Internal Server Error: the database is down"),
        "{error}"
    );
    let entry = with(python(&[]), "http_method", json!("GET"));
    let tool = yard.tool(&with(entry, "endpoint_path", json!("/run")));
    let output = tool.call(json!({ "q": "a b", "n": [1, 2] })).await.unwrap();
    assert_eq!(output["path"], "/run?q=a+b&n=1&n=2");
}

#[tokio::test]
async fn a_process_that_ignores_the_request_to_end_is_killed() {
    let yard = Yard::with_python();
    let tool = yard.tool(&python(&["--stubborn"]));
    let pid = pid_of(&tool.call(json!({})).await.unwrap());
    yard.services.stop("tested").await;
    assert_eq!(yard.state(), State::Stopped);
    poll("it is gone", || is_gone(pid)).await;
}

#[tokio::test]
async fn a_start_that_is_too_slow_is_ended_although_it_ignores_the_request() {
    let yard = Yard::with_python();
    let script = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); \
                  open('pid', 'w').write(str(os.getpid())); time.sleep(600)";
    let entry = json!({ "command": ["python3", "-c", script], "health": { "timeout": 2 } });
    let tool = yard.tool(&entry);
    let caller = timeout(Duration::from_secs(1), tool.call(json!({}))).await;
    assert!(caller.is_err(), "the caller is let go at its deadline");
    let error = tool.call(json!({})).await.unwrap_err();
    let told = "The process of `tested` was not well within 2 s of its start: nothing accepts \
                connections on port ";
    assert!(error.message().starts_with(told), "{error}");
    let pid = fs::read_to_string(yard.folder.path().join("pid")).unwrap().parse().unwrap();
    poll("it is gone", || is_gone(pid)).await;
}

#[tokio::test]
async fn a_process_that_hangs_is_ended_when_its_caller_has_gone() {
    let yard = Yard::with_python();
    let tool = yard.tool(&with(python(&["--stubborn"]), "health", json!({ "path": "/health" })));
    let pid = pid_of(&tool.call(json!({})).await.unwrap());
    let hung = timeout(Duration::from_secs(1), tool.call(json!({ "do": "hang" }))).await;
    assert!(hung.is_err());
    poll("it failed", || yard.state() == State::Failed).await;
    poll("it is gone", || is_gone(pid)).await;
    assert_ne!(pid_of(&tool.call(json!({})).await.unwrap()), pid);
}

#[tokio::test]
async fn what_cannot_be_started_is_said() {
    let yard = Yard::with_python();
    let tool = yard.tool(&json!({ "command": ["no-such-program"] }));
    let error = tool.call(json!({})).await.unwrap_err();
    assert!(error.message().starts_with("There is no program `no-such-program`."), "{error}");
    let tool = yard.tool(&json!({ "dir": "nowhere" }));
    let error = tool.call(json!({})).await.unwrap_err();
    let place = Path::new(".").join(yard.folder.path()).join("nowhere");
    assert!(error.message().contains(&*place.to_string_lossy()), "{error}");
    let path = BTreeMap::from([("PATH".to_owned(), "/nonexistent".to_owned())]);
    let yard = Yard::new(path);
    let error = yard.tool(&json!({ "dir": "." })).call(json!({})).await.unwrap_err();
    assert!(error.message().contains("pip install uv"), "{error}");
}
