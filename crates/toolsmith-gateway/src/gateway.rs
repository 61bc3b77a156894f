//! What the doors share.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolsmith_core::{CallerType, Context, Secret};
use toolsmith_engine::Engine;
use toolsmith_store::Store;

use crate::{
    AccessLog, Caretaker, Doorkeeper, Health, House, MetricsDoor, Telemetry, Tls, Tokens, Visitor,
    Webhooks, by_sight::BySight, counts::Counts, door::Guard, feed::Feed, http::Failure, mcp,
    metrics::Metrics, rush::Rush, telemetry, underway::Underway,
};

/// What the doors share: the engine, the program around it, and their limits; cheap to clone.
#[derive(Clone, Debug)]
pub struct Gateway(pub(crate) Arc<Parts>);

/// What the handlers work with.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) engine: Engine,
    pub(crate) house: Arc<dyn House>,
    pub(crate) door: Doorkeeper,
    /// What is remembered of those who were refused.
    pub(crate) guard: Guard,
    pub(crate) config: GatewayConfig,
    pub(crate) started: Instant,
    /// What the MCP door remembers.
    pub(crate) mcp: mcp::Memory,
    /// The records, when any are kept.
    store: OnceLock<Store>,
    /// Who is told of events elsewhere, when anybody is.
    webhooks: OnceLock<Webhooks>,
    pub(crate) counts: Counts,
    /// What tells whether somebody's tools have changed.
    pub(crate) marks: BySight<u64>,
    pub(crate) underway: Underway,
    pub(crate) feed: Feed,
    pub(crate) metrics: Metrics,
    /// What goes on without a connection.
    pub(crate) tasks: TaskTracker,
    /// Says that the doors are closing.
    pub(crate) closing: CancellationToken,
}

/// What can be set about the doors.
#[derive(Clone, Debug)]
pub struct GatewayConfig {
    /// The largest body that is read.
    pub max_body_bytes: usize,
    /// How long a request may take to arrive, its head and its body each.
    pub read_timeout: Duration,
    /// How many connections are held at once; more wait to be accepted.
    pub max_connections: usize,
    /// How long calls under way may take to end when the gateway ends.
    pub shutdown_timeout: Duration,
    /// Cancelled when an ending gateway must wait no longer for calls under way.
    pub hurry: CancellationToken,
    /// Gives memory back to the system that the allocator keeps; called when a rush is over.
    pub give_back: Option<fn()>,
    /// The folders that file tools may touch for callers of the doors.
    pub allowed_paths: Option<Arc<[PathBuf]>>,
    /// How many MCP sessions are held at once; one that nobody uses gives way.
    pub max_mcp_sessions: usize,
    /// How long an MCP session is held that nobody uses.
    pub mcp_session_timeout: Duration,
    /// How connections are secured, if they are.
    pub tls: Option<Tls>,
    /// How clients reach this server, where that is not the name that their requests use.
    pub public_url: Option<String>,
    /// How many calls of one caller with a key or token run at once, where that says nothing.
    pub calls_per_caller: Option<u32>,
    /// After how long a call becomes a task, for MCP clients that know tasks.
    pub task_after: Duration,
    /// From whom an approval can come in answer to a question over MCP.
    pub approve_by_elicitation: ByElicitation,
    /// Who may read `/metrics`.
    pub metrics: MetricsDoor,
    /// A key that opens `/metrics` and nothing else.
    pub metrics_key: Option<Secret>,
    /// How large answers are sent.
    pub answers: Answers,
    /// Where a line is written for each request.
    pub access_log: Option<AccessLog>,
    /// Where traces and metrics go.
    pub telemetry: Option<Telemetry>,
}

/// From whom an approval can come in answer to a question over MCP.
///
/// The answer comes over the connection of the caller itself, and nobody can see from here whether
/// a person gave it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByElicitation {
    /// From whoever started this program and speaks with it on its standard streams.
    #[default]
    Streams,
    /// From the person at any client.
    Always,
    /// From nobody: an administrator decides elsewhere.
    Never,
}

/// How large answers are sent to clients that take them packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// Packed by gzip.
    #[default]
    Packed,
    /// As they are.
    Plain,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        Self {
            max_body_bytes: 16 << 20,
            read_timeout: Duration::from_secs(30),
            max_connections: 16_384,
            shutdown_timeout: Duration::from_secs(30),
            hurry: CancellationToken::new(),
            give_back: None,
            allowed_paths: None,
            max_mcp_sessions: 10_000,
            mcp_session_timeout: Duration::from_mins(30),
            metrics: MetricsDoor::default(),
            metrics_key: None,
            answers: Answers::default(),
            access_log: None,
            telemetry: None,
            tls: None,
            public_url: None,
            calls_per_caller: None,
            task_after: Duration::from_secs(10),
            approve_by_elicitation: ByElicitation::default(),
        }
    }
}

impl GatewayConfig {
    /// Tells whether anybody wants to know of each request.
    pub(crate) fn is_watched(&self) -> bool {
        self.access_log.is_some() || self.telemetry.is_some()
    }
}

impl Gateway {
    /// Opens doors to an engine.
    pub fn new(
        engine: Engine,
        house: Arc<dyn House>,
        door: Doorkeeper,
        config: GatewayConfig,
    ) -> Self {
        let mcp = mcp::Memory::new(&config);
        Self(Arc::new(Parts {
            engine,
            house,
            door,
            guard: Guard::default(),
            config,
            started: Instant::now(),
            store: OnceLock::new(),
            webhooks: OnceLock::new(),
            counts: Counts::default(),
            marks: BySight::default(),
            underway: Underway::default(),
            feed: Feed::default(),
            metrics: Metrics::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            mcp,
        }))
    }

    /// Says where the records are; without it, addresses that read them say so.
    #[must_use]
    pub fn with_store(self, store: Store) -> Self {
        // There is one store for as long as there are doors: a second one is left out.
        self.0.store.set(store).ok();
        self
    }

    /// Says who is told of events elsewhere; how they are is a part of the health.
    #[must_use]
    pub fn with_webhooks(self, webhooks: Webhooks) -> Self {
        self.0.webhooks.set(webhooks).ok();
        self
    }

    /// Returns how the parts of the program are, by name.
    pub(crate) fn health(&self) -> BTreeMap<&'static str, Health> {
        let mut parts = self.0.house.health();
        let webhooks = self.0.webhooks.get().and_then(Webhooks::health);
        parts.extend(webhooks.map(|health| ("webhooks", health)));
        let issuers = self.0.door.tokens.as_ref().map(Tokens::health);
        parts.extend(issuers.map(|health| ("issuers", health)));
        parts
    }

    /// Takes no more calls, and waits for those under way for as long as may be; returns how many
    /// were cut off.
    pub(crate) async fn end_calls(&self) -> usize {
        let Parts { engine, config, .. } = &*self.0;
        tokio::select! {
            biased;
            left = engine.shutdown(config.shutdown_timeout) => left,
            () = config.hurry.cancelled() => engine.shutdown(Duration::ZERO).await,
        }
    }

    /// Gives memory back when a rush is over.
    pub(crate) fn relieve(&self, rush: &mut Rush, connections: usize) {
        let Some(give_back) = self.0.config.give_back else { return };
        let held = connections + self.0.mcp.open_sessions();
        if rush.is_over(held, self.0.metrics.requests.total()) {
            // It takes as long as there is memory to look through.
            self.0.tasks.spawn_blocking(give_back);
        }
    }

    /// Returns the records.
    pub(crate) fn store(&self) -> Result<&Store, Failure> {
        self.0.store.get().ok_or_else(Failure::no_records)
    }

    /// Returns who changes the tools.
    pub(crate) fn caretaker(&self) -> Result<&dyn Caretaker, Failure> {
        self.0.house.caretaker().ok_or_else(Failure::unchangeable)
    }

    /// Makes the context of a visitor's calls through a door.
    pub(crate) fn context(&self, visitor: &Visitor, door: CallerType) -> Context {
        let mut rights = visitor.rights.clone();
        if !visitor.is_keyless() {
            let at_once = &mut rights.allowance.concurrency;
            *at_once = at_once.or(self.0.config.calls_per_caller);
        }
        Context {
            caller_id: Some(visitor.id.clone()),
            caller_type: door,
            allowed_paths: self.0.config.allowed_paths.clone(),
            rights,
            trace: self.0.config.telemetry.as_ref().and_then(|_| telemetry::here()),
            ..Context::default()
        }
    }
}
