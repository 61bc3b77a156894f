//! One session with a server: many calls at once, one end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, PingRequest, ProgressToken,
        RequestId, RequestMetaObject, ServerPeerInfo, ServerResult,
    },
    service::PeerRequestOptions,
};
use tokio::{
    sync::{Notify, mpsc, watch},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use toolsmith_core::{ToolContext, TraceContext};

use super::{
    behalf::Behalf,
    express::{Express, Way},
    keeper::{Chore, End},
    news::News,
    routes::Routes,
    settings::ServerSettings,
    vitals::Vitals,
};

/// How long after the end of a session it is waited for its reason.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long a server that left a call without an answer has to show that it lives.
const PULSE: Duration = Duration::from_secs(5);

/// A session that was opened.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) settings: Arc<ServerSettings>,
    /// Whether requests stand for themselves: nothing was agreed on for all of them.
    pub(super) stands_alone: bool,
    pub(super) peer: Peer<RoleClient>,
    /// The way of calls; nothing when all of them stay with the library.
    pub(super) express: Option<Express>,
    pub(super) routes: Arc<Routes>,
    pub(super) vitals: Arc<Vitals>,
    pub(super) pid: Option<u32>,
    /// What the server says has changed.
    pub(super) news: Arc<News>,
    /// Rung when a call was given up.
    pub(super) doubts: Notify,
    pub(super) ended: watch::Receiver<Option<End>>,
    /// What the keeper is to do beside calls.
    pub(super) chores: mpsc::UnboundedSender<Chore>,
    pub(super) stop: CancellationToken,
    /// How many messages had come when a call was given up; one more than that, or 0.
    pub(super) given_up_at: AtomicU64,
    /// Whether the next call shall open another one.
    pub(super) is_retired: AtomicBool,
    pub(super) _keeper: AbortOnDropHandle<()>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// It was never sent, so it may be sent again.
    Unsent,
    /// The library's reason.
    Service(ServiceError),
}

impl Session {
    /// Tells whether calls can be made.
    pub(super) fn is_open(&self) -> bool {
        !self.has_ended() && !self.is_retired.load(Ordering::Relaxed)
    }

    /// Tells whether the other end is gone.
    pub(super) fn has_ended(&self) -> bool {
        self.peer.is_transport_closed()
            || self.express.as_ref().is_some_and(Express::is_over)
            || self.ended.borrow().is_some()
    }

    /// Lets the next call open another session; those under way go on.
    pub(super) fn retire(&self) {
        self.is_retired.store(true, Ordering::Relaxed);
    }

    /// Calls a tool; dropping the future tells the server that nobody waits.
    pub(super) async fn call(
        &self,
        cx: &ToolContext,
        params: &CallToolRequestParams,
    ) -> Result<ServerResult, Unanswered> {
        match &self.express {
            Some(express) if express.takes(&params.name) => {
                self.call_express(express, cx, params).await
            }
            _ => {
                let request = CallToolRequest::new(params.clone());
                Box::pin(self.ask(cx, ClientRequest::CallToolRequest(request))).await
            }
        }
    }

    async fn call_express(
        &self,
        express: &Express,
        cx: &ToolContext,
        params: &CallToolRequestParams,
    ) -> Result<ServerResult, Unanswered> {
        let number = express.number();
        let id = RequestId::Number(number);
        // The route is left first, so that whoever hears of a call given up does not find it there.
        let mut waiting = Waiting { session: self, id: None };
        let _route = self.route(ProgressToken(id.clone()), &id, cx);
        let behalf = self.behalf(cx);
        let request = || express.request(number, params, behalf.as_ref(), cx.context().trace);
        let answer = match &express.way {
            Way::Pipes(outbox) => {
                let Ok(answer) = outbox.ask(number, &request()) else {
                    // Nothing can be said to this server any more.
                    self.retire();
                    self.stop.cancel();
                    return Err(Unanswered::Unsent);
                };
                waiting.id = Some(id);
                let answer = answer.await.map_err(|_| ServiceError::TransportClosed);
                let answer = answer.and_then(|answer| answer.map_err(ServiceError::McpError));
                answer.map_err(Unanswered::Service)
            }
            Way::Http(posts) => {
                let Ok(body) = serde_json::to_vec(&request()) else {
                    return Err(Unanswered::Service(ServiceError::UnexpectedResponse));
                };
                waiting.id = Some(id);
                // Beside a message over HTTP a box costs nothing, and calls on pipes have smaller
                // futures.
                let answer = Box::pin(posts.call(number, &params.name, body)).await;
                if answer.is_ok() {
                    self.vitals.note_message();
                }
                answer
            }
        };
        waiting.id = None;
        answer
    }

    /// Asks for something on behalf of a caller; dropping the future tells the server that nobody
    /// waits.
    pub(super) async fn ask(
        &self,
        cx: &ToolContext,
        request: ClientRequest,
    ) -> Result<ServerResult, Unanswered> {
        let mut meta = self.behalf(cx).map(Behalf::into_meta);
        if let Some(trace) = cx.context().trace {
            tell(meta.get_or_insert_default(), trace);
        }
        let mut options = PeerRequestOptions::no_options();
        options.meta = meta;
        let sent = self.peer.send_request_with_option(request, options).await;
        let mut handle = match sent {
            Ok(handle) => handle,
            Err(ServiceError::TransportClosed) => return Err(Unanswered::Unsent),
            Err(error) => return Err(Unanswered::Service(error)),
        };
        let mut waiting = Waiting { session: self, id: Some(handle.id.clone()) };
        let _route = self.route(handle.progress_token.clone(), &handle.id, cx);
        // The library's own wait looks after timeouts and subscriptions, and a call has neither.
        let answer = (&mut handle.rx).await.unwrap_or(Err(ServiceError::TransportClosed));
        waiting.id = None;
        if answer.is_ok() {
            self.vitals.note_message();
        }
        answer.map_err(Unanswered::Service)
    }

    /// Returns what a request says of its caller, where requests stand for themselves.
    fn behalf(&self, cx: &ToolContext) -> Option<Behalf> {
        self.stands_alone.then(|| Behalf::of(cx, &self.settings))
    }

    fn route(&self, token: ProgressToken, id: &RequestId, cx: &ToolContext) -> Route<'_> {
        self.routes.enter(&token, id, cx);
        Route { routes: &self.routes, token }
    }

    /// Tells whether a call was given up and nothing was heard since.
    pub(super) fn is_suspect(&self) -> bool {
        let given_up_at = self.given_up_at.load(Ordering::Relaxed);
        given_up_at > self.vitals.messages()
    }

    /// Makes sure that a server which left a call without an answer still lives.
    ///
    /// One that is busy with other calls is left to them.
    pub(super) async fn check_pulse(&self) {
        if !self.is_suspect() || !self.routes.is_empty() {
            return;
        }
        let answer = timeout(PULSE, self.ask_for_pulse()).await;
        if answer.is_err() {
            self.vitals.blame("it does not answer any more");
            self.stop.cancel();
            self.retire();
            self.end().await;
        }
    }

    async fn ask_for_pulse(&self) {
        let is_old = self.about().is_none_or(|about| about.protocol_version.has_initialize());
        // Whatever it answers, a refusal too, it lives.
        if is_old {
            let ping = ClientRequest::PingRequest(PingRequest::default());
            self.peer.send_request(ping).await.ok();
        } else {
            self.peer.list_tools(None).await.ok();
        }
        self.vitals.note_message();
    }

    /// Tells whether the server may say something while it works.
    ///
    /// Where requests stand for themselves, each one says what is wanted.
    pub(super) fn may_remark(&self) -> bool {
        let has_logs = |about: Arc<ServerPeerInfo>| about.capabilities.logging.is_some();
        self.stands_alone || self.about().is_some_and(has_logs)
    }

    /// Returns when the session has ended.
    pub(super) async fn is_over(&self) {
        let mut ended = self.ended.clone();
        ended.wait_for(Option::is_some).await.ok();
    }

    /// Returns how the session ended; nothing when it has not, or nobody knows.
    pub(super) async fn end(&self) -> Option<End> {
        let mut ended = self.ended.clone();
        let seen = timeout(LAST_WORDS, ended.wait_for(Option::is_some)).await;
        seen.ok()?.ok().and_then(|end| end.clone())
    }

    /// Returns what the server said about itself.
    pub(super) fn about(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// Ends the session and waits until the server is gone.
    pub(super) async fn close(&self) {
        self.stop.cancel();
        self.is_over().await;
    }
}

/// A request that is waited for.
struct Waiting<'a> {
    session: &'a Session,
    id: Option<RequestId>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            let heard = self.session.vitals.messages();
            self.session.given_up_at.store(heard + 1, Ordering::Relaxed);
            self.session.doubts.notify_one();
            if let Some(express) = &self.session.express {
                express.forget(&id);
            }
            // When the keeper is gone, so is the server.
            self.session.chores.send(Chore::Cancel(id)).ok();
        }
    }
}

/// The entry of a call for its progress.
struct Route<'a> {
    routes: &'a Routes,
    token: ProgressToken,
}

impl Drop for Route<'_> {
    fn drop(&mut self) {
        self.routes.leave(&self.token);
    }
}

/// Tells a server where in a trace a request stands.
fn tell(meta: &mut RequestMetaObject, trace: TraceContext) {
    meta.0.0.insert("traceparent".to_owned(), trace.to_string().into());
}
