//! Opens a session: starts or reaches the server, and agrees on a protocol.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64},
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{ClientConfig, ProtocolVersion},
    service::{
        ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle,
    },
    transport::IntoTransport,
};
use tokio::{
    sync::{Notify, mpsc, watch},
    task::JoinSet,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use toolsmith_children::Child;
use toolsmith_core::ToolError;

use super::{
    client::Client,
    express::{Express, Way, about_us},
    http::{self, HttpTransport},
    keeper::{Keeper, listen},
    news::News,
    outbox::Outbox,
    pipes::Pipes,
    posts::{Line, Posts},
    routes::Routes,
    session::Session,
    settings::{Address, Link, Program, ServerSettings},
    stdio,
    surroundings::Surroundings,
    vitals::Vitals,
    words,
};

/// What opens sessions with one server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opener<'a> {
    pub(super) settings: &'a ServerSettings,
    pub(super) surroundings: &'a Surroundings,
    /// Where the server's complaints go, also when the session does not come about.
    pub(super) vitals: &'a Arc<Vitals>,
}

type Service = RunningService<RoleClient, Client>;

impl Opener<'_> {
    /// Opens a session.
    pub(super) async fn open(self) -> Result<Session, ToolError> {
        match &self.settings.link {
            Link::Stdio(program) => self.open_program(program).await,
            Link::Http(address) => self.open_address(address).await,
        }
    }

    async fn open_address(self, address: &Address) -> Result<Session, ToolError> {
        let mut lifecycle = Lifecycle::Any;
        loop {
            let client = self.client();
            let transport = http::transport(self, address, &client.routes).await?;
            let ends = Ends::of(&client);
            let (served, link) = match transport {
                HttpTransport::Plain(transport, line) => {
                    (serve(client, transport, lifecycle).await, Linked::Far(Some(line)))
                }
                HttpTransport::Known(transport) => {
                    (serve(client, transport, lifecycle).await, Linked::Far(None))
                }
            };
            match served {
                Ok(service) => return Ok(self.session(service, link, ends)),
                Err(error) if lifecycle.is_misunderstood(&error) => lifecycle = Lifecycle::Old,
                Err(error) => return Err(http::not_opened(self, address, &error).await),
            }
        }
    }

    async fn open_program(self, program: &Program) -> Result<Session, ToolError> {
        let mut lifecycle = Lifecycle::Any;
        loop {
            match self.try_program(program, lifecycle).await? {
                Ok(session) => return Ok(session),
                Err(failed) => match lifecycle.after(&failed.error) {
                    Some(next) => {
                        drop(failed);
                        self.vitals.clear();
                        lifecycle = next;
                    }
                    None => return Err(failed.into_error(self).await),
                },
            }
        }
    }

    async fn try_program(
        self,
        program: &Program,
        lifecycle: Lifecycle,
    ) -> Result<Result<Session, Failed>, ToolError> {
        let ServerSettings { name, folder, .. } = self.settings;
        let mut child = stdio::start(name, program, folder, self.surroundings).await?;
        let client = self.client();
        let ends = Ends::of(&client);
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ToolError::upstream(format!("The MCP server `{name}` has no pipes.")));
        };
        let pipes = Pipes::new(stdin, stdout, Arc::clone(self.vitals));
        let outbox = pipes.outbox();
        // Somebody must listen to complaints while the handshake lasts.
        let mut listening = JoinSet::new();
        if let Some(stderr) = child.stderr.take() {
            listening.spawn(listen(stderr, Arc::clone(self.vitals)));
        }
        Ok(match serve(client, pipes, lifecycle).await {
            Ok(service) => {
                let started = Started { child, listening, outbox };
                Ok(self.session(service, Linked::Near(Box::new(started)), ends))
            }
            Err(error) => Err(Failed { error, child, listening }),
        })
    }

    fn client(self) -> Client {
        Client {
            settings: self.settings.clone(),
            sampling: self.surroundings.sampling(),
            routes: Arc::default(),
            news: Arc::default(),
        }
    }

    fn session(self, service: Service, linked: Linked, ends: Ends) -> Session {
        let (chores, to_do) = mpsc::unbounded_channel();
        let (tell_end, ended) = watch::channel(None);
        let stop = CancellationToken::new();
        let peer = service.peer().clone();
        let revision = peer.peer_info().map(|about| about.protocol_version.clone());
        let stands_alone = revision.as_ref().is_some_and(|revision| !revision.has_initialize());
        let (child, errands, way) = match linked {
            Linked::Near(started) => {
                let Started { child, listening, outbox } = *started;
                (Some(child), listening, Some(Way::Pipes(outbox)))
            }
            Linked::Far(line) => {
                let posts = line.zip(revision.as_ref());
                let posts = posts.and_then(|(line, rev)| Posts::new(*line, rev, chores.clone()));
                (None, JoinSet::new(), posts.map(|posts| Way::Http(Box::new(posts))))
            }
        };
        let about_us = revision.map(|revision| about_us(&revision, ends.us)).unwrap_or_default();
        let express = way.map(|way| Express::new(way, about_us));
        let pid = child.as_ref().map(Child::pid);
        let keeper = Keeper {
            service,
            child,
            errands,
            chores: to_do,
            stop: stop.clone(),
            vitals: Arc::clone(self.vitals),
            redactor: self.surroundings.vault.redactor().clone(),
            ended: tell_end,
        };
        Session {
            settings: Arc::new(self.settings.clone()),
            stands_alone,
            peer,
            express,
            routes: ends.routes,
            news: ends.news,
            vitals: Arc::clone(self.vitals),
            pid,
            doubts: Notify::new(),
            ended,
            chores,
            stop,
            given_up_at: AtomicU64::new(0),
            is_retired: AtomicBool::new(false),
            _keeper: AbortOnDropHandle::new(tokio::spawn(keeper.keep())),
        }
    }
}

/// What the session shares with our end of it.
struct Ends {
    us: ClientConfig,
    routes: Arc<Routes>,
    news: Arc<News>,
}

impl Ends {
    fn of(client: &Client) -> Self {
        Self {
            us: client.get_info(),
            routes: Arc::clone(&client.routes),
            news: Arc::clone(&client.news),
        }
    }
}

/// What a session goes over.
enum Linked {
    Near(Box<Started>),
    /// What calls need that are not left to the library.
    Far(Option<Box<Line>>),
}

/// A program with which a session came about.
struct Started {
    child: Child,
    listening: JoinSet<()>,
    outbox: Arc<Outbox>,
}

/// How a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifecycle {
    /// As the newest protocol wants it, or, when the server does not know that, in the old way.
    Any,
    /// In the old way only: by `initialize`.
    Old,
    /// In the new way only: by `server/discover`.
    New,
}

impl Lifecycle {
    fn mode(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::LATEST];
        match self {
            Self::Any => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
            Self::Old => ClientLifecycleMode::Initialize,
            Self::New => ClientLifecycleMode::Discover { preferred_versions },
        }
    }

    /// Tells whether an old server answered the greeting of a new one with something else.
    ///
    /// Some answer every question that they do not know with an empty result.
    fn is_misunderstood(self, error: &ClientInitializeError) -> bool {
        let is_other = matches!(
            error,
            ClientInitializeError::ExpectedInitResponse(_)
                | ClientInitializeError::ExpectedInitResult(_)
        );
        self == Self::Any && is_other
    }

    /// Returns how to try once more, after the first way has failed.
    ///
    /// Some old servers end when they are asked something before `initialize`. A new one that took
    /// long to start was asked both ways, and has refused the old one.
    fn after(self, error: &ClientInitializeError) -> Option<Self> {
        match (self, error) {
            (Self::Any, ClientInitializeError::ConnectionClosed(_)) => Some(Self::Old),
            _ if self.is_misunderstood(error) => Some(Self::Old),
            (Self::Any, ClientInitializeError::JsonRpcError(_)) => Some(Self::New),
            _ => None,
        }
    }
}

async fn serve<T, E, A>(
    client: Client,
    transport: T,
    lifecycle: Lifecycle,
) -> Result<Service, ClientInitializeError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    // The library's future is large.
    Box::pin(serve_client_with_lifecycle(client, transport, lifecycle.mode())).await
}

/// A program with which no session came about.
struct Failed {
    error: ClientInitializeError,
    child: Child,
    listening: JoinSet<()>,
}

impl Failed {
    async fn into_error(mut self, opener: Opener<'_>) -> ToolError {
        words::not_opened(opener, &self.error, &mut self.child, &mut self.listening).await
    }
}
