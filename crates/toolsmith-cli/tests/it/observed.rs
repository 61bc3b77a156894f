//! `toolsmith serve` as those who watch it see it: traces, metrics, the access log, health.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    thread,
};

use serde_json::{Value, json};
use toolsmith_testing::{collector::Collector, skip};

use crate::{
    serving::Serving,
    support::{Place, eventually},
};

/// Answers one request with `{}` and returns its head.
fn upstream() -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answering = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            reader.read_line(&mut head).unwrap();
        }
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n";
        stream.write_all(format!("{answer}connection: close\r\n\r\n{{}}").as_bytes()).unwrap();
        // The client closes when it has read.
        stream.read_to_end(&mut Vec::new()).ok();
        head
    });
    (address, answering)
}

#[test]
fn a_trace_goes_on_in_the_service_behind_a_tool_and_is_whole_at_the_end() {
    let Some(collector) = Collector::start() else {
        return skip("the messages of OpenTelemetry are not installed; ./test does that");
    };
    let (address, answering) = upstream();
    let tool = format!(
        "name: behind\ndescription: Asks another service.\n\
         entry: {{type: rest, method: GET, url: \"http://{address}/thing\"}}\n"
    );
    let program = "name: program\ndescription: Shows where it stands.\n\
                   entry: {type: command, command: [printenv, TRACEPARENT]}\n";
    let place = Place::new().with("tools/behind.yaml", &tool).with("tools/program.yaml", program);
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address.as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k%201"),
        ("OTEL_SERVICE_NAME", "named-by-variable"),
    ];
    let serving = Serving::start_with(&place, &["--tools", "tools"], &variables);
    let outcome = serving.send("POST /run_tool", r#"{"tool_id": "behind"}"#);
    assert_eq!(outcome["success"], true, "{outcome}");
    let head = answering.join().unwrap();
    let shown = serving.send("POST /run_tool", r#"{"tool_id": "program"}"#);
    // What was not sent yet is sent at the end.
    assert_eq!(serving.end("-TERM"), (Some(0), String::new()));
    let is_call = |told: &Value| told["name"] == "execute_tool behind";
    let is_last = |told: &Value| told["name"] == "execute_tool program";
    let is_measured = |told: &Value| told["name"] == "toolsmith.calls";
    let told = collector.until(|told| {
        told.iter().any(is_call) && told.iter().any(is_last) && told.iter().any(is_measured)
    });
    let call = told.iter().find(|told| is_call(told)).unwrap();
    let passed_on = format!(
        "traceparent: 00-{}-{}-01\r\n",
        call["trace"].as_str().unwrap(),
        call["span"].as_str().unwrap()
    );
    assert!(head.contains(&passed_on), "{head}");
    let program = told.iter().find(|told| is_last(told)).unwrap();
    assert!(shown["output"].to_string().contains(program["span"].as_str().unwrap()), "{shown}");
    assert_eq!(call["resource"]["service.name"], "named-by-variable");
    assert_eq!((&call["key"], &call["path"]), (&json!("k 1"), &json!("/v1/traces")));
}

#[test]
fn settings_that_cannot_work_are_refused_at_the_start() {
    for (settings, said) in [
        ("telemetry: {endpoint: \"collector:4317\"}", "is none of HTTP"),
        (
            "telemetry: {endpoint: \"http://a\", sampler: sometimes}",
            "telemetry.sampler: `sometimes` is none of",
        ),
        ("serve: {access_log: /nowhere/at/all.log}", "serve.access_log: cannot be written"),
        ("serve: {metrics: everybody}", "serve.metrics"),
        ("serve: {max_mcp_sessions: 0}", "a whole number of at least 1"),
    ] {
        let place = Place::new().with("toolsmith.yaml", settings);
        let ran = place.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(ran.code, Some(2), "{settings}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{settings}: {}", ran.stderr);
    }
}

#[test]
fn health_names_definitions_that_cannot_be_read() {
    let place =
        Place::new().with("tools/good.yaml", "name: good\nentry: {type: builtin, handler: echo}\n");
    let serving = Serving::start(&place, &["--tools", "tools"]);
    let health = serving.send("GET /health", "");
    assert_eq!(health["status"], "ok", "{health}");
    assert_eq!(health["parts"]["tools"]["ok"], true);
    place.write("tools/bad.yaml", "name: bad\nentry: {type: nothing}\n");
    eventually("the problem is named", || {
        let health = serving.send("GET /health", "");
        let note = health["parts"]["tools"]["note"].as_str().unwrap_or_default();
        health["status"] == "degraded" && note.starts_with("1 problem in the definitions")
    });
    // Calls can be made all the same.
    assert_eq!(serving.send("GET /health/ready", "")["status"], "ok");
    assert_eq!(serving.send("GET /health/live", "")["status"], "ok");
}

#[test]
fn the_access_log_is_a_file_of_json_lines() {
    let place = Place::new().with("toolsmith.yaml", "serve: {access_log: access.jsonl}");
    let serving = Serving::start(&place, &[]);
    let outcome =
        serving.send("POST /run_tool", r#"{"tool_id": "echo", "params": {"message": "m"}}"#);
    assert_eq!(serving.end("-TERM"), (Some(0), String::new()));
    let text = place.read("access.jsonl");
    let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(line["call_id"], outcome["call_id"]);
    assert_eq!((&line["caller"], &line["status"]), (&json!("local"), &json!(200)));
}

#[test]
fn sessions_of_mcp_clients_are_bounded_by_the_settings() {
    let place = Place::new().with("toolsmith.yaml", "serve: {max_mcp_sessions: 2, metrics: open}");
    let serving = Serving::start(&place, &[]);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    });
    for _ in 0..5 {
        let answer = serving.send("POST /mcp", &hello.to_string());
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    }
    assert!(serving.text("GET /metrics").contains("\ntoolsmith_mcp_sessions_open 2\n"));
}
