//! Several sources: who is asked, in which order, and when nobody else may be.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use toolsmith_children::Children;
use toolsmith_core::{BoxFuture, ToolError, Value, json};
use toolsmith_net::{Client, Settings};

use super::{
    SourcesMaker,
    failover::{Failover, Repeat},
};
use crate::{
    container::ContainerMaker,
    life::{Failure, Services, Source},
    process::ProcessMaker,
    python::PythonMaker,
    remote::RemoteMaker,
    workbench::{self, Bench},
};

/// How a source takes its calls.
#[derive(Clone, Copy, Debug)]
enum Mood {
    Well,
    NeverUp,
    Unreachable,
    Losing,
    Refusing,
}

#[derive(Clone, Debug)]
struct Played(Arc<(Mutex<Mood>, AtomicUsize)>);

impl Played {
    fn new(mood: Mood) -> Self {
        Self(Arc::new((Mutex::new(mood), AtomicUsize::new(0))))
    }

    fn asked(&self) -> usize {
        self.0.1.load(Ordering::Relaxed)
    }
}

impl Source for Played {
    fn come_up(&self) -> BoxFuture<'_, Result<(), ToolError>> {
        let mood = *self.0.0.lock();
        Box::pin(async move {
            if matches!(mood, Mood::NeverUp) {
                std::future::pending::<()>().await;
            }
            Ok(())
        })
    }

    fn attempt(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>> {
        self.0.1.fetch_add(1, Ordering::Relaxed);
        let mood = *self.0.0.lock();
        Box::pin(async move {
            match mood {
                Mood::Well | Mood::NeverUp => Ok(input),
                Mood::Unreachable => {
                    Err(Failure::Unreached(ToolError::upstream("It is not there.")))
                }
                Mood::Losing => Err(Failure::Lost(ToolError::upstream("It broke off."))),
                Mood::Refusing => Err(Failure::Answered(ToolError::failed("No."))),
            }
        })
    }
}

fn bench(sources: &[&Played], active: usize, repeat: Repeat) -> Bench {
    let sources = sources.iter().map(|played| Box::new((*played).clone()) as Box<dyn Source>);
    let mut sources: Vec<(usize, Box<dyn Source>)> = sources.enumerate().collect();
    sources.sort_by_key(|(place, _)| *place != active);
    let failover = Failover::new(sources, repeat);
    Bench {
        work: toolsmith_core::Work::Async(Arc::new(failover)),
        context: toolsmith_core::Context::default(),
        patience: Duration::from_secs(30),
    }
}

#[tokio::test(start_paused = true)]
async fn the_active_source_is_asked_first_and_again_when_it_is_well() {
    let (first, second) = (Played::new(Mood::Well), Played::new(Mood::Unreachable));
    let tool = bench(&[&first, &second], 1, Repeat::Never);
    for _ in 0..10 {
        assert_eq!(tool.call(json!({ "x": 1 })).await.unwrap(), json!({ "x": 1 }));
    }
    assert_eq!(
        (first.asked(), second.asked()),
        (10, 3),
        "the active one rests after three failures"
    );
    *second.0.0.lock() = Mood::Well;
    sleep(Duration::from_secs(2)).await;
    tool.call(json!({})).await.unwrap();
    assert_eq!((first.asked(), second.asked()), (10, 4));
}

#[tokio::test]
async fn a_call_that_may_have_run_goes_to_another_source_only_if_it_may_be_repeated() {
    let (first, second) = (Played::new(Mood::Losing), Played::new(Mood::Well));
    let error = bench(&[&first, &second], 0, Repeat::Never).call(json!({})).await.unwrap_err();
    assert_eq!((error.message(), second.asked()), ("It broke off.", 0));
    assert!(bench(&[&first, &second], 0, Repeat::May).call(json!({})).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_source_that_never_comes_up_leaves_the_others_their_share_of_the_time() {
    let (first, second) = (Played::new(Mood::NeverUp), Played::new(Mood::NeverUp));
    let third = Played::new(Mood::Well);
    let tool = bench(&[&first, &second, &third], 0, Repeat::Never);
    let begun = Instant::now();
    assert!(tool.call(json!({})).await.is_ok());
    assert_eq!(begun.elapsed().as_secs(), 20, "a third of 30 s, and half of what was left");
    let begun = Instant::now();
    assert!(tool.call(json!({})).await.is_ok());
    assert!(begun.elapsed() < Duration::from_secs(1), "it is not waited for twice");
    *first.0.0.lock() = Mood::Well;
    sleep(Duration::from_secs(10)).await;
    assert!(tool.call(json!({})).await.is_ok());
    assert_eq!((first.asked(), third.asked()), (1, 2), "it is asked first again once it is up");
}

#[tokio::test]
async fn an_answer_is_an_answer_although_it_is_no() {
    let (first, second) = (Played::new(Mood::Refusing), Played::new(Mood::Well));
    let error = bench(&[&first, &second], 0, Repeat::May).call(json!({})).await.unwrap_err();
    assert_eq!((error.message(), second.asked()), ("No.", 0));
}

#[tokio::test]
async fn when_all_fail_each_says_why() {
    let (first, second) = (Played::new(Mood::Unreachable), Played::new(Mood::Unreachable));
    let error = bench(&[&first, &second], 1, Repeat::Never).call(json!({})).await.unwrap_err();
    let told = "No source of the tool could serve the call.\nSource 1: It is not there.\nSource 0: \
                It is not there.";
    assert_eq!(error.message(), told);
}

fn maker() -> (Services, SourcesMaker) {
    let client = Client::new(Settings::default()).unwrap();
    let environment: BTreeMap<String, String> = std::env::vars().collect();
    let services = Services::new(Children::new(), environment, client.clone());
    let maker = SourcesMaker::new(
        ProcessMaker::new(services.clone()),
        PythonMaker::new(services.clone()),
        ContainerMaker::new(services.clone(), "unix:///nowhere/docker.sock"),
        RemoteMaker::new(client),
    );
    (services, maker)
}

#[tokio::test]
async fn a_real_process_takes_over_from_an_engine_and_a_service_that_are_not_there() {
    let (services, maker) = maker();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.py"), include_str!("../process/tests/server.py"))
        .unwrap();
    let entry = json!({
        "sources": [
            { "type": "docker", "image": "none", "internal_port": 80 },
            { "type": "remote", "url": "http://127.0.0.1:1", "endpoint_path": "/" },
            { "type": "local", "host_dir": ".", "command": ["python3", "main.py", "--port", "{port}"] },
        ],
        "active_source": 0,
    });
    let tool = workbench::make(&maker, &entry, &[], folder.path()).unwrap();
    let output = tool.call(json!({ "x": 1 })).await.unwrap();
    assert_eq!(output["got"], json!({ "x": 1 }));
    assert_eq!(services.status("tested").unwrap().pid.map(Value::from).as_ref(), output.get("pid"));
    services.close().await;
}

#[test]
fn wrong_sources_say_what_is_wrong() {
    let (_services, maker) = maker();
    for (entry, expected) in [
        (json!({ "sources": [] }), "/entry/sources: expected at least one source"),
        (
            json!({ "sources": [{ "type": "remote", "url": "http://h" }], "active_source": 1 }),
            "/entry/active_source: there are only 1 sources, counted from 0",
        ),
        (
            json!({ "sources": [{ "type": "remot", "url": "http://h" }] }),
            "/entry/sources/0/type: expected one of `local`, `docker`, `remote`, found \"remot\". \
             Did you mean `remote`?",
        ),
        (
            json!({ "sources": [{ "type": "local", "hostdir": "." }] }),
            "/entry/sources/0: `dir` is missing: say where the project is, or which `command` to start",
        ),
    ] {
        let faults = workbench::make(&maker, &entry, &[], Path::new(".")).err().unwrap();
        assert_eq!(faults[0], expected);
    }
}
