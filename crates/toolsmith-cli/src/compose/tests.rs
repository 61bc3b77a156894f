//! Calls through the whole wiring, with tools made for the purpose.

use std::{future::pending, path::Path, sync::Arc, time::Duration};

use tempfile::TempDir;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolsmith_core::{
    Call, ErrorKind, EventKind, Outcome, StreamItem, Tool, ToolContext, ToolError, ToolSpec, Value,
    json,
};
use toolsmith_engine::Heard;
use toolsmith_store::{Query, Store};

use super::*;
use crate::{
    args::Globals,
    config::{Durability, Environment, McpServer, Records, Template},
    output::{Colour, Form, Output},
};

fn session(environment: Environment) -> Session {
    let output = Output { form: Form::Json, colour: Colour::Off };
    Session::new(Globals::default(), environment, output)
}

fn settings(folder: &Path) -> Settings {
    Settings { data_directory: Template::literal(folder.to_str().unwrap()), ..Settings::default() }
}

fn tool<F, Fut>(name: &str, function: F) -> Tool
where
    F: Fn(ToolContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    Tool::function(ToolSpec::new(name).unwrap(), function)
}

/// A tool that tells when it has begun and never ends by itself.
fn endless(has_begun: &Arc<Notify>) -> Tool {
    let has_begun = Arc::clone(has_begun);
    tool("endless", move |_, _| {
        has_begun.notify_one();
        pending()
    })
}

fn run<T>(work: impl Future<Output = T>) -> T {
    block_on(async { Ok(work.await) }).unwrap()
}

async fn recorded(store: &Store) -> Vec<(String, Option<ErrorKind>)> {
    let page = store.records(Query::default()).await.unwrap();
    let kinds = page.records.iter().map(|record| (record.tool_name.to_string(), record.error_type));
    kinds.collect()
}

#[test]
fn a_cancelled_call_is_an_outcome_and_is_recorded() {
    let folder = TempDir::new().unwrap();
    let (session, settings) = (session(Environment::default()), settings(folder.path()));
    let (token, has_begun) = (CancellationToken::new(), Arc::new(Notify::new()));
    run(async {
        let workshop = Workshop::open(&session, &settings).await.unwrap();
        workshop.engine().register(endless(&has_begun)).unwrap();
        let call = Call::new("endless", json!({})).with_cancel(token.clone());
        let interrupt = async {
            has_begun.notified().await;
            token.cancel();
        };
        let (outcome, ()) = tokio::join!(workshop.follow(call, |_| ()), interrupt);
        assert_eq!(outcome.unwrap().error().unwrap().kind(), ErrorKind::Cancelled);
        workshop.close().await;
        let store = reader(&session, &settings).await.unwrap().unwrap();
        let expected = ("endless".to_owned(), Some(ErrorKind::Cancelled));
        assert_eq!(recorded(&store).await, [expected]);
    });
}

#[test]
fn a_cancelled_batch_ends_every_call() {
    let folder = TempDir::new().unwrap();
    let (session, settings) = (session(Environment::default()), settings(folder.path()));
    let (token, has_begun) = (CancellationToken::new(), Arc::new(Notify::new()));
    run(async {
        let workshop = Workshop::open(&session, &settings).await.unwrap();
        workshop.engine().register(endless(&has_begun)).unwrap();
        let call = || Call::new("endless", json!({})).with_cancel(token.clone());
        let interrupt = async {
            has_begun.notified().await;
            token.cancel();
        };
        // More than run at once, so that some are cancelled before they begin.
        let calls = (0..25).map(|_| call()).collect();
        let (outcomes, ()) = tokio::join!(workshop.batch(calls), interrupt);
        let kind = |outcome: &Outcome| outcome.error().unwrap().kind();
        assert_eq!(outcomes.len(), 25);
        assert!(outcomes.iter().all(|outcome| kind(outcome) == ErrorKind::Cancelled));
        workshop.close().await;
        let store = reader(&session, &settings).await.unwrap().unwrap();
        assert_eq!(recorded(&store).await.len(), 25);
    });
}

#[test]
fn pieces_come_before_the_outcome_and_secrets_never() {
    let folder = TempDir::new().unwrap();
    let session = session(Environment::from_iter([("KEY", "hunter2-hunter2")]));
    session.redactor.add(&toolsmith_core::Secret::new("hunter2-hunter2".to_owned()));
    let settings = settings(folder.path());
    run(async {
        let leaky = tool("leaky", |cx, _| async move {
            cx.chunk("the key is hunter2-hunter2").await;
            Ok(json!({"key": "hunter2-hunter2"}))
        });
        let workshop = Workshop::open(&session, &settings).await.unwrap();
        workshop.engine().register(leaky).unwrap();
        let mut items = Vec::new();
        let call = Call::new("leaky", json!({})).with_context(workshop.context());
        let outcome = workshop.follow(call, |item| items.push(item)).await.unwrap();
        assert_eq!(items, [StreamItem::Chunk(json!("the key is ***"))]);
        assert_eq!(outcome.output(), &json!({"key": "***"}));
        workshop.close().await;
    });
}

#[test]
fn without_a_store_batched_answers_and_sync_refuses() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let session = session(Environment::default());
    let answer = |durability| {
        let records = Records { durability, ..Records::default() };
        let settings = Settings { records, ..settings(&file) };
        run(async {
            let workshop = Workshop::open(&session, &settings).await.unwrap();
            let call = Call::new("echo", json!({"message": "hi"}));
            let outcome = workshop.follow(call, |_| ()).await.unwrap();
            workshop.close().await;
            outcome
        })
    };
    assert_eq!(answer(Durability::Batched).output(), &json!({"message": "hi"}));
    let refused = answer(Durability::Sync);
    let error = refused.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::Rejected);
    assert!(error.message().contains("cannot use the folder"), "{error}");
}

#[test]
fn subscribers_hear_of_each_state_of_a_service() {
    let folder = TempDir::new().unwrap();
    let entry = "name: ends\nentry: {type: process, command: [/bin/sh, -c, exit 4]}\n";
    std::fs::write(folder.path().join("ends.yaml"), entry).unwrap();
    let session = session(Environment::default());
    let tools_directory = vec![Template::literal(folder.path().to_str().unwrap())];
    let settings = Settings { tools_directory, ..settings(folder.path()) };
    let events = run(async {
        let workshop = Workshop::open(&session, &settings).await.unwrap();
        let mut heard = workshop.engine().subscribe();
        let outcome = workshop.engine().call(Call::new("ends", json!({}))).await;
        assert_eq!(outcome.error().unwrap().kind(), ErrorKind::UpstreamError);
        let mut events = Vec::new();
        while events.len() < 2 {
            if let Heard::Event(event) = heard.next().await.unwrap()
                && event.kind == EventKind::ToolStateChanged
            {
                events.push((event.tool_name.clone(), event.data.clone()));
            }
        }
        workshop.close().await;
        events
    });
    let states: Vec<&Value> = events.iter().map(|(_, data)| &data["state"]).collect();
    assert_eq!(states, ["starting", "failed"]);
    assert!(events.iter().all(|(tool, _)| tool.as_deref() == Some("ends")));
    let why = events[1].1["why"].as_str().unwrap();
    assert!(why.contains("exit code 4"), "{why}");
}

#[test]
fn a_tool_of_an_mcp_server_is_switched_and_stopped_in_a_running_process() {
    let python = ["/usr/bin/python3", "/usr/local/bin/python3"];
    let Some(python) = python.into_iter().find(|path| Path::new(path).exists()) else {
        return toolsmith_testing::skip("python3 is not installed");
    };
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolsmith-connectors/tests/it/scripted.py");
    let folder = TempDir::new().unwrap();
    let server = McpServer {
        name: "srv".to_owned(),
        command: Some(Template::literal(python)),
        args: vec![Template::literal(script.to_str().unwrap()), Template::literal("2025-11-25")],
        ..McpServer::default()
    };
    let session = session(Environment::default());
    let settings = Settings { mcp_servers: vec![server], ..settings(folder.path()) };
    run(async {
        let mut workshop = Workshop::open(&session, &settings).await.unwrap();
        workshop.look_for("srv__echo").await.unwrap();
        workshop.watch(&settings);
        let switches = switches(&session, &settings).unwrap();
        let name = toolsmith_core::ToolName::new("srv__echo").unwrap();
        let registry = workshop.engine().registry();
        for enabled in [false, true] {
            switches.set(&name, enabled).unwrap();
            let is_so =
                || registry.get("srv__echo").is_some_and(|tool| tool.spec.enabled == enabled);
            poll("the switch is heard", is_so).await;
        }
        let mut heard = workshop.engine().subscribe();
        switches.stop(&name).unwrap();
        let mut states = Vec::new();
        while states.len() < 2 {
            if let Heard::Event(event) = heard.next().await.unwrap()
                && event.kind == EventKind::ToolStateChanged
            {
                states.push(event.data["state"].clone());
            }
        }
        assert_eq!(states, ["stopping", "stopped"]);
        workshop.close().await;
    });
}

/// Waits until something is so, within a bound.
async fn poll(what: &str, is_so: impl Fn() -> bool) {
    let until = tokio::time::Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(tokio::time::Instant::now() < until, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
