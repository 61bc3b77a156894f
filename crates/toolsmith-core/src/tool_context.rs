//! What a running tool can see and do besides its input.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use serde_json::Value;
use tokio::{
    sync::mpsc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

use crate::{
    Answer, Askable, Asker, Call, CallId, Caller, Context, LogLevel, Outcome, Parent, Question,
    Redactor, Text, ToolError, ToolSpec, ask,
};

/// What a running tool can see and do besides its input; cheap to clone.
///
/// A tool function asks for it by a parameter of type `&ToolContext` or `ToolContext`; models
/// never see that parameter.
#[derive(Clone)]
pub struct ToolContext(Arc<Inner>);

struct Inner {
    call_id: CallId,
    tool_name: Text,
    context: Context,
    deadline: Instant,
    depth: u32,
    cancel: OnceLock<CancellationToken>,
    stream: Option<StreamSink>,
    asker: Option<Arc<dyn Asker>>,
    /// How many questions nobody could be asked.
    unanswered: AtomicU32,
    caller: Arc<dyn Caller>,
}

impl ToolContext {
    /// Makes the context of one call; done by the engine, and by tests of tools.
    pub fn new(
        call_id: CallId,
        tool_name: Text,
        context: Context,
        deadline: Instant,
        caller: Arc<dyn Caller>,
    ) -> Self {
        Self(Arc::new(Inner {
            call_id,
            tool_name,
            context,
            deadline,
            depth: 0,
            cancel: OnceLock::new(),
            stream: None,
            asker: None,
            unanswered: AtomicU32::new(0),
            caller,
        }))
    }

    /// Lets a stream follow the call; without effect once the context is shared.
    #[must_use]
    pub fn with_stream(mut self, stream: Option<StreamSink>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.stream = stream;
        }
        self
    }

    /// Lets somebody answer questions; without effect once the context is shared.
    #[must_use]
    pub fn with_asker(mut self, asker: Option<Arc<dyn Asker>>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.asker = asker;
        }
        self
    }

    /// Says how many calls stand above this one; without effect once the context is shared.
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.depth = depth;
        }
        self
    }

    /// Fixes the tool and the deadline, once the engine knows them and before the tool runs.
    pub fn bind(&mut self, tool_name: Text, deadline: Instant) {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.tool_name = tool_name;
            inner.deadline = deadline;
        }
    }

    /// Returns the identifier of the call.
    pub fn call_id(&self) -> CallId {
        self.0.call_id
    }

    /// Returns the tool that runs.
    pub fn tool_name(&self) -> &Text {
        &self.0.tool_name
    }

    /// Returns who calls, and within which bounds.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the instant at which the call must be over.
    pub fn deadline(&self) -> Instant {
        self.0.deadline
    }

    /// Returns how much time is left.
    pub fn remaining(&self) -> Duration {
        self.0.deadline.saturating_duration_since(Instant::now())
    }

    /// Returns how many calls stand above this one.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Returns a token that is cancelled when the call ends early; for code that cannot be dropped.
    pub fn cancellation(&self) -> &CancellationToken {
        self.0.cancel.get_or_init(CancellationToken::new)
    }

    /// Tells whether the caller has gone; plain functions with long loops ask now and then.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancel.get().is_some_and(CancellationToken::is_cancelled)
            || Instant::now() >= self.0.deadline
    }

    /// Cancels the token, if anyone holds it.
    pub fn cancel(&self) {
        if let Some(token) = self.0.cancel.get() {
            token.cancel();
        }
    }

    /// Calls another tool through the same line: same caller, same rights, what is left of the time.
    pub async fn call(&self, tool: impl Into<String>, input: Value) -> Outcome {
        let mut context = self.0.context.clone();
        // The inner tool has a limit of its own, within what is left of the outer call's.
        context.timeout = None;
        context.idempotency_key = None;
        let mut call = Call::new(tool, input).with_context(context);
        let Inner { call_id, depth, deadline, .. } = *self.0;
        call.parent = Some(Parent { call_id, depth, deadline });
        // Code that cannot be dropped calls on after its caller has left; its calls must not.
        call.cancel = self.0.cancel.get().cloned();
        call.asker.clone_from(&self.0.asker);
        self.0.caller.call(call).await
    }

    /// Finds the tools that fit a question best, of those that the caller may see.
    pub fn search(&self, question: &str, limit: usize) -> Vec<ToolSpec> {
        self.0.caller.search(question, &self.0.context.rights, limit)
    }

    /// Returns what the caller can be asked.
    pub fn askable(&self) -> Askable {
        self.0.asker.as_ref().map(|asker| asker.askable()).unwrap_or_default()
    }

    /// Asks the caller something; declined where nobody can be asked.
    ///
    /// The answer comes from outside: whoever asks checks it. Time goes on while it is waited for.
    pub async fn ask(&self, question: Question) -> Answer {
        match &self.0.asker {
            Some(asker) => asker.ask(question).await,
            None => {
                self.note_unanswered();
                Answer::Decline
            }
        }
    }

    /// Lets the caller's model answer a conversation, as [`Asker::sample`] describes it.
    pub async fn sample(&self, request: Value) -> Result<Value, ToolError> {
        match &self.0.asker {
            Some(asker) => asker.sample(request).await,
            None => {
                self.note_unanswered();
                Err(ask::no_model())
            }
        }
    }

    /// Asks the caller something under a name, as [`Asker::ask_as`] describes it.
    pub async fn ask_as(&self, name: &str, question: Question) -> Answer {
        match &self.0.asker {
            Some(asker) => asker.ask_as(name, question).await,
            None => self.ask(question).await,
        }
    }

    /// Lets the caller's model answer under a name, as [`Asker::sample_as`] describes it.
    pub async fn sample_as(&self, name: &str, request: Value) -> Result<Value, ToolError> {
        match &self.0.asker {
            Some(asker) => asker.sample_as(name, request).await,
            None => self.sample(request).await,
        }
    }

    /// Asks for the folders that the caller works in, as [`Asker::roots_as`] describes it.
    pub async fn roots_as(&self, name: &str) -> Result<Value, ToolError> {
        match &self.0.asker {
            Some(asker) => asker.roots_as(name).await,
            None => {
                self.note_unanswered();
                Err(ask::no_roots())
            }
        }
    }

    /// Notes that something was asked which nobody could be asked; the outcome tells it.
    pub fn note_unanswered(&self) {
        self.0.unanswered.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many questions nobody could be asked.
    pub fn unanswered(&self) -> u32 {
        self.0.unanswered.load(Ordering::Relaxed)
    }

    /// Sends a piece of the output to whoever follows the call; waits while they are behind.
    pub async fn chunk(&self, chunk: impl Into<Value>) {
        if let Some(stream) = &self.0.stream {
            stream.chunk(chunk.into()).await;
        }
    }

    /// Tells how far the call is; lost when nobody follows or those who do are behind.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(stream) = &self.0.stream {
            stream.progress(done, total, &message.into());
        }
    }

    /// Returns from which level on somebody wants to hear messages; nothing when nobody does.
    pub fn log_level(&self) -> Option<LogLevel> {
        self.0.stream.as_ref().and_then(|stream| stream.level)
    }

    /// Tells whoever follows what happens; lost when they do not want it, or are behind.
    pub fn log(&self, level: LogLevel, logger: Option<String>, data: Value) {
        if let Some(stream) = &self.0.stream {
            stream.log(level, logger, data);
        }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.0.call_id)
            .field("tool_name", &self.0.tool_name)
            .finish_non_exhaustive()
    }
}

/// What a running call sends before its outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// A piece of the output.
    Chunk(Value),
    /// How far the call is.
    Progress {
        /// How much is done.
        done: f64,
        /// Out of how much, when known.
        total: Option<f64>,
        /// What is being done.
        message: String,
    },
    /// What happens, for who wants to know that.
    Log {
        /// How grave it is.
        level: LogLevel,
        /// Which part says it.
        logger: Option<String>,
        /// What it says.
        data: Value,
    },
}

/// Hears of every item of a stream, beside its follower.
type Observer = Arc<dyn Fn(&StreamItem) + Send + Sync>;

/// The sending end of a call's stream; secrets are taken out on the way.
#[derive(Clone, Default)]
pub struct StreamSink {
    sender: Option<mpsc::Sender<StreamItem>>,
    observer: Option<Observer>,
    redactor: Redactor,
    /// From which level on messages are wanted.
    level: Option<LogLevel>,
}

impl StreamSink {
    /// Connects a sink to the channel that its follower reads.
    pub fn new(sender: mpsc::Sender<StreamItem>) -> Self {
        Self { sender: Some(sender), ..Self::default() }
    }

    /// Lets messages through, from a level on.
    #[must_use]
    pub fn with_level(mut self, level: Option<LogLevel>) -> Self {
        self.level = level;
        self
    }

    /// Takes secrets out of what is sent.
    #[must_use]
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Lets somebody hear of every item besides the follower.
    #[must_use]
    pub fn with_observer(mut self, observe: impl Fn(&StreamItem) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observe));
        self
    }

    async fn chunk(&self, mut chunk: Value) {
        self.redactor.value(&mut chunk);
        let item = StreamItem::Chunk(chunk);
        self.observe(&item);
        if let Some(sender) = &self.sender {
            // A follower that has gone is no failure of the tool: its output goes to the record.
            sender.send(item).await.ok();
        }
    }

    fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let message = self.redactor.text(message).into_owned();
        let item = StreamItem::Progress { done, total, message };
        self.observe(&item);
        if let Some(sender) = &self.sender {
            sender.try_send(item).ok();
        }
    }

    fn log(&self, level: LogLevel, logger: Option<String>, mut data: Value) {
        let Some(sender) = self.sender.as_ref().filter(|_| self.level.is_some_and(|l| l <= level))
        else {
            return;
        };
        self.redactor.value(&mut data);
        let logger = logger.map(|logger| self.redactor.text(&logger).into_owned());
        sender.try_send(StreamItem::Log { level, logger, data }).ok();
    }

    fn observe(&self, item: &StreamItem) {
        if let Some(observe) = &self.observer {
            observe(item);
        }
    }
}

impl fmt::Debug for StreamSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamSink")
    }
}
