//! Who is at the other end of a connection.
//!
//! It is set once for a connection, around the task that answers its requests: a request costs
//! nothing more for it.

use std::net::IpAddr;

tokio::task_local! {
    static PEER: IpAddr;
}

/// Runs what a connection does, so that [`current`] knows its other end.
pub(crate) fn scope<F: Future>(peer: IpAddr, connection: F) -> impl Future<Output = F::Output> {
    PEER.scope(peer, connection)
}

/// Returns the address at the other end of the connection that is being answered.
pub(crate) fn current() -> Option<IpAddr> {
    PEER.try_with(|peer| *peer).ok()
}
