//! The engine: a cheap handle over everything that the line of a call needs.

use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use serde::Serialize;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{
    Artifacts, BoxFuture, Call, CallId, Caller, Clock, Context, ErrorKind, EventKind, Ids, Map,
    Origin, Outcome, RecordSink, Redactor, Rights, StreamItem, StreamSink, Text, Timestamp, Tool,
    ToolError, ToolRef, ToolSpec, Tracer, json,
};

use crate::{
    approvals::Approvals,
    builder::Builder,
    call,
    config::EngineConfig,
    events::{Events, Subscription},
    executors::{Ending, Instances},
    gates::Gates,
    interceptor::Interceptor,
    lanes::{Lane, Lanes},
    limiter::{BucketMetrics, Limiter, Metrics},
    rates::{Meter, RateBook, Usage},
    registry::{Filter, Registry},
    reuse::Keys,
    shares::Shares,
    streaks::Streaks,
    stream::CallStream,
    tally::{Tallied, Tally},
    threads::{ThreadMetrics, Threads},
    time::later,
    watch::Held,
};

/// Registers tools and runs every call through the one line; cheap to clone.
///
/// ```
/// use toolsmith_core::{Call, Parameter, Tool, ToolSpec, json};
/// use toolsmith_engine::Engine;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), toolsmith_core::ToolError> {
/// let spec = ToolSpec::new("double")?
///     .with_description("Doubles a number.")
///     .with_parameters(&[Parameter::integer("n").required()]);
/// let double = Tool::function(spec, |_cx, input| async move {
///     Ok(json!(input["n"].as_i64().unwrap_or_default() * 2))
/// });
/// let engine = Engine::builder().tool(double).build()?;
/// let outcome = engine.call(Call::new("double", json!({"n": 21}))).await;
/// assert_eq!(outcome.output(), &json!(42));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Engine(pub(crate) Arc<Parts>);

/// What the stages work with.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) config: EngineConfig,
    pub(crate) registry: Registry,
    pub(crate) limiter: Arc<Limiter>,
    pub(crate) events: Arc<Events>,
    pub(crate) sink: Option<Arc<dyn RecordSink>>,
    pub(crate) artifacts: Option<Arc<dyn Artifacts>>,
    pub(crate) interceptors: Vec<Arc<dyn Interceptor>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) redactor: Redactor,
    pub(crate) tracer: Option<Arc<dyn Tracer>>,
    pub(crate) tally: Tally,
    pub(crate) approvals: Approvals,
    pub(crate) keys: Keys,
    pub(crate) streaks: Streaks,
    pub(crate) gates: Gates,
    pub(crate) shares: Shares,
    pub(crate) meter: Meter,
    pub(crate) caller_rates: RateBook,
    pub(crate) threads: Threads,
    pub(crate) instances: Instances,
    pub(crate) uncounted: Running,
    pub(crate) open: OpenCalls,
    pub(crate) checks: Threads,
    pub(crate) held: Held,
}

/// What the engine is doing, in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct EngineMetrics {
    /// The slots.
    pub limits: Metrics,
    /// The slots of each limited category.
    pub buckets: std::collections::BTreeMap<String, BucketMetrics>,
    /// The threads for tools that block.
    pub threads: ThreadMetrics,
    /// Calls that run without a slot: nodes of workflows, and calls made by tools.
    pub uncounted: usize,
    /// Calls that wait for others of their conversation.
    pub waiting_in_conversations: usize,
    /// Objects of stateful tools.
    pub instances: usize,
    /// How often an async tool held its thread for too long.
    pub held_threads: u64,
    /// Calls between their first stage and their record.
    pub open_calls: usize,
    /// Events that subscribers were too slow to hear.
    pub missed_events: u64,
}

impl Engine {
    /// Begins an engine.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Calls a tool; dropping the future cancels the call.
    pub fn call(&self, call: Call) -> impl Future<Output = Outcome> + Send + '_ {
        // Handed out as it is: wrapped once more, the work would hold the call twice.
        call::call(&self.0, call)
    }

    /// Calls a tool and follows what it sends while it runs; dropping the stream cancels the call.
    pub fn stream(&self, call: Call) -> CallStream {
        CallStream::start(self.clone(), call)
    }

    /// Calls many tools at once; outcomes come in the order of the calls.
    ///
    /// A call whose tool depends on the tool of another call of the batch runs after it.
    pub async fn batch(&self, calls: Vec<Call>) -> Vec<Outcome> {
        crate::batch::run(self, calls).await
    }

    /// Returns the tools.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Registers a tool that must not be there yet.
    pub fn register(&self, tool: Tool) -> Result<(), ToolError> {
        self.0.registry.register(tool)
    }

    /// Subscribes to what happens from now on.
    pub fn subscribe(&self) -> Subscription {
        self.0.events.subscribe()
    }

    /// Tells subscribers of something that happened outside the line of a call.
    pub fn announce(&self, kind: EventKind, tool: Option<&Text>, mut data: toolsmith_core::Value) {
        self.0.events.emit(kind, tool, None, || {
            self.0.redactor.value(&mut data);
            data
        });
    }

    /// Returns what people are asked about.
    pub fn approvals(&self) -> &Approvals {
        &self.0.approvals
    }

    /// Tells whether something besides the tools themselves can ask for approval of a call.
    pub fn has_interceptors(&self) -> bool {
        !self.0.interceptors.is_empty()
    }

    /// Decides about a call that waits for approval; the decision is told to subscribers.
    pub fn decide(
        &self,
        id: CallId,
        decision: crate::approvals::Decision,
        by: &str,
    ) -> Result<(), ToolError> {
        let caller_id = self.0.approvals.decide(id, decision, by)?;
        let origin = Origin { caller_id, ..Origin::default() };
        let decision = format!("{decision:?}").to_lowercase();
        self.0.events.emit(
            EventKind::ApprovalDecided,
            None,
            Some((id, origin)),
            || json!({ "approval_id": id, "decision": decision, "by": by }),
        );
        Ok(())
    }

    /// Returns what time it is by the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Makes the identifier of a call that is about to be made; for doors that tell it at once.
    pub fn new_call_id(&self) -> CallId {
        self.0.ids.call_id(self.0.clock.now())
    }

    /// Returns the knower of secrets: what is added to it is taken out of everything.
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// Returns what a caller has used.
    pub fn usage(&self, caller: &str) -> Usage {
        self.0.meter.usage(caller)
    }

    /// Returns what the engine is doing.
    pub fn metrics(&self) -> EngineMetrics {
        EngineMetrics {
            limits: self.0.limiter.metrics(),
            buckets: self.0.limiter.bucket_metrics(),
            threads: self.0.threads.metrics(),
            uncounted: self.0.uncounted.count(),
            waiting_in_conversations: self.0.gates.waiting(),
            instances: self.0.instances.len(),
            held_threads: self.0.held.count(),
            open_calls: self.0.open.count(),
            missed_events: self.0.events.missed(),
        }
    }

    /// Returns how calls went since the start, by the door that they came through.
    pub fn tallied(&self) -> Vec<Tallied> {
        self.0.tally.read()
    }

    /// Returns who writes traces, when anybody does.
    pub fn tracer(&self) -> Option<&Arc<dyn Tracer>> {
        self.0.tracer.as_ref()
    }

    /// Closes the objects that stateful tools keep for a thread; for when the thread ends.
    pub async fn end_thread(&self, thread_id: &str) -> usize {
        self.0.instances.end(Ending::Thread(thread_id)).await
    }

    /// Closes the objects of one stateful tool.
    pub async fn end_instances(&self, tool: &str) -> usize {
        self.0.instances.end(Ending::Tool(tool)).await
    }

    /// Closes the objects that were not used for that long.
    pub async fn end_idle(&self, idle: Duration) -> usize {
        self.0.instances.end(Ending::IdleFor(idle)).await
    }

    /// Takes no more calls, waits for those under way within a limit, and closes objects.
    ///
    /// Returns how many calls were still under way when the limit had passed; they are cut off, and
    /// their records say so.
    pub async fn shutdown(&self, limit: Duration) -> usize {
        self.0.limiter.close();
        self.0.uncounted.close();
        let until = later(Instant::now(), limit);
        let drained = timeout_at(until, self.0.open.drained()).await;
        let left = if drained.is_ok() { 0 } else { self.0.open.cut_off().await };
        self.0.threads.close();
        self.0.checks.close();
        let ended = async {
            self.0.instances.end(Ending::All).await;
            self.0.instances.settle().await;
        };
        // Objects whose calls do not end are left to the end of the process.
        timeout_at(until.max(later(Instant::now(), LEAST_FOR_CLOSING)), ended).await.ok();
        left
    }
}

impl Parts {
    /// Counts a call that takes no slot.
    pub(crate) fn enter_uncounted(&self, newcomer: Newcomer) -> Result<Uncounted<'_>, ToolError> {
        self.uncounted.enter(newcomer)
    }

    /// Lets subscribers hear what a call sends while it runs; nothing when nobody would.
    pub(crate) fn stream_of(
        &self,
        stream: Option<StreamSink>,
        (call_id, context): (CallId, &Context),
        asked: &Text,
    ) -> Option<StreamSink> {
        if stream.is_none() && !self.events.is_heard() {
            return None;
        }
        let (events, tool) = (Arc::clone(&self.events), Text::new(ToolRef::split(asked).0));
        let origin = Origin::from(context);
        let observe = move |item: &StreamItem| {
            let (kind, data) = match item {
                StreamItem::Chunk(chunk) => (EventKind::OutputChunk, json!({ "chunk": chunk })),
                StreamItem::Progress { done, total, message } => (
                    EventKind::Progress,
                    json!({ "done": done, "total": total, "message": message }),
                ),
                // Messages are for who follows the call.
                StreamItem::Log { .. } => return,
            };
            events.emit(kind, Some(&tool), Some((call_id, origin.clone())), || data);
        };
        let stream = stream.unwrap_or_default().with_redactor(self.redactor.clone());
        Some(stream.with_observer(observe))
    }
}

/// How long objects have for closing when the calls have used up the limit, and calls that are cut
/// off for their records.
const LEAST_FOR_CLOSING: Duration = Duration::from_millis(500);

/// What every call takes and gives back, apart for each thread.
#[derive(Debug)]
pub(crate) struct OpenCalls(Lanes<Desk>);

#[derive(Debug)]
struct Desk {
    /// The calls between their first stage and their record.
    open: AtomicUsize,
    /// Ends the calls of this lane, wherever they are, when the engine does not wait any longer.
    cut_off: CancellationToken,
    caller: Arc<dyn Caller>,
}

impl OpenCalls {
    pub(crate) fn new(parts: &Weak<Parts>) -> Self {
        Self(Lanes::new(|| Desk {
            open: AtomicUsize::new(0),
            cut_off: CancellationToken::new(),
            caller: Arc::new(Reentry(Weak::clone(parts))),
        }))
    }

    /// Counts a call; returns where to count it out, and the engine as its tool sees it.
    pub(crate) fn enter(&self) -> (Lane, Arc<dyn Caller>) {
        let lane = Lane::here();
        let desk = self.0.at(lane);
        desk.open.fetch_add(1, SeqCst);
        (lane, Arc::clone(&desk.caller))
    }

    pub(crate) fn leave(&self, lane: Lane) {
        self.0.at(lane).open.fetch_sub(1, SeqCst);
    }

    /// Returns what ends the calls of a lane when the engine ends.
    pub(crate) fn end_of(&self, lane: Lane) -> &CancellationToken {
        &self.0.at(lane).cut_off
    }

    /// Ends the calls that are left, and returns how many those were.
    async fn cut_off(&self) -> usize {
        let left = self.count();
        self.0.iter().for_each(|desk| desk.cut_off.cancel());
        // A tool that holds its thread is not waited for.
        timeout_at(later(Instant::now(), LEAST_FOR_CLOSING), self.drained()).await.ok();
        left
    }

    fn count(&self) -> usize {
        self.0.iter().map(|desk| desk.open.load(SeqCst)).sum()
    }

    /// Waits until there is none. Calls end without telling, so that they need not.
    async fn drained(&self) {
        while self.count() > 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// The engine as its own tools see it: it does not keep the engine alive.
///
/// Alone in its cache lines: every call of its lane counts itself in and out of its handles.
#[repr(align(128))]
struct Reentry(Weak<Parts>);

impl Caller for Reentry {
    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        Box::pin(async move {
            match self.0.upgrade() {
                Some(parts) => call::call(&parts, call).await,
                None => gone(call),
            }
        })
    }

    fn search(&self, question: &str, rights: &Rights, limit: usize) -> Vec<ToolSpec> {
        let Some(parts) = self.0.upgrade() else { return Vec::new() };
        let hits = parts.registry.search(question, &Filter::visible_to(rights), limit);
        hits.iter().map(|hit| hit.tool.spec.clone()).collect()
    }
}

impl fmt::Debug for Reentry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reentry")
    }
}

/// What a thread that outlived its engine is told.
fn gone(call: Call) -> Outcome {
    let started_at = Timestamp::from_millis(0);
    Outcome {
        call_id: CallId::first_at(started_at),
        tool_name: call.tool.into(),
        version: None,
        result: Err(ToolError::new(ErrorKind::Rejected, "The engine has ended.")),
        started_at,
        duration: Duration::ZERO,
        metadata: Map::new(),
    }
}

/// Counts the calls that take no slot, and refuses new ones once the engine is closing.
#[derive(Debug, Default)]
pub(crate) struct Running {
    count: AtomicUsize,
    is_closed: AtomicBool,
}

/// Whether a call without a slot begins something new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Newcomer {
    /// It is part of a call under way, which an ending engine lets finish.
    Carried,
    /// It stands for itself.
    Free,
}

impl Running {
    fn enter(&self, newcomer: Newcomer) -> Result<Uncounted<'_>, ToolError> {
        if newcomer == Newcomer::Free && self.is_closed.load(SeqCst) {
            return Err(ToolError::closing());
        }
        self.count.fetch_add(1, SeqCst);
        Ok(Uncounted(self))
    }

    fn close(&self) {
        self.is_closed.store(true, SeqCst);
    }

    fn count(&self) -> usize {
        self.count.load(SeqCst)
    }
}

/// One call without a slot.
#[derive(Debug)]
pub(crate) struct Uncounted<'a>(&'a Running);

impl Drop for Uncounted<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, SeqCst);
    }
}
