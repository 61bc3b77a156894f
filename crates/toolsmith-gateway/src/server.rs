//! Connections: accepted, bounded, and ended in order.

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use hyper::{
    server::conn::http1::{self, Parts},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, interval, sleep, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Gateway,
    heads::Heads,
    http::{Answering, Failure},
    peer,
    rush::Rush,
    transport::Transport,
    watched::Watched,
    wire::Wire,
};

/// How long to wait after an error that the next attempt would meet again.
const AFTER_AN_ERROR: Duration = Duration::from_millis(100);

/// How long clients have to take their last answers once every call has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// How often it is looked for what nobody came back to.
const SHORTEST_SWEEP: Duration = Duration::from_secs(1);
const LONGEST_SWEEP: Duration = Duration::from_mins(1);

/// The largest head of a request, in bytes.
///
/// Headers may be 100, which is hyper's own limit; said once more, it would cost every request the
/// clearing of room for them.
const MAX_HEAD: usize = 64 << 10;

/// How the doors were closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Calls that were still under way when their time was up.
    pub unfinished_calls: usize,
}

/// Answers requests until it is told to stop; then calls under way end within their limit.
///
/// Nothing new is accepted from that moment on: new connections are refused by the system, and
/// calls on old ones by the engine.
pub async fn serve(listener: TcpListener, gateway: Gateway, stop: CancellationToken) -> Ended {
    let config = &gateway.0.config;
    if let Some(telemetry) = &config.telemetry {
        telemetry.measure(&gateway.0);
    }
    let door = Arc::new(Door::new(&gateway, stop.clone()));
    let connections = TaskTracker::new();
    let mut sweeping = interval(config.mcp_session_timeout.clamp(SHORTEST_SWEEP, LONGEST_SWEEP));
    let room = Arc::new(Semaphore::new(config.max_connections));
    let mut rush = Rush::default();
    loop {
        let permit = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            permit = Arc::clone(&room).acquire_owned() => permit,
        };
        let Ok(permit) = permit else { break };
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let answering = Arc::clone(&door).answer(stream, peer, permit);
                    connections.spawn(peer::scope(peer.ip(), answering));
                    rush.note(connections.len());
                }
                Err(error) => rest_after(&error).await,
            },
            _ = sweeping.tick() => {
                gateway.0.mcp.sweep();
                gateway.0.guard.audit.sweep(&gateway.0.engine);
                gateway.relieve(&mut rush, connections.len());
            }
        }
    }
    drop(listener);
    gateway.0.closing.cancel();
    connections.close();
    gateway.0.mcp.end();
    let unfinished_calls = gateway.end_calls().await;
    gateway.0.tasks.close();
    let ended = async { tokio::join!(connections.wait(), gateway.0.tasks.wait()) };
    timeout_at(Instant::now() + LAST_ANSWERS, ended).await.ok();
    if let Some(telemetry) = &config.telemetry {
        telemetry.remember(&gateway.0);
    }
    Ended { unfinished_calls }
}

/// A client that left before it was accepted is no reason to wait; no files left is.
async fn rest_after(error: &io::Error) {
    let is_of_the_client = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    );
    if !is_of_the_client {
        tracing::warn!(%error, "a connection cannot be accepted");
        sleep(AFTER_AN_ERROR).await;
    }
}

/// What every connection needs.
struct Door {
    answering: Arc<Answering>,
    gateway: Gateway,
    protocol: http1::Builder,
    transport: Transport,
    stop: CancellationToken,
}

impl Door {
    fn new(gateway: &Gateway, stop: CancellationToken) -> Self {
        let mut protocol = http1::Builder::new();
        protocol
            .header_read_timeout(gateway.0.config.read_timeout)
            .max_buf_size(MAX_HEAD)
            .max_header_size(MAX_HEAD)
            // Head and body of an answer are small: one piece is sent faster than two.
            .writev(false);
        let transport = Transport::new(gateway.0.config.tls.clone());
        let answering = Arc::new(Answering::new(gateway.clone()));
        Self { answering, gateway: gateway.clone(), protocol, transport, stop }
    }

    /// Answers the requests of one connection.
    async fn answer(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        _permit: OwnedSemaphorePermit,
    ) {
        let _connected = self.gateway.0.metrics.connect();
        // Answers are small and whole: waiting for more to send with them only costs time.
        stream.set_nodelay(true).ok();
        let Some(stream) = self.transport.open(stream).await else { return };
        let io = TokioIo::new(Wire::new(stream));
        let watched = Watched::new(Arc::clone(&self.answering), self.gateway.clone(), peer);
        let service = service_fn(|request| watched.answer(request));
        let heads = Heads::new(self.gateway.0.config.read_timeout);
        let mut protocol = self.protocol.clone();
        protocol.timer(heads.clone());
        let mut connection = protocol.serve_connection(io, service);
        let mut stopped = pin!(self.stop.cancelled());
        let mut overdue = pin!(heads.overdue());
        let mut is_ending = false;
        let ended = loop {
            tokio::select! {
                biased;
                ended = &mut connection => break ended,
                // The connection looks once more, and ends when the head is still not there.
                () = &mut overdue => overdue.set(heads.overdue()),
                () = &mut stopped, if !is_ending => {
                    is_ending = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        };
        let Parts { io, read_buf, .. } = connection.into_parts();
        let mut wire = io.into_inner();
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke off");
            if let Some(failure) = refusal(&error, &read_buf).filter(|_| !wire.has_refused()) {
                wire.refuse(&failure).await;
            }
        }
        // Who waits for the end has nothing left to read.
        if !self.stop.is_cancelled() {
            wire.linger().await;
        }
    }
}

/// Returns what is wrong with a request that hyper gave up in silence.
///
/// A client that has sent nothing asked for nothing, and is not answered.
fn refusal(error: &hyper::Error, unread: &[u8]) -> Option<Failure> {
    if unread.is_empty() {
        return None;
    }
    if error.is_timeout() {
        return Some(Failure::head_too_slow());
    }
    (error.is_parse() || error.is_incomplete_message()).then(Failure::unreadable_head)
}
