//! One session with a server: many calls at once, one end.

use std::{
    io,
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
        RequestId, ServerPeerInfo, ServerResult, SubscriptionFilter,
    },
    service::PeerRequestOptions,
};
use tokio::{
    sync::{Notify, mpsc, watch},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use toolsmith_core::ToolContext;

use super::{keeper::End, routes::Routes, vitals::Vitals};

/// How long after the end of a session it is waited for its reason.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long a server that left a call without an answer has to show that it lives.
const PULSE: Duration = Duration::from_secs(5);

/// A session that was opened.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) peer: Peer<RoleClient>,
    pub(super) routes: Arc<Routes>,
    pub(super) vitals: Arc<Vitals>,
    pub(super) pid: Option<u32>,
    /// Rung when the server says that its tools have changed.
    pub(super) changes: Arc<Notify>,
    /// Rung when a call was given up.
    pub(super) doubts: Notify,
    pub(super) ended: watch::Receiver<Option<End>>,
    /// Requests that nobody waits for any more.
    pub(super) cancels: mpsc::UnboundedSender<RequestId>,
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

impl Unanswered {
    /// A pipe that took nothing of a message has not sent it.
    fn of(error: ServiceError) -> Self {
        let is_unsent = match &error {
            ServiceError::TransportSend(error) => error.error.is::<io::Error>(),
            _ => false,
        };
        if is_unsent { Self::Unsent } else { Self::Service(error) }
    }
}

impl Session {
    /// Tells whether calls can be made.
    pub(super) fn is_open(&self) -> bool {
        !self.has_ended() && !self.is_retired.load(Ordering::Relaxed)
    }

    /// Tells whether the other end is gone.
    pub(super) fn has_ended(&self) -> bool {
        self.peer.is_transport_closed() || self.ended.borrow().is_some()
    }

    /// Lets the next call open another session; those under way go on.
    pub(super) fn retire(&self) {
        self.is_retired.store(true, Ordering::Relaxed);
    }

    /// Calls a tool; dropping the future tells the server that nobody waits.
    pub(super) async fn call(
        &self,
        cx: &ToolContext,
        params: CallToolRequestParams,
    ) -> Result<ServerResult, Unanswered> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        let sent = self.peer.send_request_with_option(request, options).await;
        let handle = match sent {
            Ok(handle) => handle,
            Err(ServiceError::TransportClosed) => return Err(Unanswered::Unsent),
            Err(error) => return Err(Unanswered::Service(error)),
        };
        self.routes.enter(&handle.progress_token, &handle.id, cx);
        let mut waiting = Waiting { session: self, id: Some(handle.id.clone()) };
        let token = handle.progress_token.clone();
        let _route = Route { routes: &self.routes, token };
        let answer = handle.await_response().await;
        waiting.id = None;
        if answer.is_ok() {
            self.vitals.note_message();
        }
        let answer = answer.map_err(Unanswered::of);
        if matches!(answer, Err(Unanswered::Unsent)) {
            // Nothing can be said to this server any more.
            self.retire();
            self.stop.cancel();
        }
        answer
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

    /// Rings when the list of tools changes; returns when the session has ended.
    ///
    /// Old servers tell by themselves, new ones want to be asked to.
    pub(super) async fn follow_changes(&self) {
        let filter = self.about().filter(|about| {
            let tools = about.capabilities.tools.as_ref();
            let tells = tools.is_some_and(|tools| tools.list_changed == Some(true));
            tells && !about.protocol_version.has_initialize()
        });
        if filter.is_some() {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            if let Ok(mut subscription) = self.peer.listen(filter).await {
                while let Ok(Some(_)) = subscription.next().await {
                    self.changes.notify_one();
                }
            }
        }
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
        let mut ended = self.ended.clone();
        ended.wait_for(Option::is_some).await.ok();
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
            // When the keeper is gone, so is the server.
            self.session.cancels.send(id).ok();
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
