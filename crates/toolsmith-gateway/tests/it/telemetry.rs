//! Traces and metrics, as a collector gets them.

use std::time::Duration;

use tokio::net::TcpListener;
use toolsmith_core::{Call, Secret, Tool, ToolSpec, Value, json};
use toolsmith_gateway::{Sampler, Telemetry, TelemetryConfig};
use toolsmith_net::Client;
use toolsmith_testing::{collector::Collector, skip};

use crate::support::{Running, within};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b7ad6b7169203331";

fn telemetry(address: &str, timeout: Duration) -> Telemetry {
    measuring(address, timeout, Duration::from_millis(200))
}

/// The same, with metrics that often.
fn measuring(address: &str, timeout: Duration, metrics_every: Duration) -> Telemetry {
    let config = TelemetryConfig {
        traces: Some(format!("{address}/v1/traces")),
        metrics: Some(format!("{address}/v1/metrics")),
        headers: vec![("api-key".to_owned(), Secret::new("collector-key".to_owned()))],
        resource: vec![("service.name".to_owned(), "tools-of-test".to_owned())],
        sampler: Sampler::default(),
        timeout,
        metrics_every,
    };
    Telemetry::start(config, Client::new(toolsmith_net::Settings::default()).unwrap())
}

/// A tool that calls another one.
fn outer() -> Tool {
    let spec = ToolSpec::new("outer").unwrap().with_description("Calls echo.");
    Tool::function(spec, |cx, _| async move {
        Ok(cx.call("echo", json!({"message": "inside-secret"})).await.output().clone())
    })
}

/// Waits for so many spans; metrics are passed over.
fn spans_of(collector: &Collector, count: usize) -> Vec<Value> {
    let is_span = |told: &Value| told["path"] == "/v1/traces";
    let mut told =
        collector.until(|told| told.iter().filter(|told| is_span(told)).count() >= count);
    told.retain(is_span);
    told
}

fn named<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    let found = spans.iter().find(|span| span["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {spans:#?}"))
}

/// Returns all texts of the message in which a span came.
fn bytes_of(span: &Value) -> String {
    let hex = span["raw"].as_str().unwrap().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    String::from_utf8_lossy(&hex.chunks(2).map(byte).collect::<Vec<u8>>()).into_owned()
}

async fn post(running: &Running, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    running.raw(head.as_bytes()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_a_branch_of_its_clients_trace() {
    let Some(collector) = Collector::start() else {
        return skip("the messages of OpenTelemetry are not installed; ./test does that");
    };
    let telemetry = telemetry(&collector.address, Duration::from_secs(10));
    let running = Running::traced(&telemetry, vec![outer()]).await;
    let parent = format!("traceparent: 00-{TRACE}-{SPAN}-01\r\n");
    let call = r#"{"tool_id":"outer","params":{"hidden":"param-secret"},
                   "context":{"conversation_id":"c1"}}"#;
    post(&running, "/run_tool", &parent, call).await;
    post(&running, "/run_tool", &parent, r#"{"tool_id":"no_such_tool"}"#).await;
    let spans = spans_of(&collector, 5);
    telemetry.close().await;
    assert_eq!((telemetry.sent(), telemetry.dropped()), (5, 0));
    assert!(spans.iter().all(|span| span["trace"] == TRACE), "{spans:#?}");
    let request = named(&spans, "POST /run_tool");
    assert_eq!((&request["parent"], &request["kind"]), (&json!(SPAN), &json!(2)));
    assert_eq!(request["attributes"]["http.route"], "/run_tool");
    assert_eq!(request["attributes"]["http.request.method"], "POST");
    assert_eq!(request["resource"]["service.name"], "tools-of-test");
    assert_eq!(
        (&request["scope"], &request["key"]),
        (&json!("toolsmith"), &json!("collector-key"))
    );
    let call = named(&spans, "execute_tool outer");
    assert_eq!((&call["parent"], &call["kind"]), (&request["span"], &json!(1)));
    assert_eq!(call["attributes"]["gen_ai.operation.name"], "execute_tool");
    assert_eq!(call["attributes"]["gen_ai.tool.name"], "outer");
    assert_eq!(call["attributes"]["gen_ai.conversation.id"], "c1");
    assert_eq!(call["attributes"]["gen_ai.tool.call.id"].as_str().unwrap().len(), 36);
    assert_eq!(call["status"], 0);
    assert!(call["nanos"].as_u64().unwrap() > 0);
    // A call of a call is a branch of it.
    assert_eq!(named(&spans, "execute_tool echo")["parent"], call["span"]);
    let missing = named(&spans, "execute_tool no_such_tool");
    assert_eq!(missing["attributes"]["error.type"], "tool_not_found");
    assert_eq!(missing["status"], 2);
    for secret in ["param-secret", "inside-secret", "collector-key"] {
        assert!(spans.iter().all(|span| !bytes_of(span).contains(secret)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_requests_follow_the_trace_in_their_meta() {
    let Some(collector) = Collector::start() else {
        return skip("the messages of OpenTelemetry are not installed; ./test does that");
    };
    let telemetry = telemetry(&collector.address, Duration::from_secs(10));
    let running = Running::traced(&telemetry, Vec::new()).await;
    let meta = json!({
        "traceparent": format!("00-{TRACE}-{SPAN}-01"),
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "echo", "arguments": {"message": "hi"}, "_meta": meta});
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
    let headers = "accept: application/json\r\nmcp-protocol-version: 2026-07-28\r\n\
                   mcp-method: tools/call\r\nmcp-name: echo\r\n";
    let answer = post(&running, "/mcp", headers, &message.to_string()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let spans = spans_of(&collector, 3);
    telemetry.close().await;
    let request = named(&spans, "tools/call echo");
    assert_eq!((&request["trace"], &request["parent"]), (&json!(TRACE), &json!(SPAN)));
    let attributes = &request["attributes"];
    assert_eq!(attributes["mcp.method.name"], "tools/call");
    assert_eq!(attributes["mcp.protocol.version"], "2026-07-28");
    assert_eq!(attributes["jsonrpc.request.id"], "7");
    assert_eq!(attributes["gen_ai.tool.name"], "echo");
    assert_eq!(named(&spans, "execute_tool echo")["parent"], request["span"]);
    assert_eq!(named(&spans, "POST /mcp")["kind"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_arrive_now_and_then() {
    let Some(collector) = Collector::start() else {
        return skip("the messages of OpenTelemetry are not installed; ./test does that");
    };
    let telemetry = telemetry(&collector.address, Duration::from_secs(10));
    let running = Running::traced(&telemetry, Vec::new()).await;
    for _ in 0..10 {
        running.post("/run_tool", r#"{"tool_id":"echo","params":{"message":"a"}}"#).await;
    }
    let is_duration = |told: &Value| {
        told["name"] == "http.server.request.duration" && told["point"]["count"] == "10"
    };
    let told = collector.until(|told| told.iter().any(is_duration));
    telemetry.close().await;
    let requests = told.iter().find(|told| is_duration(told)).unwrap();
    assert_eq!((&requests["form"], &requests["unit"]), (&json!("histogram"), &json!("s")));
    assert_eq!(requests["attributes"]["http.route"], "/run_tool");
    assert_eq!(requests["attributes"]["http.response.status_code"], 200);
    let buckets = requests["point"]["bucketCounts"].as_array().unwrap();
    let sum: u64 = buckets.iter().map(|n| n.as_str().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!((sum, buckets.len()), (10, 17));
    assert_eq!(requests["point"]["explicitBounds"].as_array().unwrap().len(), 16);
    assert!(requests["point"]["sum"].as_f64().unwrap() > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_metrics_are_sent_when_the_doors_are_closed() {
    let Some(collector) = Collector::start() else {
        return skip("the messages of OpenTelemetry are not installed; ./test does that");
    };
    let telemetry = measuring(&collector.address, Duration::from_secs(10), Duration::from_hours(1));
    let running = Running::traced(&telemetry, Vec::new()).await;
    for _ in 0..3 {
        running.post("/run_tool", r#"{"tool_id":"echo","params":{"message":"a"}}"#).await;
    }
    running.stop.cancel();
    within(running.serving).await.unwrap();
    telemetry.close().await;
    let is_last = |told: &Value| {
        told["name"] == "http.server.request.duration" && told["point"]["count"] == "3"
    };
    let told = collector.until(|told| told.iter().any(is_last));
    let times = told.iter().filter(|told| told["name"] == "http.server.request.duration").count();
    assert_eq!(times, 1, "only at the end: {told:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_or_slow_keeps_nobody_waiting() {
    // A port that nobody listens on any more, and one at which nobody ever answers.
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let slow = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addresses = [&gone, &slow].map(|at| format!("http://{}", at.local_addr().unwrap()));
    drop(gone);
    for address in addresses {
        let telemetry = telemetry(&address, Duration::from_mins(1));
        let running = Running::traced(&telemetry, Vec::new()).await;
        for _ in 0..12_000 {
            let call = Call::new("echo", json!({"message": "a"}));
            assert!(running.engine.call(call).await.is_success());
        }
        assert!(telemetry.dropped() > 1_000, "{}", telemetry.dropped());
        // It gives up after three seconds, though the other end would have a minute.
        within(telemetry.close()).await;
        assert_eq!(telemetry.sent(), 0);
    }
}
