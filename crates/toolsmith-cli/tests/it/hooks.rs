//! Webhooks of `toolsmith serve`, to a receiver in a process of its own.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use toolsmith_testing::skip;

use crate::{
    serving::Serving,
    support::{Place, eventually},
};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A receiver that ends with its test.
struct Receiver {
    child: Child,
    lines: BufReader<ChildStdout>,
    port: String,
}

impl Receiver {
    fn start(statuses: &str) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR"));
        let script = script.join("../toolsmith-gateway/tests/it/receiver.py");
        let mut command = Command::new("python3");
        command.arg(script).args([SECRET, statuses]).stdin(Stdio::null()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            skip("there is no python3 to receive webhooks");
            return None;
        };
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut port = String::new();
        lines.read_line(&mut port).unwrap();
        Some(Self { child, lines, port: port.trim().to_owned() })
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn configuration(port: &str, more: &str) -> String {
    format!(
        "webhooks:\n  watch:\n    url: http://127.0.0.1:{port}/hook\n    secret: {SECRET}\n    \
         types: [execution_completed, execution_failed]\n{more}"
    )
}

#[test]
fn what_happens_is_posted_and_the_last_events_before_the_end() {
    let Some(mut receiver) = Receiver::start("200") else { return };
    let config = configuration(&receiver.port, "    allow_private: true\n");
    let place = Place::new().with("toolsmith.yaml", &config);
    let serving = Serving::start(&place, &[]);
    let call = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;
    let outcome = serving.send("POST /run_tool", call);
    let told = receiver.next();
    assert_eq!((&told["signed"], &told["event"]["call_id"]), (&json!(true), &outcome["call_id"]));
    assert_eq!(told["event"]["type"], "execution_completed");
    assert_eq!(serving.send("GET /health", "")["parts"]["webhooks"], json!({"ok": true}));
    let last = serving.send("POST /run_tool", call);
    assert_eq!(serving.end("-TERM"), (Some(0), String::new()));
    assert_eq!(receiver.next()["event"]["call_id"], last["call_id"]);
}

#[test]
fn a_receiver_that_fails_makes_the_health_degraded_and_is_told_of_at_the_end() {
    let Some(mut receiver) = Receiver::start("500") else { return };
    let config = configuration(&receiver.port, "    allow_private: true\n");
    let place = Place::new().with("toolsmith.yaml", &config);
    let serving = Serving::start(&place, &[]);
    serving.send("POST /run_tool", r#"{"tool_id": "echo", "params": {"message": "hi"}}"#);
    assert_eq!(receiver.next()["status"], 500);
    eventually("the health says so", || {
        let health = serving.send("GET /health", "");
        let note = health["parts"]["webhooks"]["note"].as_str().unwrap_or_default().to_owned();
        health["status"] == "degraded" && note.contains("`watch`: it answered 500")
    });
    let (code, said) = serving.end("-TERM");
    assert_eq!(code, Some(0));
    assert!(said.contains("did not reach a webhook"), "{said}");
}

#[test]
fn receivers_that_cannot_be_used_are_refused_at_the_start() {
    for (config, said) in [
        (configuration("9", ""), "webhooks.watch.url: "),
        (configuration("9", "    typo: 1\n"), "unknown key"),
        ("webhooks: {a: {url: 'https://a.example/'}}\n".to_owned(), "expected a `secret`"),
        (
            "webhooks: {a: {url: 'https://a.example/', secret: short}}\n".to_owned(),
            "the secret of the webhook `a` is shorter than 16 bytes",
        ),
        (
            "webhooks: {a: {url: 'https://a.example/', secret: x, types: [tool_aded]}}\n"
                .to_owned(),
            "there are no events of type `tool_aded`. Did you mean `tool_added`",
        ),
        (
            "webhooks: {a: {url: 'https://a.example/', secret: '${NOT_SET}'}}\n".to_owned(),
            "webhooks.a.secret: the variable `NOT_SET` is not set",
        ),
    ] {
        let place = Place::new().with("toolsmith.yaml", &config);
        let ran = place.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(ran.code, Some(2), "{config}: {ran:?}");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}
