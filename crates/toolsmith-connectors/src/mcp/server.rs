//! A server: started when it is needed, shared by all its calls, started again when it has ended.

use std::{
    fmt,
    sync::{Arc, OnceLock, Weak},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;
use toolsmith_core::{Timestamp, ToolError, json};

use super::{
    following,
    listing::{self, Listed},
    news::Heard,
    open::Opener,
    session::{Session, Unanswered},
    settings::{Link, ServerSettings},
    status::Status,
    stock::Stock,
    surroundings::Surroundings,
    vitals::Vitals,
    watching::Watching,
    words,
};
use crate::life::{Backoff, State};

/// How long after a list it is not read again, however often it changes.
const BREATH: Duration = Duration::from_millis(200);

/// Who hears what a server lists, and how it is.
pub(super) trait Audience: Send + Sync + fmt::Debug {
    /// Takes the whole list, each time that it was read.
    fn hear(self: Arc<Self>, server: &str, listed: Listed);

    /// Takes what it offers besides tools, each time that it was read, and what was said to be new.
    fn stock(&self, server: &str, stock: Stock, heard: &Heard);

    /// Returns what it offered besides tools before; nothing when nobody wants to know.
    fn stocked(&self, server: &str) -> Option<Stock>;

    /// Hears that a resource has changed which somebody follows.
    fn updated(&self);

    /// Returns why a tool must not be called: a person has to accept its definition first.
    fn refusal(&self, server: &str, tool: &str) -> Option<ToolError>;

    /// Takes how the server is, each time that its state is another.
    fn note(&self, status: &Status);
}

/// A server and its session, if it has one.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) settings: ServerSettings,
    pub(super) surroundings: Surroundings,
    /// The name under which its calls share a breaker.
    pub(super) upstream: String,
    /// The resources that somebody follows.
    pub(super) watching: Arc<Watching>,
    inner: Mutex<Inner>,
    audience: OnceLock<Weak<dyn Audience>>,
    /// The state that was told last; held while a state is told, so that they come in order.
    told: Mutex<State>,
}

#[derive(Debug, Default)]
struct Inner {
    phase: Phase,
    since: Option<Timestamp>,
    backoff: Backoff,
    tools: Option<usize>,
}

/// What comes of a start: a session for everybody who waits, or the reason why not.
type Outcome = Result<Arc<Session>, ToolError>;

#[derive(Debug, Default)]
enum Phase {
    #[default]
    Stopped,
    Starting {
        news: watch::Receiver<Option<Outcome>>,
        _task: AbortOnDropHandle<()>,
    },
    Running {
        session: Arc<Session>,
        started: Instant,
        /// Follows changes of its list.
        _follower: AbortOnDropHandle<()>,
    },
    Stopping {
        pid: Option<u32>,
    },
    Failed(ToolError),
}

/// What a caller finds.
enum Found {
    Session(Arc<Session>),
    Start(watch::Receiver<Option<Outcome>>),
    Refusal(ToolError),
}

impl Server {
    pub(super) fn new(settings: ServerSettings, surroundings: Surroundings) -> Arc<Self> {
        Arc::new(Self {
            upstream: format!("mcp:{}", settings.name),
            settings,
            surroundings,
            watching: Arc::default(),
            inner: Mutex::default(),
            audience: OnceLock::new(),
            told: Mutex::default(),
        })
    }

    /// Says who hears of the list; once.
    pub(super) fn set_audience(&self, audience: Weak<dyn Audience>) {
        // A second audience would be a second registry, which nobody makes.
        self.audience.set(audience).ok();
    }

    /// Returns the session; starts the server when there is none.
    pub(super) async fn session(self: &Arc<Self>) -> Result<Arc<Session>, ToolError> {
        let mut news = match self.find() {
            Found::Session(session) => return Ok(session),
            Found::Refusal(error) => return Err(error),
            Found::Start(news) => news,
        };
        self.tell_state();
        let told = news.wait_for(Option::is_some).await;
        let outcome = told.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| {
            let name = &self.settings.name;
            Err(ToolError::upstream(format!(
                "The start of the MCP server `{name}` was interrupted; try again."
            )))
        })
    }

    /// Refuses a tool whose definition a person has to accept first.
    pub(super) fn check_accepted(&self, tool: &str) -> Result<(), ToolError> {
        let refusal =
            self.audience().and_then(|audience| audience.refusal(&self.settings.name, tool));
        refusal.map_or(Ok(()), Err)
    }

    fn find(self: &Arc<Self>) -> Found {
        let mut inner = self.inner.lock();
        match &inner.phase {
            Phase::Running { session, .. } if session.is_open() => {
                return Found::Session(Arc::clone(session));
            }
            Phase::Starting { news, .. }
                if news.has_changed().is_ok() || news.borrow().is_some() =>
            {
                return Found::Start(news.clone());
            }
            Phase::Running { session, started, .. } => {
                let ran = started.elapsed();
                if session.has_ended() {
                    inner.backoff.note_failure(ran);
                }
            }
            _ => {}
        }
        if let Some(rest) = inner.backoff.rest() {
            return Found::Refusal(self.resting(&inner, rest));
        }
        let (tell, news) = watch::channel(None);
        let task = tokio::spawn(Arc::clone(self).start(tell));
        inner.phase = Phase::Starting { news: news.clone(), _task: AbortOnDropHandle::new(task) };
        inner.since = Some(self.surroundings.clock.now());
        Found::Start(news)
    }

    /// Says why the server is down and when it is tried again.
    fn resting(&self, inner: &Inner, rest: Duration) -> ToolError {
        let name = &self.settings.name;
        let why = match &inner.phase {
            Phase::Failed(error) => error.message().to_owned(),
            Phase::Running { session, .. } => match &*session.ended.borrow() {
                Some(end) => format!("The MCP server `{name}` {}.", end.describe()),
                None => format!("The MCP server `{name}` is down."),
            },
            _ => format!("The MCP server `{name}` is down."),
        };
        ToolError::upstream(format!(
            "{why} It failed several times in a row and is started again in {:.0} s.",
            rest.as_secs_f64().ceil()
        ))
        .with_details(json!({ "server": name }))
        .with_retry_after(rest)
    }

    async fn start(self: Arc<Self>, tell: watch::Sender<Option<Outcome>>) {
        let vitals = Arc::new(Vitals::default());
        let opener =
            Opener { settings: &self.settings, surroundings: &self.surroundings, vitals: &vitals };
        let limit = self.settings.start_timeout;
        let opened = timeout(limit, self.open(opener)).await;
        let outcome = opened.unwrap_or_else(|_| Err(words::too_slow(opener, limit)));
        if let Err(error) = &outcome {
            tracing::warn!(server = self.settings.name, "{error}");
        }
        let mut inner = self.inner.lock();
        inner.since = Some(self.surroundings.clock.now());
        // Dropping the phase of before ends this very task at its next pause; there is none.
        let before = std::mem::replace(&mut inner.phase, self.phase_of(&outcome));
        match &outcome {
            Ok(_) => {}
            Err(_) => inner.backoff.note_failure(Duration::ZERO),
        }
        drop(inner);
        self.tell_state();
        tell.send_replace(Some(outcome));
        drop(before);
    }

    fn phase_of(self: &Arc<Self>, outcome: &Outcome) -> Phase {
        match outcome {
            Ok(session) => {
                let watching = Arc::clone(&self.watching);
                let follower = follow(Arc::downgrade(self), Arc::clone(session), watching);
                Phase::Running {
                    session: Arc::clone(session),
                    started: Instant::now(),
                    _follower: AbortOnDropHandle::new(tokio::spawn(follower)),
                }
            }
            Err(error) => Phase::Failed(error.clone()),
        }
    }

    async fn open(&self, opener: Opener<'_>) -> Outcome {
        let session = Box::pin(opener.open()).await?;
        self.list(&session).await?;
        self.restock(&session, &Heard::default()).await;
        Ok(Arc::new(session))
    }

    /// Reads the list of tools and hands it to the audience.
    async fn list(&self, session: &Session) -> Result<(), ToolError> {
        let name = &self.settings.name;
        let has_tools = session.about().is_none_or(|about| about.capabilities.tools.is_some());
        let mut listed = if has_tools {
            match listing::list(&session.peer).await {
                Ok(listed) => listed,
                Err(error) => {
                    let why = Unanswered::Service(error);
                    let error = words::unanswered(name, session, why).await;
                    let message = format!("The tools cannot be listed. {}", error.message());
                    return Err(error.with_message(message));
                }
            }
        } else {
            let warnings = vec!["says that it has no tools".to_owned()];
            Listed { warnings, ..Listed::default() }
        };
        for warning in &listed.warnings {
            tracing::warn!("The MCP server `{name}` {warning}.");
        }
        if let Some(express) = &session.express {
            express.note(&listed.listing);
        }
        listed.listing.logs = session.may_remark();
        self.inner.lock().tools = Some(listed.listing.tools.len());
        if let Some(audience) = self.audience() {
            audience.hear(name, listed);
        }
        Ok(())
    }

    /// Reads what there is besides tools, if anybody wants to know.
    async fn restock(&self, session: &Session, heard: &Heard) {
        let name = &self.settings.name;
        let Some(audience) = self.audience() else { return };
        if let Some(before) = audience.stocked(name) {
            audience.stock(name, Stock::read(name, session, before).await, heard);
        }
    }

    /// Looks again at what a server says has changed.
    async fn look(&self, session: &Session, heard: Heard) {
        let is_meant = heard.updated.iter().filter(|uri| self.watching.note(uri)).count() > 0;
        if let Some(audience) = self.audience().filter(|_| is_meant) {
            audience.updated();
        }
        if heard.tools
            && let Err(error) = self.list(session).await
        {
            tracing::warn!(server = self.settings.name, "{error}");
        }
        if heard.resources || heard.prompts {
            self.restock(session, &heard).await;
        }
        if heard.tools || heard.resources || heard.prompts {
            sleep(BREATH).await;
        }
    }

    fn audience(&self) -> Option<Arc<dyn Audience>> {
        self.audience.get().and_then(Weak::upgrade)
    }

    /// Lets failures in a row be forgotten: a call went well.
    pub(super) fn note_success(&self) {
        self.inner.lock().backoff.forget();
        // Only who was in doubt has something to tell; states are told in turn.
        if self.told.try_lock().is_some_and(|told| *told == State::Unhealthy) {
            self.tell_state();
        }
    }

    /// Tells how the server is, when that is news.
    pub(super) fn tell_state(&self) {
        let mut told = self.told.lock();
        let mut status = self.status();
        if status.state == *told {
            return;
        }
        *told = status.state;
        let since = Some(self.surroundings.clock.now());
        self.inner.lock().since = since;
        status.since = since;
        if let Some(audience) = self.audience() {
            audience.note(&status);
        }
    }

    /// Lets the next session fetch another token.
    pub(super) fn renew_credentials(&self) {
        if let Link::Http(address) = &self.settings.link
            && let Some(credentials) = &address.credentials
        {
            credentials.renew();
        }
    }

    /// Tells whether a request may be made again in another session: it was not looked into.
    pub(super) fn may_heal(&self, session: &Session, failure: Option<&Unanswered>) -> bool {
        match failure {
            Some(Unanswered::Unsent) => true,
            Some(Unanswered::Service(error)) => {
                super::http::is_refused_unread(error) && {
                    session.retire();
                    self.renew_credentials();
                    true
                }
            }
            None => false,
        }
    }

    /// Returns how the server is.
    pub(super) fn status(&self) -> Status {
        let inner = self.inner.lock();
        let (state, why) = match &inner.phase {
            Phase::Stopped => (State::Stopped, None),
            Phase::Starting { .. } => (State::Starting, None),
            Phase::Stopping { .. } => (State::Stopping, None),
            Phase::Failed(error) => (State::Failed, Some(error.message().to_owned())),
            Phase::Running { session, .. } => match &*session.ended.borrow() {
                Some(end) => (State::Failed, Some(format!("it {}", end.describe()))),
                None if session.is_suspect() => {
                    (State::Unhealthy, Some("it left the last call without an answer".to_owned()))
                }
                None => (State::Running, None),
            },
        };
        let session = match &inner.phase {
            Phase::Running { session, .. } if state != State::Failed => Some(session),
            _ => None,
        };
        Status {
            name: self.settings.name.clone(),
            state,
            pid: match &inner.phase {
                Phase::Stopping { pid } => *pid,
                _ => session.and_then(|session| session.pid),
            },
            since: inner.since,
            why,
            protocol: session
                .and_then(|session| session.about())
                .map(|about| about.protocol_version.to_string()),
            tools: inner.tools,
        }
    }

    /// Stops the server; the next call starts it again.
    pub(super) async fn stop(&self) {
        let phase = {
            let mut inner = self.inner.lock();
            inner.since = Some(self.surroundings.clock.now());
            inner.backoff.forget();
            let pid = match &inner.phase {
                Phase::Running { session, .. } => session.pid,
                _ => None,
            };
            std::mem::replace(&mut inner.phase, Phase::Stopping { pid })
        };
        self.tell_state();
        match phase {
            Phase::Running { session, .. } => session.close().await,
            // A start under way ends with it.
            other => drop(other),
        }
        let mut inner = self.inner.lock();
        // A call may have started it again meanwhile.
        if matches!(inner.phase, Phase::Stopping { .. }) {
            inner.phase = Phase::Stopped;
        }
        drop(inner);
        self.tell_state();
    }
}

/// Looks again each time that the server says that something has changed.
async fn follow(server: Weak<Server>, session: Arc<Session>, watching: Arc<Watching>) {
    let listening = following::follow(&session, &watching);
    tokio::pin!(listening);
    loop {
        let heard = tokio::select! {
            () = &mut listening => {
                if let Some(server) = server.upgrade() {
                    server.tell_state();
                }
                return;
            }
            () = session.doubts.notified() => {
                let Some(server) = server.upgrade() else { return };
                server.tell_state();
                continue;
            }
            heard = session.news.next() => heard,
        };
        let Some(server) = server.upgrade() else { return };
        server.look(&session, heard).await;
    }
}
