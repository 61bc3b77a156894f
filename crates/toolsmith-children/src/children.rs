//! The handle that starts children, and the handle of one child.

use std::{fmt, io, sync::Arc, thread::JoinHandle};

use parking_lot::Mutex;
use rustix::process::Signal;
use tokio::{net::unix::pipe, sync::oneshot};

use crate::{
    ChildError, Command, Doors, Exit,
    nursery::{self, Hold, Line, Newborn, Order},
    sandbox::Proxy,
    tree::{Quarry, Tree},
    ward::Farewell,
};

/// Starts children and sees to their end; cheap to clone, shared by its clones.
///
/// When the last clone goes, everything that it started is ended before the drop returns: at once
/// if nothing runs, within about a second otherwise.
#[derive(Clone, Default)]
pub struct Children(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Started with the first child.
    nursery: Mutex<Option<(Line, JoinHandle<()>)>>,
}

impl Children {
    /// Makes a handle; nothing is started yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a child whose pipes the caller reads and writes; dropping it ends it.
    ///
    /// Like all pipes of tokio it needs a runtime with I/O enabled.
    pub async fn spawn(&self, command: Command) -> Result<Child, ChildError> {
        let (reply, answer) = oneshot::channel();
        let hosts = command.sandbox.as_ref().map(|sandbox| sandbox.hosts.clone());
        self.line()?.send(Order::Start { command: Box::new(command), reply });
        let gone = || io::Error::other("the thread that watches children is gone");
        let Newborn { pid, stdin, stdout, stderr, listener, doors, exit, hold } =
            answer.await.map_err(|_| gone())??;
        let proxy = listener.zip(hosts).map(|(socket, hosts)| Proxy::serve(socket, hosts));
        let proxy = proxy.transpose()?;
        Ok(Child {
            stdin: Some(pipe::Sender::from_owned_fd(stdin)?),
            stdout: Some(pipe::Receiver::from_owned_fd(stdout)?),
            stderr: Some(pipe::Receiver::from_owned_fd(stderr)?),
            doors: Doors::new(doors),
            pid,
            exit,
            seen: None,
            hold,
            _proxy: proxy,
            _children: self.clone(),
        })
    }

    fn line(&self) -> io::Result<Line> {
        let mut nursery = self.0.nursery.lock();
        if let Some((line, _)) = &*nursery {
            return Ok(line.clone());
        }
        let (line, thread) = nursery::open()?;
        *nursery = Some((line.clone(), thread));
        Ok(line)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some((line, thread)) = self.nursery.get_mut().take() {
            line.send(Order::Close);
            // A panic over there has been reported; there is nothing to hand on.
            thread.join().ok();
        }
    }
}

impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Children")
    }
}

/// A child that runs; dropping it ends it with everything that came of it.
///
/// The drop does not wait: the tree is asked to end at once and killed half a second later.
pub struct Child {
    /// What it reads; taking and dropping it says that there is no more.
    pub stdin: Option<pipe::Sender>,
    /// What it writes; somebody must read it, or the child waits. Dropping it ends nothing.
    pub stdout: Option<pipe::Receiver>,
    /// What it complains about; somebody must read it, or the child waits.
    pub stderr: Option<pipe::Receiver>,
    /// Our ways into its network, when it has one of its own and they were asked for.
    pub doors: Option<Doors>,
    pid: u32,
    exit: oneshot::Receiver<Exit>,
    seen: Option<Exit>,
    hold: Hold,
    /// Its way to the hosts of its sandbox.
    _proxy: Option<Proxy>,
    /// Keeps the thread that watches over it.
    _children: Children,
}

impl Child {
    /// Returns its number, which nobody else gets while the handle lives.
    ///
    /// In a strict sandbox that is the number of the process that looks after the sandbox.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until it has ended; what it started may live on until the handle is dropped.
    pub async fn exited(&mut self) -> Exit {
        if let Some(exit) = self.seen {
            return exit;
        }
        let exit = (&mut self.exit).await.unwrap_or(Exit::Unseen);
        self.seen = Some(exit);
        exit
    }

    /// Asks it, and everything that it started, to end; nobody is made to.
    ///
    /// Looks through the table of processes, which takes some milliseconds on a large machine.
    pub fn ask_to_end(&self) {
        let mut tree = Tree::default();
        // Whoever has lost its parent is left to the end of the handle.
        tree.look(&Quarry::Child { leader: self.pid.cast_signed(), guard: -1 });
        tree.signal(Signal::TERM);
    }

    /// Says that it has ended and left nobody at its pipes, so that nobody has to be looked for.
    pub(crate) fn part_quietly(mut self) {
        self.hold.farewell = Farewell::Quiet;
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("pid", &self.pid).finish_non_exhaustive()
    }
}
