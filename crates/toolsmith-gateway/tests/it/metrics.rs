//! `/metrics`, as Prometheus reads it.

use std::{
    io::Write,
    process::{Command, Stdio},
    time::Duration,
};

use hyper::StatusCode;
use toolsmith_core::{Role, Secret, Tool, ToolError, ToolSpec, Value, json};
use toolsmith_gateway::{GatewayConfig, MetricsDoor};
use toolsmith_testing::{fixtures, skip};

use crate::support::{Keys, Running, within};

/// Reads metrics with the parser of the official client, and prints each sample as JSON.
const PARSER: &str = "
import json, sys
from prometheus_client.parser import text_string_to_metric_families
for family in text_string_to_metric_families(sys.stdin.read()):
    for sample in family.samples:
        print(json.dumps([family.type, sample.name, sample.labels, sample.value]))
";

/// What the parser of others makes of our text.
struct Parsed(Vec<(String, String, Value, f64)>);

impl Parsed {
    fn of(text: &str) -> Option<Self> {
        let python = fixtures::telemetry_python()?;
        let mut child = Command::new(python)
            .args(["-c", PARSER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{text}");
        let lines = String::from_utf8(output.stdout).unwrap();
        Some(Self(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()))
    }

    /// Sums up the samples of a name whose labels have these values.
    fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let fits = |found: &Value| labels.iter().all(|(label, value)| found[label] == *value);
        let samples = self.0.iter().filter(|(_, found, at, _)| found == name && fits(at));
        samples.map(|(.., value)| value).sum()
    }

    fn values<'a>(&'a self, name: &'a str, label: &'a str) -> Vec<&'a str> {
        let samples = self.0.iter().filter(move |(_, found, ..)| found == name);
        samples.filter_map(|(_, _, labels, _)| labels[label].as_str()).collect()
    }
}

async fn scrape(running: &Running, key: &str) -> (u16, String) {
    let key = if key.is_empty() { String::new() } else { format!("x-api-key: {key}\r\n") };
    let head =
        format!("GET /metrics HTTP/1.1\r\nhost: localhost\r\n{key}connection: close\r\n\r\n");
    let answer = running.raw(head.as_bytes()).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

/// Whole numbers as the parser gives them.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn whole(number: usize) -> f64 {
    number as f64
}

fn is(found: f64, expected: usize) -> bool {
    (found - whole(expected)).abs() < 0.5
}

fn failing() -> Tool {
    Tool::function(ToolSpec::new("failing").unwrap(), |_, _| async {
        Err::<Value, _>(ToolError::failed("no"))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_counted_is_what_was_done() {
    const CLIENTS: usize = 8;
    const CALLS: usize = 50;
    let running = Running::with(vec![failing()], GatewayConfig::default()).await;
    let working = (0..CLIENTS).map(|_| async {
        for _ in 0..CALLS {
            running.post("/run_tool", r#"{"tool_id":"echo","params":{"message":"a"}}"#).await;
            running.post("/run_tool", r#"{"tool_id":"failing"}"#).await;
            running.post("/run_tool", r#"{"tool_id":"nowhere"}"#).await;
            running.get("/tools/echo").await;
            // A scrape in the middle of it all is whole, too.
            assert_eq!(scrape(&running, "").await.0, 200);
        }
    });
    let working = futures_util::future::join_all(working);
    tokio::time::timeout(Duration::from_mins(2), working).await.unwrap();
    let (_, text) = scrape(&running, "").await;
    let Some(parsed) = Parsed::of(&text) else {
        return skip("the parser of Prometheus' client is not installed; ./test does that");
    };
    let all = CLIENTS * CALLS;
    let calls = "toolsmith_calls_total";
    assert!(is(parsed.sum(calls, &[("door", "http")]), 3 * all));
    assert!(is(parsed.sum(calls, &[("outcome", "ok")]), all));
    assert!(is(parsed.sum(calls, &[("outcome", "execution_error")]), all));
    assert!(is(parsed.sum(calls, &[("outcome", "tool_not_found")]), all));
    let durations = "toolsmith_call_duration_seconds";
    assert!(is(parsed.sum(&format!("{durations}_count"), &[]), 3 * all));
    assert!(is(parsed.sum(&format!("{durations}_bucket"), &[("le", "+Inf")]), 3 * all));
    for (tool, outcome) in [("echo", "ok"), ("failing", "execution_error")] {
        let labels = [("tool", tool), ("outcome", outcome)];
        assert!(is(parsed.sum("toolsmith_tool_calls_total", &labels), all), "{tool}");
        let tool = [("tool", tool), ("le", "+Inf")];
        assert!(is(parsed.sum("toolsmith_tool_call_duration_seconds_bucket", &tool), all));
    }
    // A stranger's word for a tool is no name of one.
    assert!(!parsed.values("toolsmith_tool_calls_total", "tool").contains(&"nowhere"));
    let requests = "toolsmith_http_request_duration_seconds_count";
    let of = |route, status| parsed.sum(requests, &[("route", route), ("status", status)]);
    assert!(is(of("/run_tool", "200"), all));
    assert!(is(of("/run_tool", "500"), all));
    assert!(is(of("/run_tool", "404"), all));
    assert!(is(of("/tools/{name}", "200"), all));
    assert!(is(of("/metrics", "200"), all));
    for gauge in ["toolsmith_calls_open", "toolsmith_calls_waiting", "toolsmith_slots_in_use"] {
        assert!(is(parsed.sum(gauge, &[]), 0), "{gauge}");
    }
    assert!(parsed.sum("toolsmith_connections_open", &[]) >= 1.0);
    assert!(parsed.sum("process_resident_memory_bytes", &[]) > 1e6);
    assert!(parsed.sum("process_cpu_seconds_total", &[]) > 0.0);
    assert!(is(parsed.sum("toolsmith_build_info", &[("version", "0.1.0")]), 1));
    assert!(parsed.sum("toolsmith_tools", &[("state", "running")]) > 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_tools_are_few_series() {
    let tool = |n: usize| {
        let spec = ToolSpec::new(&format!("tool_{n}")).unwrap();
        Tool::function(spec, |_, _| async { Ok(json!(null)) })
    };
    let running = Running::with((0..300).map(tool).collect(), GatewayConfig::default()).await;
    for n in 0..300 {
        let call = toolsmith_core::Call::new(format!("tool_{n}"), json!({}));
        assert!(running.engine.call(call).await.is_success());
    }
    let (_, first) = scrape(&running, "").await;
    // One that has no name of its own is called often; nobody loses a name because of it.
    for _ in 0..10 {
        running.engine.call(toolsmith_core::Call::new("tool_299", json!({}))).await;
    }
    let (_, second) = scrape(&running, "").await;
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with("toolsmith_tool_calls_total{"));
        lines.map(|line| line.split('"').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(names(&first).len(), 101);
    assert_eq!(names(&first), names(&second));
    let others = |text: &str| {
        let line = text.lines().find(|line| line.contains("tool_calls_total{tool=\"(other)\""));
        line.unwrap().rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(others(&first), 200);
    assert!(others(&second) >= 200);
    assert_eq!(running.engine.registry().called().len(), 300);
}

#[tokio::test]
async fn only_those_read_it_who_may() {
    let keys = Keys::new().await;
    let admin = keys.make("boss", |new| new.role = Role::Admin).await;
    let caller = keys.make("caller", |_| ()).await;
    let config = GatewayConfig {
        metrics_key: Some(Secret::new("scraper".to_owned())),
        ..GatewayConfig::default()
    };
    let running = Running::recording_with(&keys, Vec::new(), config).await;
    for (key, status) in
        [("", 401), ("wrong", 401), (caller.as_str(), 403), (admin.as_str(), 200), ("scraper", 200)]
    {
        assert_eq!(scrape(&running, key).await.0, status);
    }
    // The key for metrics opens nothing else.
    assert_eq!(running.get_as("scraper", "/tools").await.0, StatusCode::UNAUTHORIZED);
    let (_, text) = scrape(&running, &admin).await;
    assert!(text.contains("toolsmith_records_written_total"), "{text}");

    let config = GatewayConfig { metrics: MetricsDoor::Open, ..GatewayConfig::default() };
    let open = Running::recording_with(&keys, Vec::new(), config).await;
    assert_eq!(scrape(&open, "").await.0, 200);
    let config = GatewayConfig { metrics: MetricsDoor::Off, ..GatewayConfig::default() };
    let off = Running::recording_with(&keys, Vec::new(), config).await;
    assert_eq!(scrape(&off, &admin).await.0, 404);
}

#[tokio::test]
async fn every_described_address_is_counted_under_its_name() {
    let running = Running::start().await;
    let (_, described) = running.get("/openapi.json").await;
    let paths = described["paths"].as_object().unwrap();
    for path in paths.keys().filter(|path| *path != "/events") {
        let asked = path.replace("{name}", "x").replace("{id}", "x").replace("{group}", "x");
        let head = format!("PUT {asked} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        within(running.raw(head.as_bytes())).await;
    }
    let (_, text) = scrape(&running, "").await;
    for path in paths.keys().filter(|path| *path != "/events") {
        assert!(text.contains(&format!("{{route=\"{path}\"")), "{path} in {text}");
    }
}
