//! A service: started by the first call that needs it, and shared by all.

use std::{fmt, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{BoxFuture, Text, ToolError, Value};

use super::{
    Services, State, Status,
    backend::{Backend, End, Failure, Line, Source},
    backoff::Backoff,
    keeper,
    log::Log,
};

/// How long a failed call waits to hear that the service has ended.
const HEARSAY: Duration = Duration::from_millis(750);

/// How long a service lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// How long it may stand idle; for ever when nothing is said.
    pub(crate) idle: Option<Duration>,
    /// How long calls under way may take when it is stopped.
    pub(crate) drain: Duration,
}

/// The service of a tool; dropping it stops the service.
pub(crate) struct Service(Arc<Shared>);

/// What the handle, its calls and the task beside it share.
pub(super) struct Shared {
    pub(super) id: u64,
    pub(super) tool: Text,
    pub(super) backend: Box<dyn Backend>,
    pub(super) rules: Rules,
    pub(super) log: Arc<Log>,
    services: Services,
    inner: Mutex<Inner>,
    news: watch::Sender<()>,
    /// Told when a call was given up or failed on the way.
    pub(super) suspicion: Notify,
}

struct Inner {
    phase: Phase,
    status: Status,
    backoff: Backoff,
    /// Counts starts.
    run: u64,
    in_flight: usize,
    /// Those who call nothing and only keep it running.
    holders: usize,
    last_used: Instant,
    is_closed: bool,
}

enum Phase {
    Stopped,
    Starting(CancellationToken),
    Running(Arc<dyn Line>, CancellationToken),
    Stopping,
    Failed(ToolError),
}

/// What is told of a service besides its phase.
#[derive(Default)]
pub(super) struct Note {
    pub(super) state: State,
    pub(super) pid: Option<u32>,
    pub(super) port: Option<u16>,
    pub(super) why: Option<String>,
}

/// What a caller finds.
enum Found {
    Lease(Lease),
    Wait,
    Refusal(ToolError),
}

/// Whether a caller has waited for a start already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrival {
    Fresh,
    AfterWaiting,
}

impl Service {
    /// Prepares a service; nothing is started.
    pub(crate) fn new(
        services: &Services,
        tool: &Text,
        backend: Box<dyn Backend>,
        rules: Rules,
        log: Log,
    ) -> Self {
        let shared = services.register(|id| Shared {
            id,
            tool: tool.clone(),
            backend,
            rules,
            log: Arc::new(log),
            services: services.clone(),
            inner: Mutex::new(Inner::new(tool, services)),
            news: watch::Sender::new(()),
            suspicion: Notify::new(),
        });
        Self(shared)
    }

    async fn call(&self, input: Value) -> Result<Value, Failure> {
        let mut lease = self.0.lease().await.map_err(Failure::Unreached)?;
        let result = lease.line.call(input).await;
        lease.is_answered = matches!(result, Ok(_) | Err(Failure::Answered(_)));
        if lease.is_answered {
            self.0.inner.lock().backoff.forget();
            return result;
        }
        let run = lease.run;
        drop(lease);
        let Some(error) = self.0.end_of(run).await else { return result };
        Err(match result {
            Err(Failure::Unreached(_)) => Failure::Unreached(error),
            _ => Failure::Lost(error),
        })
    }
}

impl Source for Service {
    fn attempt(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>> {
        Box::pin(self.call(input))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.0.services.forget(self.0.id);
        self.0.close();
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Service").field(&self.0.tool).finish()
    }
}

impl Inner {
    fn new(tool: &Text, services: &Services) -> Self {
        let status = Status {
            tool_name: tool.clone(),
            state: State::Stopped,
            pid: None,
            port: None,
            since: services.now(),
            why: None,
        };
        let (phase, backoff) = (Phase::Stopped, Backoff::default());
        let last_used = Instant::now();
        let (in_flight, holders, is_closed) = (0, 0, false);
        Self { phase, status, backoff, run: 0, in_flight, holders, last_used, is_closed }
    }

    fn stop_token(&self) -> Option<&CancellationToken> {
        match &self.phase {
            Phase::Starting(stop) | Phase::Running(_, stop) => Some(stop),
            Phase::Stopped | Phase::Stopping | Phase::Failed(_) => None,
        }
    }
}

impl Shared {
    /// Returns the service when it runs; starts it when it does not, and waits.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<Lease, ToolError> {
        let mut news = self.news.subscribe();
        let mut arrival = Arrival::Fresh;
        loop {
            match self.find(arrival) {
                Found::Lease(lease) => return Ok(lease),
                Found::Refusal(error) => return Err(error),
                Found::Wait => arrival = Arrival::AfterWaiting,
            }
            // The sender lives as long as `self`.
            news.changed().await.ok();
        }
    }

    fn find(self: &Arc<Self>, arrival: Arrival) -> Found {
        let mut inner = self.inner.lock();
        match &inner.phase {
            Phase::Running(line, _) => {
                let (line, run) = (Arc::clone(line), inner.run);
                inner.in_flight += 1;
                let shared = Arc::clone(self);
                let purpose = Purpose::Call;
                return Found::Lease(Lease { shared, line, run, purpose, is_answered: false });
            }
            Phase::Starting(_) | Phase::Stopping => return Found::Wait,
            Phase::Failed(error) if arrival == Arrival::AfterWaiting => {
                return Found::Refusal(error.clone());
            }
            Phase::Failed(error) => {
                if let Some(rest) = inner.backoff.rest() {
                    return Found::Refusal(resting(error, inner.backoff.failures(), rest));
                }
            }
            Phase::Stopped => {}
        }
        if inner.is_closed || self.services.is_closed() {
            return Found::Refusal(self.closed());
        }
        let stop = CancellationToken::new();
        inner.run += 1;
        inner.phase = Phase::Starting(stop.clone());
        let status = self.note(&mut inner, Note { state: State::Starting, ..Note::default() });
        drop(inner);
        self.services.tell(&status);
        self.services.spawn(keeper::keep(Arc::clone(self), stop));
        Found::Wait
    }

    /// Enters the phase of a service that runs.
    pub(super) fn run(&self, line: Arc<dyn Line>, stop: CancellationToken, note: Note) {
        let mut inner = self.inner.lock();
        inner.phase = Phase::Running(line, stop);
        inner.last_used = Instant::now();
        self.publish(inner, note);
    }

    /// Tells whether the service answers as it should while it runs.
    pub(super) fn tell_health(&self, note: Note) {
        let inner = self.inner.lock();
        if inner.status.state != note.state {
            self.publish(inner, note);
        }
    }

    /// Enters the phase of a service that nobody must be given any more.
    pub(super) fn begin_stop(&self) {
        let mut inner = self.inner.lock();
        inner.phase = Phase::Stopping;
        let (pid, port) = (inner.status.pid, inner.status.port);
        self.publish(inner, Note { state: State::Stopping, pid, port, why: None });
    }

    /// Begins to stop unless somebody needs it, or has needed it within this time.
    pub(super) fn begin_stop_if_idle(&self, idle: Duration) -> bool {
        self.begin_stop_if(|inner| inner.holders == 0 && inner.last_used.elapsed() >= idle)
    }

    /// Begins to stop unless a call is under way.
    pub(super) fn begin_stop_if_unused(&self) -> bool {
        self.begin_stop_if(|_| true)
    }

    fn begin_stop_if(&self, condition: impl FnOnce(&Inner) -> bool) -> bool {
        {
            let mut inner = self.inner.lock();
            if inner.in_flight > 0 || !condition(&inner) {
                return false;
            }
            inner.phase = Phase::Stopping;
        }
        self.begin_stop();
        true
    }

    /// Enters the phase of a service that was stopped.
    pub(super) fn end(&self, why: Option<String>) {
        let mut inner = self.inner.lock();
        inner.phase = Phase::Stopped;
        self.publish(inner, Note { why, ..Note::default() });
    }

    /// Enters the phase of a service that ended or did not start.
    pub(super) fn fail(&self, error: ToolError, ran: Duration) {
        tracing::warn!(tool.name = %self.tool, "{error}");
        let mut inner = self.inner.lock();
        inner.backoff.note_failure(ran);
        let why = Some(error.message().to_owned());
        inner.phase = Phase::Failed(error);
        self.publish(inner, Note { state: State::Failed, why, ..Note::default() });
    }

    /// Says how a service ended that should have run on.
    pub(super) fn death(&self, end: &End) -> ToolError {
        let (noun, tool) = (self.backend.noun(), &self.tool);
        let message = format!("The {noun} of `{tool}` {}.", end.how);
        self.log.explain(message, end)
    }

    /// Returns when it will have been idle for too long.
    pub(super) fn idle_at(&self) -> Option<Instant> {
        let inner = self.inner.lock();
        let is_needed = inner.in_flight + inner.holders > 0;
        let since = if is_needed { Instant::now() } else { inner.last_used };
        Some(since + self.rules.idle?)
    }

    /// Waits until no call is under way, for as long as the rules allow.
    pub(super) async fn drain(&self) {
        let mut news = self.news.subscribe();
        let quiet = async {
            while self.inner.lock().in_flight > 0 {
                news.changed().await.ok();
            }
        };
        timeout(self.rules.drain, quiet).await.ok();
    }

    /// Stops it and waits until it has; the next call starts it again.
    pub(super) async fn stop(&self) {
        let mut news = self.news.subscribe();
        loop {
            {
                let mut inner = self.inner.lock();
                match (&inner.phase, inner.stop_token()) {
                    (_, Some(stop)) => stop.cancel(),
                    (Phase::Stopping, None) => {}
                    (_, None) => {
                        inner.backoff.forget();
                        return;
                    }
                }
            }
            news.changed().await.ok();
        }
    }

    /// Stops it for good, without waiting.
    pub(super) fn close(&self) {
        let mut inner = self.inner.lock();
        inner.is_closed = true;
        if let Some(stop) = inner.stop_token() {
            stop.cancel();
        }
    }

    pub(super) fn status(&self) -> Status {
        self.inner.lock().status.clone()
    }

    /// Returns why a run has ended, if it has; waits a little for the news.
    async fn end_of(&self, run: u64) -> Option<ToolError> {
        let mut news = self.news.subscribe();
        let ended = async {
            loop {
                {
                    let inner = self.inner.lock();
                    match &inner.phase {
                        Phase::Failed(error) if inner.run == run => return Some(error.clone()),
                        Phase::Running(..) | Phase::Stopping if inner.run == run => {}
                        _ => return None,
                    }
                }
                news.changed().await.ok();
            }
        };
        timeout(HEARSAY, ended).await.ok().flatten()
    }

    fn publish(&self, mut inner: parking_lot::MutexGuard<'_, Inner>, note: Note) {
        let status = self.note(&mut inner, note);
        drop(inner);
        self.news.send_replace(());
        self.services.tell(&status);
    }

    fn note(&self, inner: &mut Inner, note: Note) -> Status {
        let Note { state, pid, port, why } = note;
        let (tool_name, since) = (self.tool.clone(), self.services.now());
        inner.status = Status { tool_name, state, pid, port, since, why };
        inner.status.clone()
    }

    fn closed(&self) -> ToolError {
        let message = format!("`{}` is being stopped for good; nothing is started.", self.tool);
        ToolError::upstream(message)
    }
}

/// The right to call a service that runs.
pub(super) struct Lease {
    shared: Arc<Shared>,
    line: Arc<dyn Line>,
    run: u64,
    purpose: Purpose,
    is_answered: bool,
}

/// What a lease is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Call,
    Hold,
}

impl Lease {
    /// Returns the lease of somebody who calls nothing and only keeps it running.
    pub(super) fn into_hold(mut self) -> Self {
        let mut inner = self.shared.inner.lock();
        inner.in_flight = inner.in_flight.saturating_sub(1);
        inner.holders += 1;
        drop(inner);
        self.purpose = Purpose::Hold;
        self.is_answered = true;
        self
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        {
            let mut inner = self.shared.inner.lock();
            match self.purpose {
                Purpose::Call => inner.in_flight = inner.in_flight.saturating_sub(1),
                Purpose::Hold => inner.holders = inner.holders.saturating_sub(1),
            }
            inner.last_used = Instant::now();
        }
        self.shared.news.send_replace(());
        // A call that was given up, or whose answer never came: is the service still well?
        if !self.is_answered {
            self.shared.suspicion.notify_one();
        }
    }
}

/// Says why a service is down and when it is tried again.
fn resting(error: &ToolError, failures: u32, rest: Duration) -> ToolError {
    let message = format!(
        "{}\nIt failed {failures} times in a row and is started again in {:.0} s.",
        error.message(),
        rest.as_secs_f64().ceil()
    );
    error.clone().with_message(message).with_retry_after(rest)
}
