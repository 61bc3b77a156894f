//! Sends batches to a collector, beside the calls.

use std::{
    sync::{Arc, Weak, atomic::Ordering::Relaxed},
    time::Duration,
};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout, timeout_at},
};
use toolsmith_net::{Client, Request};

use super::{Span, Telemetry, measured, proto};
use crate::{Gateway, gateway::Parts, metrics};

/// How many spans one request carries.
const BATCH: usize = 512;

/// How long spans are gathered before they are sent.
const GATHER: Duration = Duration::from_secs(1);

/// How often a batch is offered, and how long is waited before the second time.
const ATTEMPTS: u32 = 4;
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// How often it is said that a collector does not answer.
const COMPLAIN_EVERY: Duration = Duration::from_mins(1);

/// Sends spans until the end, and then those that are left.
pub(super) async fn send_spans(
    telemetry: Telemetry,
    client: Client,
    mut waiting: mpsc::Receiver<Span>,
) {
    let Some(address) = telemetry.0.config.traces.clone() else { return };
    let mut post = Post::new(client, address, &telemetry);
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        gather(&telemetry, &mut waiting, &mut batch).await;
        if batch.is_empty() {
            return;
        }
        let body = proto::traces(&telemetry.0.config.resource, &batch);
        let count = batch.len() as u64;
        let sum = if post.send(body).await { &telemetry.0.sent } else { &telemetry.0.dropped };
        sum.fetch_add(count, Relaxed);
        batch.clear();
    }
}

/// Waits for spans; an empty batch means that there are none left and none will come.
async fn gather(telemetry: &Telemetry, waiting: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>) {
    let ending = &telemetry.0.ending;
    let first = tokio::select! {
        biased;
        span = waiting.recv() => span,
        () = ending.cancelled() => None,
    };
    batch.extend(first);
    let until = Instant::now() + GATHER;
    while !batch.is_empty() && batch.len() < BATCH {
        let more = async {
            tokio::select! {
                biased;
                span = waiting.recv() => span,
                () = ending.cancelled() => None,
            }
        };
        match timeout_at(until, more).await {
            Ok(Some(span)) => batch.push(span),
            Ok(None) | Err(_) => return,
        }
    }
}

/// Sends what is measured now and then, and once more at the end.
pub(super) async fn send_metrics(telemetry: Telemetry, client: Client) {
    let Some(address) = telemetry.0.config.metrics.clone() else { return };
    let mut post = Post::new(client, address, &telemetry);
    let mut is_ending = false;
    while !is_ending {
        is_ending = tokio::select! {
            () = sleep(telemetry.0.config.metrics_every) => false,
            () = telemetry.0.ending.cancelled() => true,
        };
        let parts = telemetry.0.measured.get().and_then(Weak::upgrade);
        let body = match parts {
            Some(parts) => Some(measured_by(&telemetry, &parts)),
            // The doors are closed, and what they were made of is gone.
            None => telemetry.0.last.lock().take(),
        };
        if let Some(body) = body {
            post.send(body).await;
        }
    }
}

/// Writes what is measured at the moment, as a collector reads it.
pub(super) fn measured_by(telemetry: &Telemetry, parts: &Arc<Parts>) -> Vec<u8> {
    let now = parts.engine.now();
    let period = (now.minus(parts.started.elapsed()), now);
    let families = metrics::gather(&Gateway(Arc::clone(parts)));
    measured::metrics(&telemetry.0.config.resource, &families, period)
}

/// The way to one address of a collector.
struct Post {
    client: Client,
    address: String,
    telemetry: Telemetry,
    complained: Option<Instant>,
}

impl Post {
    fn new(client: Client, address: String, telemetry: &Telemetry) -> Self {
        Self { client, address, telemetry: telemetry.clone(), complained: None }
    }

    /// Offers a body until it is taken, refused for good, or has been offered often enough.
    async fn send(&mut self, body: Vec<u8>) -> bool {
        let body = bytes::Bytes::from(body);
        let mut wait = FIRST_WAIT;
        for attempt in 1..=ATTEMPTS {
            match self.offer(body.clone()).await {
                Ok(()) => return true,
                Err(Trouble { why, is_passing }) => {
                    self.complain(&why);
                    let is_last = attempt == ATTEMPTS || self.telemetry.0.ending.is_cancelled();
                    if !is_passing || is_last {
                        return false;
                    }
                }
            }
            tokio::select! {
                () = sleep(wait) => {}
                () = self.telemetry.0.ending.cancelled() => {}
            }
            wait *= 2;
        }
        false
    }

    async fn offer(&self, body: bytes::Bytes) -> Result<(), Trouble> {
        let passing = |why: String| Trouble { why, is_passing: true };
        let config = &self.telemetry.0.config;
        let mut request = Request::post(&self.address, proto::MEDIA_TYPE, body).trusted();
        for (name, value) in &config.headers {
            let set = request.with_secret_header(name, value);
            request = set.map_err(|error| Trouble { why: error.to_string(), is_passing: false })?;
        }
        let sent = timeout(config.timeout, self.client.send(request)).await;
        let sent = sent.map_err(|_| passing("no answer in time".to_owned()))?;
        let status = sent.map_err(|error| passing(error.to_string()))?.status;
        if status.is_success() {
            return Ok(());
        }
        // The statuses that the specification has tried again.
        let is_passing = matches!(status.as_u16(), 429 | 502 | 503 | 504);
        Err(Trouble { why: format!("it answers {status}"), is_passing })
    }

    fn complain(&mut self, why: &str) {
        let is_quiet = self.complained.is_some_and(|at| at.elapsed() < COMPLAIN_EVERY);
        if !is_quiet {
            self.complained = Some(Instant::now());
            tracing::warn!(address = self.address, why, "the collector does not take telemetry");
        }
    }
}

/// Why a body was not taken.
struct Trouble {
    why: String,
    /// Whether another attempt may succeed.
    is_passing: bool,
}
