//! `toolsmith serve`, as a client and a service manager meet it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStderr, Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::Place;

/// A server that ends with its test.
struct Serving {
    child: Child,
    said: BufReader<ChildStderr>,
    address: String,
}

impl Serving {
    fn start(place: &Place, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = place.command(&arguments);
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| {
            panic!("{line}");
        });
        Self { address: address.to_owned(), child, said }
    }

    fn send(&self, head: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = format!("{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n");
        let head = format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n");
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Sends a signal, waits for the end, and returns the exit code and the rest of what was said.
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn calls_are_answered_and_recorded_and_the_end_is_orderly() {
    let place = Place::new();
    let serving = Serving::start(&place, &[]);
    let call = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;
    let outcome = serving.send("POST /run_tool", call);
    assert_eq!(outcome["output"], json!({"message": "hi"}));
    assert_eq!(serving.send("GET /health", "")["status"], "ok");
    assert_eq!(serving.end("-TERM"), (Some(0), String::new()));
    let records = place.json(&["calls", "list"]);
    assert_eq!(records["calls"][0]["record_id"], outcome["call_id"]);
    assert_eq!(records["calls"][0]["caller_type"], "http");
}

#[test]
fn a_definition_that_is_dropped_into_the_folder_is_served_at_once() {
    let place =
        Place::new().with("tools/one.yaml", "name: one\nentry: {type: builtin, handler: echo}\n");
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let names = |table: &Value| -> Vec<String> {
        let rows = table["tools"].as_array().unwrap().iter();
        rows.map(|row| row["tool_id"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names(&serving.send("GET /tools", "")).contains(&"one".to_owned()));
    place.write("tools/two.yaml", "name: two\nentry: {type: builtin, handler: echo}\n");
    crate::support::eventually("the new tool is served", || {
        names(&serving.send("GET /tools", "")).contains(&"two".to_owned())
    });
}

#[test]
fn addresses_that_cannot_be_served_are_refused_in_plain_words() {
    let place = Place::new();
    for (address, said) in [
        ("0.0.0.0:0", "without authentication only this machine is served"),
        ("8001", "write an address and a port such as 127.0.0.1:8001"),
        ("localhost", "write an address and a port"),
    ] {
        let ran = place.run(&["serve", "--listen", address]);
        assert_eq!(ran.code, Some(2), "{address}");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    let first = Serving::start(&place, &[]);
    let ran = place.run(&["serve", "--listen", &first.address]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("cannot listen on"), "{}", ran.stderr);
}
