//! The way into a sandbox that has a network of its own: sockets that the child made there for us.
//!
//! A socket belongs to the network in which it was made, whoever holds it. The child makes some
//! before its program begins; each carries one connection after the other to the ports inside.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpStream as PlainStream},
    os::fd::OwnedFd,
    path::Path,
    pin::pin,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use rustix::{io::ioctl_fionbio, net::connect_unspec};
use tokio::{
    io::{AsyncWriteExt, copy, sink},
    net::{TcpSocket, TcpStream, UnixListener, UnixStream},
    sync::{Semaphore, SemaphorePermit},
    task::{JoinHandle, JoinSet},
    time::timeout,
};

/// How long the other side may take to close a connection that we have closed.
const FAREWELL: Duration = Duration::from_secs(1);

/// Ways into the network of a confined child, each good for one connection at a time.
#[derive(Clone, Debug)]
pub struct Doors(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    sockets: Mutex<Vec<OwnedFd>>,
    free: Semaphore,
}

impl Doors {
    /// Takes sockets that were made inside and are not connected; nothing when there are none.
    pub(crate) fn new(sockets: Vec<OwnedFd>) -> Option<Self> {
        let free = Semaphore::new(sockets.len());
        let is_there = free.available_permits() > 0;
        let shared = Shared { sockets: Mutex::new(sockets), free };
        is_there.then(|| Self(Arc::new(shared)))
    }

    /// Asks whether something accepts connections at a port inside.
    pub async fn knock(&self, port: u16) -> io::Result<()> {
        let mut passage = self.pass(port).await?;
        if let Some(stream) = &mut passage.stream {
            // Who is left politely has nothing to complain about in its log.
            stream.shutdown().await.ok();
            timeout(FAREWELL, copy(stream, &mut sink())).await.ok();
        }
        Ok(())
    }

    /// Lets whoever connects to a socket of ours reach a port inside, until the result is dropped.
    pub fn serve(&self, port: u16, at: &Path) -> io::Result<Entrance> {
        let listener = UnixListener::bind(at)?;
        Ok(Entrance(tokio::spawn(accept(listener, self.clone(), port))))
    }

    /// Connects to a port inside; waits when all ways are in use.
    async fn pass(&self, port: u16) -> io::Result<Passage<'_>> {
        let shared = &*self.0;
        let permit = shared.free.acquire().await.map_err(io::Error::other)?;
        let socket = shared.sockets.lock().pop().ok_or(io::ErrorKind::NotConnected)?;
        // Whatever happens from here on, the way is given back.
        let spare = socket.try_clone()?;
        let mut passage = Passage { shared, spare: Some(spare), stream: None, _permit: permit };
        ioctl_fionbio(&socket, true)?;
        let socket = TcpSocket::from_std_stream(PlainStream::from(socket));
        let stream = socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        stream.set_nodelay(true)?;
        passage.stream = Some(stream);
        Ok(passage)
    }
}

/// A connection to a port inside; the way is free again when it is dropped.
struct Passage<'a> {
    shared: &'a Shared,
    /// A second handle of the socket, which outlives the connection.
    spare: Option<OwnedFd>,
    stream: Option<TcpStream>,
    _permit: SemaphorePermit<'a>,
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        self.stream = None;
        let Some(socket) = self.spare.take() else { return };
        // Takes the socket back to where it was before it was connected; it may fail to connect
        // again, which is then told to whoever tries.
        connect_unspec(&socket).ok();
        self.shared.sockets.lock().push(socket);
    }
}

/// Serves a socket of ours; dropping it closes every connection.
#[derive(Debug)]
pub struct Entrance(JoinHandle<()>);

impl Drop for Entrance {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn accept(listener: UnixListener, doors: Doors, port: u16) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // A connection that is gone before it was accepted is no reason to stop.
                if let Ok((stream, _)) = accepted {
                    connections.spawn(attend(stream, doors.clone(), port));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves one connection; whatever fails ends it.
///
/// Once we have said all and gone, whoever is inside cannot keep the way occupied for long.
async fn attend(mut outside: UnixStream, doors: Doors, port: u16) {
    let Ok(mut passage) = doors.pass(port).await else { return };
    let Some(inside) = &mut passage.stream else { return };
    let (mut from_us, mut to_us) = outside.split();
    let (mut from_it, mut to_it) = inside.split();
    let forth = async {
        copy(&mut from_us, &mut to_it).await.ok();
        to_it.shutdown().await.ok();
    };
    let mut back = pin!(async {
        copy(&mut from_it, &mut to_us).await.ok();
        to_us.shutdown().await.ok();
    });
    tokio::select! {
        () = forth => drop(timeout(FAREWELL, back).await),
        () = &mut back => {}
    }
}
