//! A collector of traces and metrics that reads them with the official messages.

#![expect(clippy::expect_used, clippy::panic, reason = "it fails like the test that uses it")]

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use toolsmith_core::Value;

use crate::fixtures::telemetry_python;

/// Prints its port, and then a line of JSON for each span and each metric that arrives.
const PROGRAM: &str = r#"
import http.server, json, sys, threading
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

def plain(pairs):
    def of(value):
        return getattr(value, value.WhichOneof("value"))
    return {pair.key: of(pair.value) for pair in pairs}

def spans(body, about):
    message = ExportTraceServiceRequest.FromString(body)
    for resource in message.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield {
                    **about, "resource": plain(resource.resource.attributes),
                    "scope": scope.scope.name, "name": span.name, "kind": span.kind,
                    "trace": span.trace_id.hex(), "span": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(), "status": span.status.code,
                    "nanos": span.end_time_unix_nano - span.start_time_unix_nano,
                    "start": span.start_time_unix_nano, "attributes": plain(span.attributes),
                }

def metrics(body, about):
    message = ExportMetricsServiceRequest.FromString(body)
    for resource in message.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                data = getattr(metric, metric.WhichOneof("data"))
                for point in data.data_points:
                    told = MessageToDict(point)
                    told.pop("attributes", None)
                    yield {
                        **about, "name": metric.name, "unit": metric.unit,
                        "form": metric.WhichOneof("data"), "point": told,
                        "attributes": plain(point.attributes),
                    }

class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        about = {"path": self.path, "key": self.headers.get("api-key"), "raw": body.hex()}
        read = spans if self.path.endswith("/v1/traces") else metrics
        # Two requests may come at once, and each line must stay whole.
        with writing:
            for told in read(body, about):
                print(json.dumps(told), flush=True)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass

writing = threading.Lock()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// A collector that runs until it is dropped.
#[derive(Debug)]
pub struct Collector {
    child: Child,
    /// Where it listens.
    pub address: String,
    told: Receiver<Value>,
}

impl Collector {
    /// Starts a collector; nothing where its messages are not installed.
    ///
    /// # Panics
    ///
    /// When it is installed and does not start.
    pub fn start() -> Option<Self> {
        let mut command = Command::new(telemetry_python()?);
        command.args(["-c", PROGRAM]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("a collector starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it has an output")).lines();
        let port = lines.next().and_then(Result::ok).expect("a collector says its port");
        let told = follow(lines);
        Some(Self { child, address: format!("http://127.0.0.1:{port}"), told })
    }

    /// Gathers what arrives until it is enough.
    ///
    /// # Panics
    ///
    /// When it is not enough in time.
    pub fn until(&self, mut is_enough: impl FnMut(&[Value]) -> bool) -> Vec<Value> {
        let end = Instant::now() + Duration::from_secs(30);
        let mut all = Vec::new();
        while !is_enough(&all) {
            let left = end.saturating_duration_since(Instant::now());
            match self.told.recv_timeout(left) {
                Ok(told) => all.push(told),
                Err(why) => panic!("{why}; this is all that arrived: {all:#?}"),
            }
        }
        all
    }
}

fn follow(lines: std::io::Lines<BufReader<ChildStdout>>) -> Receiver<Value> {
    let (sender, told) = channel();
    thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let told = line.parse().unwrap_or_default();
            if sender.send(told).is_err() {
                return;
            }
        }
    });
    told
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
