//! The handle that starts children, and the handle of one child.

use std::{
    fmt, fs, io,
    os::fd::{AsFd, OwnedFd},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use parking_lot::Mutex;
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::{net::unix::pipe, task::spawn_blocking};

use crate::{
    ChildError, Command, Doors, Exit,
    hold::{Farewell, Hold, News},
    keeper::{Guards, Tenure},
    nursery::{self, Line, Order},
    sandbox::Proxy,
    setup::Setup,
    ward::Remains,
};

/// Starts children and sees to their end; cheap to clone, shared by its clones.
///
/// When the last clone goes, everything that it started is ended before the drop returns: at once
/// if nothing runs, within about a second otherwise.
#[derive(Clone, Default)]
pub struct Children(Arc<Shared>);

#[derive(Default)]
struct Shared {
    guards: Mutex<Guards>,
    /// Started with the first child that is ended early.
    nursery: Mutex<Option<(Line, JoinHandle<()>)>>,
    /// The part that the marks of all our children share, and nobody else's.
    nonce: OnceLock<String>,
    count: AtomicU64,
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
        let mut child = self.begin(command, Tenure::Held).await?;
        child.begun().await?;
        Ok(child)
    }

    /// Lets a child be started; what becomes of it is heard later.
    pub(crate) async fn begin(
        &self,
        command: Command,
        tenure: Tenure,
    ) -> Result<Child, ChildError> {
        let mark = self.0.mark()?;
        let setup = if command.sandbox.is_some() {
            // Sandboxes look at files and make control groups, which may take its time.
            let write = move || Setup::of(&command, mark, tenure);
            spawn_blocking(write).await.map_err(io::Error::other)??
        } else {
            Setup::of(&command, mark, tenure)?
        };
        self.launch(setup)
    }

    fn launch(&self, mut setup: Setup) -> Result<Child, ChildError> {
        let refused = |source| ChildError::Start { program: setup.program.clone(), source };
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|error| refused(error.into()));
        let ((its_stdin, stdin), (stdout, its_stdout), (stderr, its_stderr)) =
            (pipe()?, pipe()?, pipe()?);
        let spare = [stdout.try_clone().map_err(refused)?, stderr.try_clone().map_err(refused)?];
        let stdio = [its_stdin.as_fd(), its_stdout.as_fd(), its_stderr.as_fd()];
        let rules = setup.rules.as_ref().map(AsFd::as_fd);
        let control = self.0.guards.lock().start(&setup.plan, stdio, rules).map_err(refused)?;
        setup.groups.hand_over();
        Ok(Child {
            stdin: Some(pipe::Sender::from_owned_fd(stdin)?),
            stdout: Some(pipe::Receiver::from_owned_fd(stdout)?),
            stderr: Some(pipe::Receiver::from_owned_fd(stderr)?),
            doors: None,
            pid: 0,
            sockets: Vec::new(),
            hold: Hold::new(self.clone(), control, setup, spare)?,
            proxy: None,
        })
    }

    pub(crate) fn guards(&self) -> &Mutex<Guards> {
        &self.0.guards
    }

    /// Lets a child and what came of it be ended, without waiting for it.
    pub(crate) fn end(&self, remains: Remains) {
        let mut nursery = self.0.nursery.lock();
        if nursery.is_none() {
            // Without a thread the guard ends everything at once, as it does when we die.
            *nursery = nursery::open().ok();
        }
        if let Some((line, _)) = &*nursery {
            line.send(Order::End(remains));
        }
    }
}

impl Shared {
    /// Returns the mark of the next child; it ends so that none is the beginning of another.
    fn mark(&self) -> io::Result<String> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        if let Some(nonce) = self.nonce.get() {
            return Ok(format!("{nonce}.{number}."));
        }
        let nonce = fs::read_to_string("/proc/sys/kernel/random/uuid")?.trim().to_owned();
        Ok(format!("{}.{number}.", self.nonce.get_or_init(|| nonce)))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let left = self.guards.get_mut().disband();
        let nursery = self.nursery.get_mut();
        if !left.is_empty() && nursery.is_none() {
            // Without a thread letting go of the guards is all that can be done.
            *nursery = nursery::open().ok();
        }
        if let Some((line, thread)) = nursery.take() {
            line.send(Order::Close(left));
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
    /// Sockets of its network, until all of them are there.
    sockets: Vec<OwnedFd>,
    hold: Hold,
    /// Its way to the hosts of its sandbox.
    proxy: Option<Proxy>,
}

impl Child {
    /// Returns its number, which nobody else gets while the handle lives.
    ///
    /// In a strict sandbox that is the number of the process that looks after the sandbox.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks it and everything that came of it to end, by `SIGTERM`, and does not wait.
    ///
    /// In a sandbox of its own a child cannot be asked by its number.
    pub fn ask_to_end(&self) {
        self.hold.ask_to_end();
    }

    /// Waits until it has ended; what it started may live on until the handle is dropped.
    pub async fn exited(&mut self) -> Exit {
        self.settled().await.unwrap_or(Exit::Unseen)
    }

    /// Waits until it has ended, or says why it never began.
    pub(crate) async fn settled(&mut self) -> Result<Exit, ChildError> {
        loop {
            match self.hold.news().await? {
                News::Exited(exit) => return Ok(exit),
                news => self.note(news)?,
            }
        }
    }

    /// Waits until its program runs.
    async fn begun(&mut self) -> Result<(), ChildError> {
        while self.pid == 0 {
            match self.hold.news().await? {
                News::Exited(Exit::Unseen) => {
                    let message = "the process that guards it ended before it began";
                    return Err(self.hold.refused(io::Error::other(message)));
                }
                News::Exited(_) => return Ok(()),
                news => self.note(news)?,
            }
        }
        Ok(())
    }

    fn note(&mut self, news: News) -> Result<(), ChildError> {
        match news {
            News::Started(pid) => {
                self.pid = pid;
                self.doors = Doors::new(std::mem::take(&mut self.sockets));
            }
            News::Door(socket) => self.sockets.push(socket),
            News::Listening(socket, hosts) => self.proxy = Some(Proxy::serve(socket, hosts)?),
            News::Exited(_) => {}
        }
        Ok(())
    }

    /// Says that it has ended and left nobody at its pipes, so that nobody has to be looked for.
    pub(crate) fn part_quietly(mut self) {
        self.hold.part(Farewell::Quiet);
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("pid", &self.pid).finish_non_exhaustive()
    }
}
