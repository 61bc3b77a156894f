//! How an engine is put together.

use std::sync::Arc;

use toolsmith_core::{
    Artifacts, Clock, EventKind, Executor, Ids, IntoTool, RandomIds, RecordSink, Redactor,
    SystemClock, Text, Tool, ToolError, Tracer, Work, json,
};

use crate::{
    breaker::Breakers,
    config::EngineConfig,
    engine::{Engine, OpenCalls, Parts, Running},
    events::Events,
    executors::{BlockingExecutor, Instances, StatefulExecutor},
    gates::Gates,
    interceptor::Interceptor,
    limiter::Limiter,
    rates::{Meter, RateBook},
    registry::{Change, Entry, OnClash, Registry},
    reuse::Keys,
    schema::Schema,
    shares::Shares,
    tally::Tally,
    threads::Threads,
};

/// Puts an engine together.
#[derive(Debug, Default)]
#[must_use]
pub struct Builder {
    config: EngineConfig,
    tools: Vec<Tool>,
    problems: Vec<ToolError>,
    sink: Option<Arc<dyn RecordSink>>,
    artifacts: Option<Arc<dyn Artifacts>>,
    interceptors: Vec<Arc<dyn Interceptor>>,
    clock: Option<Arc<dyn Clock>>,
    ids: Option<Arc<dyn Ids>>,
    redactor: Redactor,
    tracer: Option<Arc<dyn Tracer>>,
}

impl Builder {
    /// Adds a tool: a `#[tool]` function, or a [`Tool`] made by hand.
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        match tool.into_tool() {
            Ok(tool) => self.tools.push(tool),
            Err(error) => self.problems.push(error),
        }
        self
    }

    /// Adds many tools.
    pub fn tools(self, tools: impl IntoIterator<Item = impl IntoTool>) -> Self {
        tools.into_iter().fold(self, Self::tool)
    }

    /// Sets what can be set.
    pub fn with_config(mut self, config: EngineConfig) -> Self {
        self.config = config;
        self
    }

    /// Says where records go; without it none are kept.
    pub fn with_records(mut self, sink: Arc<dyn RecordSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Says where outputs go that are too large; without it they are cut.
    pub fn with_artifacts(mut self, artifacts: Arc<dyn Artifacts>) -> Self {
        self.artifacts = Some(artifacts);
        self
    }

    /// Adds rules of the application.
    pub fn with_interceptor(mut self, interceptor: Arc<dyn Interceptor>) -> Self {
        self.interceptors.push(interceptor);
        self
    }

    /// Says where the time comes from; for tests.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Says where identifiers come from; for tests.
    pub fn with_ids(mut self, ids: Arc<dyn Ids>) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Shares the knower of secrets with others that learn of them.
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Says who writes traces; without it none are written.
    pub fn with_tracer(mut self, tracer: Arc<dyn Tracer>) -> Self {
        self.tracer = Some(tracer);
        self
    }

    /// Makes the engine, or says what is wrong with its tools or settings.
    pub fn build(self) -> Result<Engine, ToolError> {
        if let Some(problem) = self.problems.into_iter().next() {
            return Err(problem);
        }
        self.config.limits.check()?;
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock));
        let events = Arc::new(Events::new(Arc::clone(&clock)));
        let limiter = Arc::new(Limiter::new(self.config.limits.clone()));
        let threads = threads(&self.config, &events);
        let instances = Instances::new(self.config.idle_instances);
        let registry = registry(&limiter, &threads, &instances, &events);
        let engine = Engine(Arc::new_cyclic(|me| Parts {
            registry,
            limiter,
            events,
            sink: self.sink,
            artifacts: self.artifacts,
            interceptors: self.interceptors,
            clock,
            ids: self.ids.unwrap_or_else(|| Arc::new(RandomIds)),
            redactor: self.redactor,
            tracer: self.tracer,
            tally: Tally::default(),
            approvals: crate::approvals::Approvals::default(),
            keys: Keys::new(self.config.idempotency_window, self.config.idempotency_keys),
            streaks: crate::streaks::Streaks::default(),
            gates: Gates::new(self.config.limits.queue_size),
            shares: Shares::new(&self.config.limits),
            meter: Meter::default(),
            caller_rates: RateBook::default(),
            threads,
            instances,
            uncounted: Running::default(),
            open: OpenCalls::new(me),
            checks: Threads::new(CHECKS, |_tool, _stuck| {}),
            held: crate::watch::Held::default(),
            config: self.config,
        }));
        engine.registry().register_many(self.tools, OnClash::Refuse)?;
        Ok(engine)
    }
}

/// How many schema checks that may take long run beside each other.
const CHECKS: usize = 4;

fn threads(config: &EngineConfig, events: &Arc<Events>) -> Threads {
    let events = Arc::clone(events);
    Threads::new(config.blocking_threads, move |tool, stuck| {
        tracing::warn!(tool.name = %tool, stuck, "a tool holds a thread after its caller has left");
        events.emit(EventKind::ThreadStuck, Some(tool), None, || json!({ "stuck_threads": stuck }));
    })
}

fn registry(
    limiter: &Arc<Limiter>,
    threads: &Threads,
    instances: &Instances,
    events: &Arc<Events>,
) -> Registry {
    let (limiter, threads) = (Arc::clone(limiter), threads.clone());
    let (instances, events) = (instances.clone(), Arc::clone(events));
    let breakers = Breakers::default();
    let lower = move |tool: Tool, namespace: Option<Text>| {
        let Tool { spec, work } = tool;
        let wrong = |error: ToolError| {
            let message = format!("`{}`: {}", spec.name, error.message());
            error.with_message(message)
        };
        Schema::inspect(&spec.input_schema).map_err(wrong)?;
        spec.output_schema.as_ref().map_or(Ok(()), Schema::inspect).map_err(wrong)?;
        let is_indirect = matches!(work, Work::Indirect);
        let executor = executor_of(work, &spec, &threads, &instances);
        let upstream = executor.as_ref().ok().and_then(|executor| executor.upstream());
        let breaker = upstream.map(|upstream| breakers.of(upstream));
        let bucket = limiter.bucket(&spec.category);
        let mut entry = Entry::new(spec, namespace, executor, bucket, breaker);
        entry.is_indirect = is_indirect;
        Ok(entry)
    };
    let on_change = move |change: &Change, parts: &[&'static str]| tell(&events, change, parts);
    Registry::new(Box::new(lower), Box::new(on_change))
}

/// Puts a tool's code where it runs; a missing one is remembered by the name of its handler.
fn executor_of(
    work: Work,
    spec: &toolsmith_core::ToolSpec,
    threads: &Threads,
    instances: &Instances,
) -> Result<Arc<dyn Executor>, String> {
    match work {
        Work::Async(executor) => Ok(executor),
        Work::Blocking(function) => Ok(Arc::new(BlockingExecutor::new(function, threads.clone()))),
        Work::Stateful(factory) => {
            let tool = spec.name.text().clone();
            Ok(Arc::new(StatefulExecutor::new(tool, factory, instances.clone())))
        }
        Work::Indirect => Err("the call does not name another tool".to_owned()),
        Work::Missing { handler } => Err(handler),
        _ => Err("unknown".to_owned()),
    }
}

fn tell(events: &Events, change: &Change, parts: &[&'static str]) {
    let (kind, name) = match change {
        Change::Added(name) => (EventKind::ToolAdded, name),
        Change::Updated(name) => (EventKind::ToolUpdated, name),
        Change::Removed(name) => (EventKind::ToolRemoved, name),
    };
    let told = || match kind {
        EventKind::ToolUpdated => json!({ "changed": parts }),
        _ => json!({}),
    };
    events.emit(kind, Some(name.text()), None, told);
}
