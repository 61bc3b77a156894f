//! The task beside a session: listens to complaints, tells the server whom nobody waits for, reads
//! streams out, and sees to the end.

use std::{
    future::{pending, ready},
    sync::Arc,
    time::Duration,
};

use futures_util::StreamExt;
use rmcp::{
    Peer, RoleClient,
    model::{CancelledNotificationParam, RequestId},
    service::RunningService,
};
use tokio::{
    io::AsyncReadExt,
    net::unix::pipe,
    sync::{mpsc, watch},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use toolsmith_children::{Child, Exit};
use toolsmith_core::Redactor;

use super::{client::Client, events::Events, vitals::Vitals};

/// How long a server has to end by itself when its input is closed.
const GRACE: Duration = Duration::from_millis(400);

/// How long the pipes of a server that has ended are listened to, when somebody else holds them.
const DRAIN: Duration = Duration::from_millis(250);

/// How much of the complaints stands in a message.
const IN_MESSAGE: usize = 1_000;

/// How long the rest of a stream is read after its answer has come.
const REST: Duration = Duration::from_millis(50);

/// What the task does beside calls.
pub(super) enum Chore {
    /// Tells the server that nobody waits for a request any more.
    Cancel(RequestId),
    /// Reads a stream to its end, so that its connection can be used again.
    ReadOut(Events),
}

/// How a session ended.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) exit: Option<Exit>,
    /// Why we ended it, if we did.
    pub(super) fault: Option<String>,
    /// The end of what the server complained about.
    pub(super) stderr: String,
}

impl End {
    /// Says how it ended: `ended with exit code 3: last words`.
    pub(super) fn describe(&self) -> String {
        let how = match (&self.fault, self.exit) {
            (Some(fault), _) => format!("was ended because {fault}"),
            (None, Some(exit)) => format!("ended with {exit}"),
            (None, None) => "closed the connection".to_owned(),
        };
        let start = self.stderr.len().saturating_sub(IN_MESSAGE);
        match self.stderr.get(self.stderr.ceil_char_boundary(start)..).unwrap_or_default().trim() {
            "" => how,
            said => format!("{how}: {said}"),
        }
    }
}

/// What the task keeps.
pub(super) struct Keeper {
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) child: Option<Child>,
    /// Listens to the child's complaints.
    pub(super) errands: JoinSet<()>,
    pub(super) chores: mpsc::UnboundedReceiver<Chore>,
    pub(super) stop: CancellationToken,
    pub(super) vitals: Arc<Vitals>,
    pub(super) redactor: Redactor,
    pub(super) ended: watch::Sender<Option<End>>,
}

impl Keeper {
    /// Stays with the session until it has ended.
    pub(super) async fn keep(mut self) {
        let peer = self.service.peer().clone();
        let stop_service = self.service.cancellation_token();
        let mut waiting = Box::pin(self.service.waiting());
        let mut exit = None;
        let mut is_over = false;
        loop {
            tokio::select! {
                _ = &mut waiting => {
                    is_over = true;
                    break;
                }
                code = exited(&mut self.child), if exit.is_none() => exit = Some(code),
                () = sleep(DRAIN), if exit.is_some() => break,
                () = self.stop.cancelled() => break,
                Some(chore) = self.chores.recv() => match chore {
                    Chore::Cancel(id) => {
                        self.errands.spawn(tell_cancelled(peer.clone(), id));
                    }
                    Chore::ReadOut(events) => {
                        self.errands.spawn(read_out(events));
                    }
                },
                Some(_) = self.errands.join_next() => {}
            }
        }
        // The library closes the server's input, which asks it to end.
        stop_service.cancel();
        if !is_over {
            timeout(GRACE, waiting).await.ok();
        }
        if exit.is_none() {
            exit = timeout(GRACE, exited(&mut self.child)).await.ok();
        }
        let heard = async { while self.errands.join_next().await.is_some() {} };
        timeout(DRAIN, heard).await.ok();
        let fault = self.vitals.fault();
        let stderr = self.redactor.text(&self.vitals.complaints()).into_owned();
        self.child = None;
        self.ended.send_replace(Some(End { exit, fault, stderr }));
    }
}

/// Waits for the end of a child; for ever when there is none.
async fn exited(child: &mut Option<Child>) -> Exit {
    match child {
        Some(child) => child.exited().await,
        None => pending().await,
    }
}

async fn tell_cancelled(peer: Peer<RoleClient>, id: RequestId) {
    let reason = Some("the caller does not wait any more".to_owned());
    let note = CancelledNotificationParam::new(Some(id), reason);
    // A server that is gone needs no telling.
    peer.notify_cancelled(note).await.ok();
}

async fn read_out(events: Events) {
    timeout(REST, events.for_each(|_| ready(()))).await.ok();
}

/// Keeps the end of what a server complains about.
pub(super) async fn listen(mut stderr: pipe::Receiver, vitals: Arc<Vitals>) {
    let mut piece = vec![0; 4 * 1024];
    while let Ok(count @ 1..) = stderr.read(&mut piece).await {
        let said = piece.get(..count).unwrap_or_default();
        vitals.note_complaints(said);
        tracing::trace!(said = %String::from_utf8_lossy(said), "an MCP server complains");
    }
}
