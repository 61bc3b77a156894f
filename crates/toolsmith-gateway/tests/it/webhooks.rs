//! Events posted to a receiver in a process of its own, which verifies the signatures by itself.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};
use toolsmith_core::{AllowList, Call, EventKind, Secret, Tool, ToolSpec, Value, json};
use toolsmith_engine::Engine;
use toolsmith_gateway::{Webhook, Webhooks};
use toolsmith_net::{Client, Guard, Settings};
use toolsmith_testing::skip;

use super::support::within;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A receiver in a process of its own.
struct Receiver {
    lines: Lines<BufReader<ChildStdout>>,
    url: String,
    _child: Child,
}

impl Receiver {
    /// Starts one that answers with some statuses; nothing where there is no Python.
    async fn start(secret: &str, statuses: &str, delay: &str) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/receiver.py");
        let mut command = Command::new("python3");
        command.arg(script).args([secret, statuses, delay]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let Ok(mut child) = command.spawn() else {
            skip("there is no python3 to receive webhooks");
            return None;
        };
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = within(lines.next_line()).await.unwrap().unwrap();
        Some(Self { lines, url: format!("http://127.0.0.1:{port}/hook?token=abc"), _child: child })
    }

    async fn next(&mut self) -> Value {
        let line = within(self.lines.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn webhook(&self) -> Webhook {
        let secret = |text: &str| Secret::new(text.to_owned());
        let mut webhook = Webhook::new("test", secret(&self.url), secret(SECRET));
        webhook.guard = Guard::Trusted;
        webhook
    }
}

fn engine() -> Engine {
    let tool = |name: &str| {
        Tool::function(ToolSpec::new(name).unwrap(), |_, input| async move { Ok(input) })
    };
    Engine::builder().tools([tool("one"), tool("two")]).build().unwrap()
}

fn start(engine: &Engine, webhook: Webhook) -> Webhooks {
    let client = Client::new(Settings::default()).unwrap();
    Webhooks::start(engine, &client, vec![webhook]).unwrap()
}

async fn call(engine: &Engine, tool: &str) {
    let outcome = engine.call(Call::new(tool, json!({ "n": 1 }))).await;
    assert!(outcome.result.is_ok());
}

#[tokio::test]
async fn events_are_signed_and_come_in_order() {
    let Some(mut receiver) = Receiver::start(SECRET, "204", "0").await else { return };
    let engine = engine();
    let webhooks = start(&engine, receiver.webhook());
    for _ in 0..3 {
        call(&engine, "one").await;
    }
    assert_eq!(webhooks.close(Duration::from_secs(20)).await, 0);
    let mut ids = Vec::new();
    for number in 1..=9 {
        let told = receiver.next().await;
        assert_eq!((&told["signed"], &told["event"]["id"]), (&json!(true), &json!(number)));
        assert!(told["event"]["type"].is_string() && told["event"]["data"].is_object(), "{told}");
        ids.push(told["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 9);
}

#[tokio::test]
async fn another_secret_is_noticed_and_one_of_two_is_enough() {
    let other = "a secret that the receiver does not have";
    let Some(mut receiver) = Receiver::start(SECRET, "200", "0").await else { return };
    let engine = engine();
    for (secrets, is_signed) in [(vec![other], false), (vec![other, SECRET], true)] {
        let mut webhook = receiver.webhook();
        webhook.kinds = Some(vec![EventKind::ExecutionCompleted]);
        webhook.secrets = secrets.into_iter().map(|text| Secret::new(text.to_owned())).collect();
        let webhooks = start(&engine, webhook);
        call(&engine, "one").await;
        assert_eq!(receiver.next().await["signed"], is_signed);
        webhooks.close(Duration::from_secs(20)).await;
    }
}

#[tokio::test]
async fn a_receiver_that_fails_is_tried_again_and_nothing_is_lost() {
    let Some(mut receiver) = Receiver::start(SECRET, "503,0,429,200", "0").await else { return };
    let engine = engine();
    let mut events = engine.subscribe();
    let mut webhook = receiver.webhook();
    webhook.kinds = Some(vec![EventKind::ExecutionCompleted]);
    let webhooks = start(&engine, webhook);
    assert!(webhooks.health().unwrap().ok);
    call(&engine, "one").await;
    call(&engine, "two").await;
    let first = receiver.next().await;
    for status in [0, 429, 200] {
        let again = receiver.next().await;
        assert_eq!((&again["id"], &again["status"]), (&first["id"], &json!(status)));
        assert_eq!((&again["signed"], &again["event"]), (&json!(true), &first["event"]));
        if status == 429 {
            let health = webhooks.health().unwrap();
            assert!(!health.ok && health.note.unwrap().starts_with("`test`: "));
        }
    }
    assert_eq!(receiver.next().await["event"]["tool_name"], "two");
    assert_eq!(webhooks.close(Duration::from_secs(20)).await, 0);
    assert!(webhooks.health().unwrap().ok);
    let mut told = Vec::new();
    while let Some(heard) = events.try_next() {
        if let toolsmith_engine::Heard::Event(event) = heard {
            told.push(event.kind);
        }
    }
    let count = |kind| told.iter().filter(|told| **told == kind).count();
    assert_eq!(count(EventKind::WebhookFailing), 1);
    assert_eq!(count(EventKind::WebhookRecovered), 1);
}

#[tokio::test]
async fn a_slow_receiver_is_told_how_much_it_missed_and_no_call_waits_for_it() {
    let Some(mut receiver) = Receiver::start(SECRET, "200", "0.05").await else { return };
    let engine = engine();
    let mut webhook = receiver.webhook();
    webhook.max_waiting = 10;
    let webhooks = start(&engine, webhook);
    for _ in 0..500 {
        call(&engine, "one").await;
        tokio::task::yield_now().await;
    }
    assert_eq!(webhooks.close(Duration::from_secs(20)).await, 0);
    let (mut events, mut missed, mut latest) = (0, 0, 0);
    while events + missed < 1_500 {
        let told = receiver.next().await["event"].clone();
        if told["type"] == "missed" {
            missed += told["data"]["missed"].as_u64().unwrap();
            continue;
        }
        events += 1;
        let number = told["id"].as_u64().unwrap();
        assert!(number > latest, "in order");
        latest = number;
    }
    assert!(missed > 0 && events >= 10, "{events} events, {missed} missed");
    assert_eq!(events + missed, 1_500);
}

#[tokio::test]
async fn what_a_receiver_refuses_is_not_sent_again() {
    for (statuses, events) in [("400,200", 2), ("307,200", 2), ("410,200", 1)] {
        let Some(mut receiver) = Receiver::start(SECRET, statuses, "0").await else { return };
        let engine = engine();
        let mut webhook = receiver.webhook();
        webhook.kinds = Some(vec![EventKind::ExecutionCompleted]);
        webhook.tools = Some(AllowList::new(["o*"]));
        let webhooks = start(&engine, webhook);
        for tool in ["one", "two", "one"] {
            call(&engine, tool).await;
        }
        webhooks.close(Duration::from_secs(20)).await;
        let mut ids = Vec::new();
        for _ in 0..events {
            let told = receiver.next().await;
            assert_eq!(told["event"]["tool_name"], "one");
            ids.push(told["id"].clone());
        }
        ids.dedup();
        assert_eq!(ids.len(), events, "{statuses}");
        assert_eq!(webhooks.health().unwrap().ok, events == 2, "{statuses}");
    }
}

#[tokio::test]
async fn a_private_address_is_refused_and_what_is_left_at_the_end_is_counted() {
    let Some(receiver) = Receiver::start(SECRET, "200", "0").await else { return };
    let engine = engine();
    let mut webhook = receiver.webhook();
    webhook.guard = Guard::Public;
    let webhooks = start(&engine, webhook);
    call(&engine, "one").await;
    webhooks.close(Duration::from_secs(20)).await;
    let health = webhooks.health().unwrap();
    let note = health.note.unwrap();
    assert!(!health.ok && !note.contains("token=abc"), "{note}");
    drop(receiver);
    let Some(receiver) = Receiver::start(SECRET, "503", "0").await else { return };
    let webhooks = start(&engine, receiver.webhook());
    call(&engine, "one").await;
    assert!(webhooks.close(Duration::from_millis(300)).await > 0);
}
