//! What the handle of a service, its calls and the task beside it share, and how it changes.

use std::{sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Text, ToolError};

use super::{
    Rules, Services, State, Status,
    backend::{Backend, End, Line},
    backoff::Backoff,
    log::Log,
};

/// How long a failed call waits to hear that the service has ended.
const HEARSAY: Duration = Duration::from_secs(1);

/// How many callers in a row must have gone without an answer for others not to be waited for.
const HOPELESS: u32 = 3;

/// What the handle, its calls and the task beside it share.
pub(super) struct Shared {
    id: u64,
    pub(super) parts: Parts,
    pub(super) services: Services,
    pub(super) inner: Mutex<Inner>,
    /// Told at each change of the phase, and when a call has ended.
    pub(super) news: watch::Sender<()>,
    /// The last run that has ended: stopped or failed.
    ended: watch::Sender<u64>,
    /// Told when a call was given up or failed on the way.
    pub(super) suspicion: Notify,
}

/// What changes.
pub(super) struct Inner {
    pub(super) phase: Phase,
    pub(super) status: Status,
    pub(super) backoff: Backoff,
    /// Counts starts.
    pub(super) run: u64,
    pub(super) in_flight: usize,
    /// Those who call nothing and only keep it running.
    pub(super) holders: usize,
    pub(super) last_used: Instant,
    /// How many callers in a row have gone without an answer.
    pub(super) forsaken: u32,
    /// The last run that failed, and why.
    pub(super) failed: Option<(u64, ToolError)>,
    pub(super) is_closed: bool,
}

/// Where a service stands.
pub(super) enum Phase {
    Stopped,
    Starting(CancellationToken),
    Running(Arc<dyn Line>, CancellationToken),
    Stopping,
    Failed(ToolError),
}

/// What a service is made of.
pub(super) struct Parts {
    pub(super) tool: Text,
    /// The tools whose services must run before this one.
    pub(super) needs: Vec<Text>,
    pub(super) backend: Box<dyn Backend>,
    pub(super) rules: Rules,
    pub(super) log: Arc<Log>,
}

/// What is told of a service besides its phase.
#[derive(Default)]
pub(super) struct Note {
    pub(super) state: State,
    pub(super) pid: Option<u32>,
    pub(super) port: Option<u16>,
    pub(super) why: Option<String>,
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
        Self {
            phase,
            status,
            backoff,
            run: 0,
            in_flight: 0,
            holders: 0,
            last_used,
            forsaken: 0,
            failed: None,
            is_closed: false,
        }
    }

    fn stop_token(&self) -> Option<&CancellationToken> {
        match &self.phase {
            Phase::Starting(stop) | Phase::Running(_, stop) => Some(stop),
            Phase::Stopped | Phase::Stopping | Phase::Failed(_) => None,
        }
    }
}

impl Shared {
    pub(super) fn new(id: u64, parts: Parts, services: &Services) -> Self {
        Self {
            id,
            inner: Mutex::new(Inner::new(&parts.tool, services)),
            parts,
            services: services.clone(),
            news: watch::Sender::new(()),
            ended: watch::Sender::new(0),
            suspicion: Notify::new(),
        }
    }

    /// Enters the phase of a service that runs.
    pub(super) fn run(&self, line: Arc<dyn Line>, stop: CancellationToken, note: Note) {
        let mut inner = self.inner.lock();
        inner.phase = Phase::Running(line, stop);
        inner.last_used = Instant::now();
        inner.forsaken = 0;
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
        self.begin_stop_if(|inner| {
            inner.in_flight + inner.holders == 0 && inner.last_used.elapsed() >= idle
        })
    }

    /// Begins to stop what is ill, unless somebody may still get an answer.
    pub(super) fn begin_stop_if_useless(&self) -> bool {
        self.begin_stop_if(|inner| inner.in_flight == 0 || inner.forsaken >= HOPELESS)
    }

    fn begin_stop_if(&self, condition: impl FnOnce(&Inner) -> bool) -> bool {
        {
            let mut inner = self.inner.lock();
            if !condition(&inner) {
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
        self.ended.send_replace(inner.run);
        self.publish(inner, Note { why, ..Note::default() });
    }

    /// Enters the phase of a service that ended or did not start.
    pub(super) fn fail(&self, error: ToolError, ran: Duration) {
        let mut inner = self.inner.lock();
        // Whoever waits for a start or an answer is told the same, and tells it in its own way.
        let is_told = inner.in_flight > 0 || matches!(inner.phase, Phase::Starting(_));
        if is_told {
            tracing::debug!(tool.name = %self.parts.tool, "{error}");
        } else {
            tracing::warn!(tool.name = %self.parts.tool, "{error}");
        }
        inner.backoff.note_failure(ran);
        let why = Some(error.message().to_owned());
        inner.failed = Some((inner.run, error.clone()));
        inner.phase = Phase::Failed(error);
        self.ended.send_replace(inner.run);
        self.publish(inner, Note { state: State::Failed, why, ..Note::default() });
    }

    /// Says how a service ended that should have run on.
    pub(super) fn death(&self, end: &End) -> ToolError {
        let (noun, tool) = (self.parts.backend.noun(), &self.parts.tool);
        let message = format!("The {noun} of `{tool}` {}.", end.how);
        self.parts.log.explain(message, end)
    }

    /// Returns when it will have been idle for too long.
    pub(super) fn idle_at(&self) -> Option<Instant> {
        let inner = self.inner.lock();
        let is_needed = inner.in_flight + inner.holders > 0;
        let since = if is_needed { Instant::now() } else { inner.last_used };
        Some(since + self.parts.rules.idle?)
    }

    /// Waits until no call is under way, for as long as the rules allow.
    pub(super) async fn drain(&self) {
        let mut news = self.news.subscribe();
        let quiet = async {
            while self.inner.lock().in_flight > 0 {
                news.changed().await.ok();
            }
        };
        timeout(self.parts.rules.drain, quiet).await.ok();
    }

    /// Stops it and waits until it has; the next call starts it again.
    pub(super) async fn stop(&self) {
        let mut news = self.news.subscribe();
        let run = self.inner.lock().run;
        loop {
            {
                let mut inner = self.inner.lock();
                // One that was started meanwhile is that of a later call.
                if inner.run != run {
                    return;
                }
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

    /// Lets failures in a row be forgotten: it has answered.
    pub(super) fn note_answer(&self) {
        let mut inner = self.inner.lock();
        inner.backoff.forget();
        inner.forsaken = 0;
    }

    /// Stops it for good because its tool is gone.
    pub(super) fn leave(&self) {
        self.services.forget(self.id);
        self.close();
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

    /// Waits until a run has ended, and a little longer, for an answer that is on its way.
    pub(super) async fn outlive(&self, run: u64) {
        // The sender lives as long as `self`.
        self.ended.subscribe().wait_for(|ended| *ended >= run).await.ok();
        sleep(HEARSAY).await;
    }

    /// Returns why a run has ended, if it has; waits a little for the news.
    pub(super) async fn end_of(&self, run: u64) -> Option<ToolError> {
        let mut ended = self.ended.subscribe();
        let over = ended.wait_for(|ended| *ended >= run);
        timeout(HEARSAY, over).await.ok()?.ok()?;
        let inner = self.inner.lock();
        match &inner.failed {
            Some((failed, error)) if *failed == run => Some(error.clone()),
            _ => Some(self.stopped("before it answered; the call may have run")),
        }
    }

    /// Says that somebody stopped it at a wrong time for a caller.
    pub(super) fn stopped(&self, when: &str) -> ToolError {
        let (noun, tool) = (self.parts.backend.noun(), &self.parts.tool);
        ToolError::upstream(format!("The {noun} of `{tool}` was stopped {when}. Try again later."))
    }

    fn publish(&self, mut inner: MutexGuard<'_, Inner>, note: Note) {
        let status = self.note(&mut inner, note);
        drop(inner);
        self.news.send_replace(());
        self.services.tell(&status);
    }

    pub(super) fn note(&self, inner: &mut Inner, note: Note) -> Status {
        let Note { state, pid, port, why } = note;
        let (tool_name, since) = (self.parts.tool.clone(), self.services.now());
        inner.status = Status { tool_name, state, pid, port, since, why };
        inner.status.clone()
    }
}
