//! The life of services, with a backend that the test plays.

mod words;

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{Semaphore, oneshot},
    task::JoinSet,
    time::{sleep, timeout},
};
use toolsmith_children::Children;
use toolsmith_core::{BoxFuture, Redactor, ToolError, ToolSpec, Value, json};
use toolsmith_net::{Client, Settings};

use super::*;

/// What the test decides about the service.
#[derive(Debug)]
struct Script {
    /// A start takes a permit; so does a call.
    starts: Semaphore,
    calls: Semaphore,
    started: AtomicUsize,
    stopped: AtomicUsize,
    refuses: AtomicBool,
    is_sick: AtomicBool,
    ends: Mutex<Vec<oneshot::Sender<End>>>,
}

#[derive(Clone, Debug)]
struct Stage(Arc<Script>);

#[derive(Debug)]
struct Played {
    stage: Stage,
    end: oneshot::Receiver<End>,
}

impl Backend for Stage {
    fn noun(&self) -> &'static str {
        "process"
    }

    fn start<'a>(&'a self, log: &'a Arc<Log>) -> BoxFuture<'a, Result<Started, ToolError>> {
        Box::pin(async move {
            self.0.started.fetch_add(1, Ordering::Relaxed);
            self.0.starts.acquire().await.unwrap().forget();
            if self.0.refuses.load(Ordering::Relaxed) {
                return Err(ToolError::upstream("It does not start."));
            }
            log.add(b"hello");
            let (tell, end) = oneshot::channel();
            self.0.ends.lock().push(tell);
            let life = Box::new(Played { stage: self.clone(), end });
            Ok(Started { line: Arc::new(self.clone()), life, pid: Some(7), port: Some(80) })
        })
    }
}

impl Line for Stage {
    fn call(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>> {
        Box::pin(async move {
            if input == json!("lost") {
                return Err(Failure::Lost(ToolError::upstream("It broke the connection.")));
            }
            self.0.calls.acquire().await.unwrap().forget();
            Ok(input)
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), String>> {
        let is_sick = self.0.is_sick.load(Ordering::Relaxed);
        Box::pin(async move { if is_sick { Err("it is ill".to_owned()) } else { Ok(()) } })
    }
}

impl Life for Played {
    fn ended(&mut self) -> BoxFuture<'_, End> {
        Box::pin(async move {
            match (&mut self.end).await {
                Ok(end) => end,
                Err(_) => pending().await,
            }
        })
    }

    fn stop(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.stage.0.stopped.fetch_add(1, Ordering::Relaxed);
        })
    }
}

struct Theatre {
    services: Services,
    service: Arc<Service>,
    script: Arc<Script>,
    heard: Arc<Mutex<Vec<State>>>,
}

fn theatre(idle: Option<Duration>, starts: usize, calls: usize) -> Theatre {
    let script = Arc::new(Script {
        starts: Semaphore::new(starts),
        calls: Semaphore::new(calls),
        started: AtomicUsize::new(0),
        stopped: AtomicUsize::new(0),
        refuses: AtomicBool::new(false),
        is_sick: AtomicBool::new(false),
        ends: Mutex::default(),
    });
    let client = Client::new(Settings::default()).unwrap();
    let services = Services::new(Children::new(), std::collections::BTreeMap::new(), client);
    let heard: Arc<Mutex<Vec<State>>> = Arc::default();
    let ear = Arc::clone(&heard);
    services.on_change(Arc::new(move |status| ear.lock().push(status.state)));
    let rules = Rules { idle, drain: Duration::from_secs(5) };
    let log = Log::new("t", 10, Redactor::default());
    let backend = Box::new(Stage(Arc::clone(&script)));
    let spec = ToolSpec::new("t").unwrap();
    let service = Arc::new(Service::new(&services, &spec, backend, rules, log));
    Theatre { services, service, script, heard }
}

/// Adds the service of a tool that depends on the first.
fn dependent(theatre: &Theatre) -> Service {
    let mut spec = ToolSpec::new("second").unwrap();
    spec.depends_on = vec!["t".parse().unwrap(), "no_service".parse().unwrap()];
    let rules = Rules { idle: None, drain: Duration::from_secs(5) };
    let log = Log::new("second", 10, Redactor::default());
    let backend = Box::new(Stage(Arc::clone(&theatre.script)));
    Service::new(&theatre.services, &spec, backend, rules, log)
}

impl Theatre {
    async fn call(&self, input: Value) -> Result<Value, ToolError> {
        self.service.attempt(input).await.map_err(Failure::into_error)
    }

    fn state(&self) -> State {
        self.services.status("t").unwrap().state
    }

    async fn wait_for(&self, state: State) {
        let reached = async {
            while self.state() != state {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_mins(1), reached).await.unwrap();
    }

    fn end(&self, end: End) {
        self.script.ends.lock().pop().unwrap().send(end).ok();
    }
}

fn crash() -> End {
    End { how: "ended with exit code 3".to_owned(), exit_code: Some(3), signal: None }
}

#[tokio::test(start_paused = true)]
async fn many_callers_at_once_wait_for_one_start() {
    let theatre = theatre(None, 0, 1_000);
    let mut callers = JoinSet::new();
    for number in 0..100 {
        let service = Arc::clone(&theatre.service);
        callers.spawn(async move { service.attempt(json!(number)).await.is_ok() });
    }
    theatre.wait_for(State::Starting).await;
    theatre.script.starts.add_permits(1);
    assert!(callers.join_all().await.into_iter().all(|is_ok| is_ok));
    assert_eq!(theatre.script.started.load(Ordering::Relaxed), 1);
    let status = theatre.services.status("t").unwrap();
    assert_eq!((status.state, status.pid, status.port), (State::Running, Some(7), Some(80)));
}

#[tokio::test(start_paused = true)]
async fn the_first_caller_may_leave_without_ending_the_start() {
    let theatre = theatre(None, 0, 10);
    let first = timeout(Duration::from_secs(1), theatre.call(json!(1))).await;
    assert!(first.is_err());
    theatre.script.starts.add_permits(1);
    assert_eq!(theatre.call(json!(2)).await.unwrap(), json!(2));
    assert_eq!(theatre.script.started.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn an_idle_service_is_stopped_and_the_next_call_starts_it_again() {
    let theatre = theatre(Some(Duration::from_secs(5)), 10, 10);
    theatre.call(json!(1)).await.unwrap();
    sleep(Duration::from_secs(4)).await;
    theatre.call(json!(1)).await.unwrap();
    sleep(Duration::from_secs(4)).await;
    assert_eq!(theatre.state(), State::Running, "each call begins the time anew");
    theatre.wait_for(State::Stopped).await;
    assert_eq!(theatre.script.stopped.load(Ordering::Relaxed), 1);
    theatre.call(json!(1)).await.unwrap();
    let heard: Vec<&str> = theatre.heard.lock().iter().map(|state| state.as_str()).collect();
    assert_eq!(heard.join(" "), "starting running stopping stopped starting running");
}

#[tokio::test(start_paused = true)]
async fn a_call_under_way_keeps_an_idle_service_alive() {
    let theatre = theatre(Some(Duration::from_secs(5)), 10, 0);
    let (calling, calls) = (theatre.call(json!(1)), &theatre.script.calls);
    let letting = async {
        sleep(Duration::from_mins(1)).await;
        calls.add_permits(1);
    };
    let (result, ()) = tokio::join!(calling, letting);
    assert_eq!(result.unwrap(), json!(1));
    assert_eq!(theatre.script.stopped.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_service_is_explained_to_those_who_called_it() {
    let theatre = theatre(None, 10, 0);
    let ending = async {
        theatre.wait_for(State::Running).await;
        theatre.end(crash());
    };
    // Its answer never comes, and the connection breaks.
    let calling = async { theatre.call(json!("lost")).await };
    let (result, ()) = tokio::join!(calling, ending);
    let error = result.unwrap_err();
    let told = "The process of `t` ended with exit code 3. Its last lines:\nhello";
    assert_eq!(error.message(), told);
    assert_eq!(error.details()["exit_code"], 3);
    assert_eq!(theatre.state(), State::Failed);
    theatre.script.calls.add_permits(1);
    assert_eq!(theatre.call(json!(1)).await.unwrap(), json!(1));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_fails_again_and_again_rests() {
    let theatre = theatre(None, 100, 1);
    theatre.script.refuses.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        let error = theatre.call(json!(1)).await.unwrap_err();
        assert_eq!(error.message(), "It does not start.");
    }
    let error = theatre.call(json!(1)).await.unwrap_err();
    let told = "It does not start.\nIt failed 3 times in a row and is started again in 1 s.";
    assert_eq!(error.message(), told);
    assert!(error.retry_after().is_some());
    assert_eq!(theatre.script.started.load(Ordering::Relaxed), 3);
    theatre.script.refuses.store(false, Ordering::Relaxed);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(theatre.call(json!(1)).await.unwrap(), json!(1));
}

#[tokio::test(start_paused = true)]
async fn stopping_lets_calls_under_way_finish_within_a_bound() {
    let theatre = theatre(None, 10, 0);
    let stopping = async {
        theatre.wait_for(State::Running).await;
        let stop = theatre.services.stop("t");
        let letting = async {
            theatre.wait_for(State::Stopping).await;
            theatre.script.calls.add_permits(1);
        };
        tokio::join!(stop, letting);
    };
    let (result, ()) = tokio::join!(theatre.call(json!(1)), stopping);
    assert_eq!(result.unwrap(), json!(1));
    assert_eq!(theatre.state(), State::Stopped);
    // A call that takes for ever does not keep it.
    let stopping = async {
        theatre.wait_for(State::Running).await;
        theatre.services.stop("t").await;
    };
    let calling = timeout(Duration::from_mins(1), theatre.call(json!(1)));
    tokio::select! {
        () = stopping => {}
        result = calling => panic!("it was not stopped: {result:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_ill_is_ended_when_nobody_waits_for_it() {
    let theatre = theatre(None, 10, 0);
    theatre.script.is_sick.store(true, Ordering::Relaxed);
    let given_up = timeout(Duration::from_secs(1), theatre.call(json!(1))).await;
    assert!(given_up.is_err());
    theatre.wait_for(State::Failed).await;
    let why = theatre.services.status("t").unwrap().why.unwrap();
    assert!(why.starts_with("The process of `t` was ended: it is ill."), "{why}");
    assert!(theatre.heard.lock().contains(&State::Unhealthy));
}

#[tokio::test(start_paused = true)]
async fn dropping_a_tool_stops_its_service_and_closing_stops_all() {
    let Theatre { services, service, script, .. } = theatre(None, 10, 10);
    service.attempt(json!(1)).await.unwrap();
    drop(service);
    assert!(services.status("t").is_none());
    services.close().await;
    assert_eq!(script.stopped.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_started_after_the_close() {
    let theatre = theatre(None, 10, 10);
    theatre.services.close().await;
    let error = theatre.call(json!(1)).await.unwrap_err();
    assert!(error.message().contains("being stopped for good"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_held_service_stays_until_it_is_stopped_by_word() {
    let theatre = theatre(Some(Duration::from_secs(5)), 10, 10);
    let held = theatre.services.start("t").await.unwrap().unwrap();
    sleep(Duration::from_mins(1)).await;
    assert_eq!(theatre.state(), State::Running);
    theatre.services.stop("t").await;
    assert_eq!(theatre.state(), State::Stopped);
    assert!(theatre.services.start("other").await.is_none());
    drop(held);
}
