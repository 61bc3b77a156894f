//! OpenTelemetry: spans and metrics for a collector, over OTLP (HTTP and protobuf).
//!
//! Off unless an address is set. A call that is traced hands one span to a bounded queue and goes
//! on; a task of its own sends batches. What the collector does not take in time is dropped and
//! counted, never waited for.

mod exporter;
mod measured;
mod place;
mod proto;
mod sampler;
mod span;
mod tracer;

use std::{
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;
use toolsmith_core::Secret;
use toolsmith_net::Client;

pub use self::sampler::Sampler;
pub(crate) use self::{
    place::{here, note, noting, within},
    span::{Role, Span, Value},
};
use crate::gateway::Parts;

/// How many spans wait to be sent; more are dropped.
const QUEUE: usize = 8_192;

/// How long the last spans and values have to be sent at the end.
const AT_THE_END: Duration = Duration::from_secs(3);

/// Where traces and metrics go.
#[derive(Clone, Debug)]
pub struct TelemetryConfig {
    /// Where spans are sent; nowhere when absent.
    pub traces: Option<String>,
    /// Where metrics are sent; nowhere when absent.
    pub metrics: Option<String>,
    /// Headers of every request.
    pub headers: Vec<(String, Secret)>,
    /// Who we are: `service.name` and further attributes of the resource.
    pub resource: Vec<(String, String)>,
    /// Which traces are kept.
    pub sampler: Sampler,
    /// How long one request may take.
    pub timeout: Duration,
    /// How often metrics are sent.
    pub metrics_every: Duration,
}

/// Writes traces and metrics; cheap to clone.
#[derive(Clone, Debug)]
pub struct Telemetry(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    config: TelemetryConfig,
    spans: mpsc::Sender<Span>,
    sent: AtomicU64,
    dropped: AtomicU64,
    ending: CancellationToken,
    /// What is measured, once the doors are open.
    measured: OnceLock<Weak<Parts>>,
    /// What was measured last, once the doors are closed: a message for the collector.
    last: Mutex<Option<Vec<u8>>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Telemetry {
    /// Begins to send; needs to be called within a runtime.
    pub fn start(config: TelemetryConfig, client: Client) -> Self {
        let (spans, waiting) = mpsc::channel(QUEUE);
        let telemetry = Self(Arc::new(Shared {
            config,
            spans,
            sent: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            ending: CancellationToken::new(),
            measured: OnceLock::new(),
            last: Mutex::new(None),
            tasks: Mutex::default(),
        }));
        let traces = exporter::send_spans(telemetry.clone(), client.clone(), waiting);
        let metrics = exporter::send_metrics(telemetry.clone(), client);
        let tasks = [tokio::spawn(traces), tokio::spawn(metrics)];
        telemetry.0.tasks.lock().extend(tasks);
        telemetry
    }

    /// Sends what is left, within a bound.
    pub async fn close(&self) {
        self.0.ending.cancel();
        let tasks = std::mem::take(&mut *self.0.tasks.lock());
        let until = Instant::now() + AT_THE_END;
        for mut task in tasks {
            if timeout_at(until, &mut task).await.is_err() {
                task.abort();
            }
        }
    }

    /// Returns how many spans were dropped.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Relaxed)
    }

    /// Returns how many spans the collector has taken.
    pub fn sent(&self) -> u64 {
        self.0.sent.load(Relaxed)
    }

    /// Says what is measured.
    pub(crate) fn measure(&self, parts: &Arc<Parts>) {
        self.0.measured.set(Arc::downgrade(parts)).ok();
    }

    /// Remembers what was measured until now, for the end of the program.
    pub(crate) fn remember(&self, parts: &Arc<Parts>) {
        if self.0.config.metrics.is_some() {
            *self.0.last.lock() = Some(exporter::measured_by(self, parts));
        }
    }

    /// Takes a span; one that is not kept, or has no room, is let go.
    pub(crate) fn take(&self, span: Span) {
        if span.place.is_sampled && self.0.spans.try_send(span).is_err() {
            self.0.dropped.fetch_add(1, Relaxed);
        }
    }
}
