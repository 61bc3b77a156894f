//! Everything that is measured, summed up for whoever asks.

use std::{collections::BTreeMap, sync::atomic::Ordering::Relaxed};

use toolsmith_core::{ErrorKind, State, Text};
use toolsmith_engine::{
    durations::Spread,
    registry::{CalledTool, Filter},
};

use super::{Amount, Family, Form, MOST_TOOLS, process};
use crate::Gateway;

/// The names of states, in the order in which they are shown.
const STATES: [State; 6] = [
    State::Stopped,
    State::Starting,
    State::Running,
    State::Unhealthy,
    State::Stopping,
    State::Failed,
];

/// What stands for all that have no name of their own; no tool can be called so.
const OTHER: &str = "(other)";

/// Sums up everything.
pub(crate) fn gather(gateway: &Gateway) -> Vec<Family> {
    let mut families = vec![build()];
    families.extend(calls(gateway));
    families.extend(tools(gateway));
    families.extend(engine(gateway));
    families.extend(records(gateway));
    families.extend(doors(gateway));
    families.extend(states(gateway));
    let uptime = gateway.0.started.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a moment to the microsecond has 51 bits")]
    let now = gateway.0.engine.now().as_micros() as f64 / 1_000_000.0;
    families.extend(process::families(now - uptime));
    families
}

fn build() -> Family {
    let names = ("toolsmith_build_info", "toolsmith.build");
    let version = ("version", Text::from(env!("CARGO_PKG_VERSION")));
    Family::new(Form::Gauge, names, "Which version runs.").with(&[version], 1)
}

fn calls(gateway: &Gateway) -> [Family; 2] {
    let names = ("toolsmith_calls_total", "toolsmith.calls");
    let help = "Calls that have ended, by door and by what came of them.";
    let mut counts = Family::new(Form::Counter, names, help);
    let names = ("toolsmith_call_duration_seconds", "toolsmith.call.duration");
    let help = "How long calls took, waiting included, by door.";
    let mut durations = Family::new(Form::Histogram, names, help);
    for tallied in gateway.0.engine.tallied() {
        let door = ("door", Text::from(tallied.door.as_str()));
        outcomes(&mut counts, &door, (tallied.successes(), &tallied.failures));
        durations.push(&[door], Amount::Spread(Box::new(tallied.durations)));
    }
    [counts, durations]
}

/// Adds the successes and the failures of each kind that there were.
fn outcomes(
    family: &mut Family,
    label: &(&'static str, Text),
    (successes, failures): (u64, &[u64; ErrorKind::ALL.len()]),
) {
    family.push(&[label.clone(), ("outcome", "ok".into())], Amount::Count(successes));
    for (kind, count) in ErrorKind::ALL.into_iter().zip(failures).filter(|(_, count)| **count > 0) {
        let outcome = ("outcome", Text::from(kind.as_str()));
        family.push(&[label.clone(), outcome], Amount::Count(*count));
    }
}

fn tools(gateway: &Gateway) -> [Family; 2] {
    let names = ("toolsmith_tool_calls_total", "toolsmith.tool.calls");
    let help = "Calls of each tool; those of tools beyond the first hundred are in `(other)`.";
    let mut counts = Family::new(Form::Counter, names, help);
    let names = ("toolsmith_tool_call_duration_seconds", "toolsmith.tool.call.duration");
    let help = "How long the calls of each tool took, waiting included.";
    let mut durations = Family::new(Form::Histogram, names, help);
    for called in named(gateway) {
        let tool = ("tool", called.name.clone());
        outcomes(&mut counts, &tool, (called.successes(), &called.failures));
        durations.push(&[tool], Amount::Spread(Box::new(called.durations)));
    }
    [counts, durations]
}

/// Returns the tools that were called, those without a name of their own as one.
fn named(gateway: &Gateway) -> Vec<CalledTool> {
    let mut called = gateway.0.engine.registry().called();
    // The busiest come first when there are names left to give.
    called.sort_by_key(|tool| std::cmp::Reverse(tool.durations.count()));
    let mut names = gateway.0.metrics.named.lock();
    let mut other = CalledTool { name: OTHER.into(), ..CalledTool::default() };
    let mut shown = Vec::new();
    for tool in called {
        if !names.contains(&tool.name) && names.len() >= MOST_TOOLS {
            other.durations.merge(&tool.durations);
            other.failures.iter_mut().zip(tool.failures).for_each(|(sum, count)| *sum += count);
            continue;
        }
        names.insert(tool.name.clone());
        shown.push(tool);
    }
    shown.sort_by(|a, b| a.name.cmp(&b.name));
    if other.durations != Spread::default() {
        shown.push(other);
    }
    shown
}

fn engine(gateway: &Gateway) -> Vec<Family> {
    let metrics = gateway.0.engine.metrics();
    let (running, waiting) = (metrics.limits.current_concurrent, metrics.limits.queue_length);
    let in_conversations = metrics.waiting_in_conversations;
    let gauge =
        |names, help, count: usize| Family::new(Form::Gauge, names, help).with(&[], count as u64);
    let counter = |names, help, count| Family::new(Form::Counter, names, help).with(&[], count);
    let mut families = vec![
        gauge(
            ("toolsmith_calls_open", "toolsmith.calls.open"),
            "Calls under way, waiting ones included.",
            metrics.open_calls,
        ),
        gauge(
            ("toolsmith_slots_in_use", "toolsmith.slots.used"),
            "Slots of the limiter that are taken.",
            running,
        ),
        gauge(
            ("toolsmith_calls_waiting", "toolsmith.calls.waiting"),
            "Calls that wait for a slot, or for others of their conversation.",
            waiting + in_conversations,
        ),
        counter(
            ("toolsmith_calls_rejected_total", "toolsmith.calls.rejected"),
            "Calls that got no slot and no place in the queue.",
            metrics.limits.total_rejected,
        ),
        counter(
            ("toolsmith_queue_timeouts_total", "toolsmith.queue.timeouts"),
            "Calls whose time was up while they waited for a slot.",
            metrics.limits.total_timeout,
        ),
        counter(
            ("toolsmith_events_missed_total", "toolsmith.events.missed"),
            "Events that listeners were too slow to hear.",
            metrics.missed_events,
        ),
        counter(
            ("toolsmith_held_threads_total", "toolsmith.threads.held"),
            "How often an async tool held its thread for too long.",
            metrics.held_threads,
        ),
    ];
    let names = ("toolsmith_bucket_slots_in_use", "toolsmith.bucket.used");
    let mut buckets = Family::new(Form::Gauge, names, "Slots of a limited category in use.");
    for (category, bucket) in &metrics.buckets {
        let label = ("category", Text::from(category.as_str()));
        buckets.push(&[label], Amount::Count(bucket.current as u64));
    }
    if !buckets.samples.is_empty() {
        families.push(buckets);
    }
    families
}

fn records(gateway: &Gateway) -> Vec<Family> {
    let Ok(store) = gateway.store() else { return Vec::new() };
    let metrics = store.metrics();
    let one = |form, names, help, count| Family::new(form, names, help).with(&[], count);
    vec![
        one(
            Form::Gauge,
            ("toolsmith_records_queued", "toolsmith.records.queued"),
            "Records that wait for the writer.",
            metrics.queued,
        ),
        one(
            Form::Gauge,
            ("toolsmith_records_unwritten", "toolsmith.records.unwritten"),
            "Records that wait because the store cannot write.",
            metrics.unwritten,
        ),
        one(
            Form::Counter,
            ("toolsmith_records_written_total", "toolsmith.records.written"),
            "Records that are on disk.",
            metrics.written,
        ),
        one(
            Form::Counter,
            ("toolsmith_records_lost_total", "toolsmith.records.lost"),
            "Records that were given up.",
            metrics.lost,
        ),
        one(
            Form::Counter,
            ("toolsmith_records_waited_total", "toolsmith.records.waited"),
            "Calls that had to wait because the queue of records was full.",
            metrics.waited,
        ),
    ]
}

fn doors(gateway: &Gateway) -> Vec<Family> {
    let metrics = &gateway.0.metrics;
    let names = ("toolsmith_http_request_duration_seconds", "http.server.request.duration");
    let help = "How long requests took until their answers began.";
    let mut requests = Family::new(Form::Histogram, names, help);
    for answered in metrics.requests.read() {
        let status = if answered.status == 0 { OTHER.into() } else { answered.status.to_string() };
        let labels = [
            ("route", Text::from(answered.route)),
            ("method", Text::from(answered.method)),
            ("status", Text::from(status)),
        ];
        requests.push(&labels, Amount::Spread(Box::new(answered.durations)));
    }
    let one = |form, names, help, count| Family::new(form, names, help).with(&[], count);
    let mut families = vec![
        requests,
        one(
            Form::Gauge,
            ("toolsmith_connections_open", "toolsmith.connections.open"),
            "Connections that are open.",
            metrics.connections.load(Relaxed) as u64,
        ),
        one(
            Form::Counter,
            ("toolsmith_connections_total", "toolsmith.connections"),
            "Connections that were accepted.",
            metrics.accepted.load(Relaxed),
        ),
        one(
            Form::Gauge,
            ("toolsmith_mcp_sessions_open", "toolsmith.mcp.sessions.open"),
            "MCP sessions that are open.",
            gateway.0.mcp.open_sessions() as u64,
        ),
    ];
    if let Some(log) = &gateway.0.config.access_log {
        families.push(one(
            Form::Counter,
            ("toolsmith_access_log_dropped_total", "toolsmith.access_log.dropped"),
            "Lines of the access log that were dropped because the disk was too slow.",
            log.dropped(),
        ));
    }
    if let Some(telemetry) = &gateway.0.config.telemetry {
        families.push(one(
            Form::Counter,
            ("toolsmith_spans_dropped_total", "toolsmith.spans.dropped"),
            "Spans that were dropped because the collector was too slow or away.",
            telemetry.dropped(),
        ));
        families.push(one(
            Form::Counter,
            ("toolsmith_spans_sent_total", "toolsmith.spans.sent"),
            "Spans that the collector has taken.",
            telemetry.sent(),
        ));
    }
    families
}

fn states(gateway: &Gateway) -> [Family; 2] {
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for tool in gateway.0.engine.registry().find(&Filter::default()) {
        let state =
            if tool.spec.enabled { gateway.0.house.state(&tool.spec).as_str() } else { "disabled" };
        *counts.entry(state).or_default() += 1;
    }
    let names = ("toolsmith_tools", "toolsmith.tools");
    let mut tools = Family::new(Form::Gauge, names, "Tools by state.");
    for state in STATES.map(State::as_str).into_iter().chain(["disabled"]) {
        let count = counts.get(state).copied().unwrap_or_default();
        tools.push(&[("state", state.into())], Amount::Count(count));
    }
    let names = ("toolsmith_upstream_state", "toolsmith.upstream.state");
    let help = "The state of each MCP server whose tools are offered: 1 for the one it is in.";
    let mut upstreams = Family::new(Form::Gauge, names, help);
    for (name, state) in gateway.0.house.upstreams().into_iter().take(MOST_TOOLS) {
        let labels = [("upstream", name), ("state", state.as_str().into())];
        upstreams.push(&labels, Amount::Count(1));
    }
    [tools, upstreams]
}
