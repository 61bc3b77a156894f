//! The thread that lets children be started, watches and ends them.

use std::{
    collections::BTreeMap,
    fs, io,
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    pipe::{PipeFlags, pipe_with},
    process::{Pid, Signal},
};
use tokio::sync::oneshot;

use crate::{
    ChildError, Command, Exit, Profile, Sandbox,
    keeper::{Control, Keeper, Message},
    sandbox::{self, Groups},
    setup::{self, Setup},
    tree::{Quarry, Tree},
    ward::{Farewell, Fate, Phase, Ward},
};

/// How long closing waits for children that cannot be killed.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often what made itself a daemon is looked for again when the last holder goes.
const SWEEPS: usize = 20;

/// What the thread is asked to do.
pub(crate) enum Order {
    Start { command: Box<Command>, reply: oneshot::Sender<Result<Newborn, ChildError>> },
    End { number: u64, farewell: Farewell },
    Close,
}

/// A child that has just been started.
pub(crate) struct Newborn {
    pub(crate) pid: u32,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) listener: Option<OwnedFd>,
    pub(crate) doors: Vec<OwnedFd>,
    pub(crate) exit: oneshot::Receiver<Exit>,
    pub(crate) hold: Hold,
}

/// Keeps a child alive; letting go of it ends the child.
pub(crate) struct Hold {
    line: Line,
    number: u64,
    pub(crate) farewell: Farewell,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.line.send(Order::End { number: self.number, farewell: self.farewell });
    }
}

/// How orders reach the thread.
#[derive(Clone)]
pub(crate) struct Line {
    orders: mpsc::Sender<Order>,
    bell: Arc<OwnedFd>,
}

impl Line {
    /// Sends an order; when the thread is gone, so are its children.
    pub(crate) fn send(&self, order: Order) {
        if self.orders.send(order).is_ok() {
            // The bell counts, so it cannot be rung in vain; it is full only when it rings already.
            rustix::io::write(&*self.bell, &1_u64.to_ne_bytes()).ok();
        }
    }
}

/// Starts the thread.
pub(crate) fn open() -> io::Result<(Line, thread::JoinHandle<()>)> {
    let bell = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
    let (sender, orders) = mpsc::channel();
    let line = Line { orders: sender, bell };
    let nonce = fs::read_to_string("/proc/sys/kernel/random/uuid")?.trim().to_owned();
    let wards = BTreeMap::new();
    let nursery = Nursery {
        orders,
        line: line.clone(),
        nonce,
        keeper: None,
        wards,
        parted: Vec::new(),
        count: 0,
        closing: None,
    };
    let thread = thread::Builder::new().name("toolsmith-children".to_owned());
    Ok((line, thread.spawn(move || nursery.run())?))
}

struct Nursery {
    orders: mpsc::Receiver<Order>,
    line: Line,
    /// The part that the marks of all our children share, and nobody else's.
    nonce: String,
    /// Started with the first child.
    keeper: Option<Keeper>,
    wards: BTreeMap<u64, Ward>,
    /// The guards of children that nobody holds any more; they end when nothing is left to guard.
    parted: Vec<Control>,
    count: u64,
    closing: Option<Instant>,
}

impl Nursery {
    fn run(mut self) {
        loop {
            let exited = self.wait();
            let now = Instant::now();
            for number in exited {
                self.tend(number, |ward| ward.note_exit(now));
            }
            while let Ok(order) = self.orders.try_recv() {
                self.obey(order, now);
            }
            let is_due = |ward: &Ward| ward.due().is_some_and(|due| due <= now);
            let due = self.wards.iter().filter(|(_, ward)| is_due(ward));
            for number in due.map(|(number, _)| *number).collect::<Vec<_>>() {
                self.tend(number, |ward| ward.kill(now));
            }
            let is_empty = self.wards.is_empty() && self.parted.is_empty();
            if self.closing.is_some_and(|until| is_empty || now >= until) {
                return self.sweep();
            }
        }
    }

    /// Waits for an order, an exit or the time to act; returns the children that have ended.
    fn wait(&mut self) -> Vec<u64> {
        let living: Vec<(u64, &Ward)> = self
            .wards
            .iter()
            .filter(|(_, ward)| !ward.has_exited())
            .map(|(number, ward)| (*number, ward))
            .collect();
        let bell = self.line.bell.as_fd();
        let controls = living.iter().map(|(_, ward)| ward.control.as_fd());
        let files =
            std::iter::once(bell).chain(controls).chain(self.parted.iter().map(AsFd::as_fd));
        let mut polled: Vec<PollFd<'_>> =
            files.map(|file| PollFd::from_borrowed_fd(file, PollFlags::IN)).collect();
        let next = self.wards.values().filter_map(Ward::due).chain(self.closing).min();
        let timeout = next.map(until);
        if poll(&mut polled, timeout.as_ref()).is_err() {
            // Interrupted: whatever is ready will be found by the next wait.
            return Vec::new();
        }
        let mut rings = [0; 8];
        // The bell is emptied before the orders are read, so that none is left unheard.
        rustix::io::read(&*self.line.bell, &mut rings).ok();
        let mut is_ready = polled.iter().skip(1).map(|polled| !polled.revents().is_empty());
        let ended = living.iter().zip(&mut is_ready).filter(|(_, is_ready)| *is_ready);
        let ended = ended.map(|((number, _), _)| *number).collect();
        let mut has_hung_up = is_ready.collect::<Vec<_>>().into_iter();
        // What is said here is that nothing is left, or the end of a child that nobody asks about.
        self.parted
            .retain(|control| !has_hung_up.next().unwrap_or_default() || control.take().is_some());
        ended
    }

    fn obey(&mut self, order: Order, now: Instant) {
        match order {
            Order::Start { command, reply } => {
                // A reply that nobody takes is dropped with its hold, which ends the child.
                reply.send(self.start(&command)).ok();
            }
            Order::End { number, farewell } => {
                self.tend(number, |ward| ward.end(farewell, now));
            }
            Order::Close => {
                self.closing = Some(now + PATIENCE);
                self.parted.iter().for_each(Control::end);
                for number in self.wards.keys().copied().collect::<Vec<_>>() {
                    self.tend(number, |ward| ward.end(Farewell::Thorough, now));
                }
            }
        }
    }

    fn tend(&mut self, number: u64, act: impl FnOnce(&mut Ward) -> Fate) {
        let Some(ward) = self.wards.get_mut(&number) else { return };
        if act(ward) == Fate::Parted
            && let Some(ward) = self.wards.remove(&number)
        {
            if self.closing.is_some() {
                ward.control.end();
            }
            self.parted.push(ward.control);
        }
    }

    fn start(&mut self, command: &Command) -> Result<Newborn, ChildError> {
        self.count += 1;
        let number = self.count;
        let mark = format!("{}.{number}", self.nonce);
        let groups = groups(command, &mark)?;
        let started = self.start_in(&groups, command, &mark).inspect_err(|_| groups.abandon())?;
        let Started { pipes: [stdin, stdout, stderr], spare, control, birth } = started;
        let (tell, exit) = oneshot::channel();
        let tell = match birth.end {
            // Whoever asked for the child holds the other end.
            Some(end) => tell.send(end).err().and(None),
            None => Some(tell),
        };
        let pid = birth.leader.as_raw_nonzero().get();
        let quarry = Quarry::Child { leader: pid, guard: birth.guard };
        let ward =
            Ward { leader: birth.leader, control, quarry, tell, phase: Phase::Held, _pipes: spare };
        self.wards.insert(number, ward);
        Ok(Newborn {
            pid: pid.cast_unsigned(),
            stdin,
            stdout,
            stderr,
            listener: birth.listener,
            doors: birth.doors,
            exit,
            hold: Hold { line: self.line.clone(), number, farewell: Farewell::Thorough },
        })
    }

    fn start_in(
        &mut self,
        groups: &Groups,
        command: &Command,
        mark: &str,
    ) -> Result<Started, ChildError> {
        let refused = |source| {
            let program = command.program.to_string_lossy().into_owned();
            ChildError::Start { program, source }
        };
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|error| refused(error.into()));
        let ((its_stdin, stdin), (stdout, its_stdout), (stderr, its_stderr)) =
            (pipe()?, pipe()?, pipe()?);
        let spare = [stdout.try_clone().map_err(refused)?, stderr.try_clone().map_err(refused)?];
        let Setup { plan, rules } = setup::set_up(command, mark, groups).map_err(refused)?;
        let stdio = [its_stdin.as_fd(), its_stdout.as_fd(), its_stderr.as_fd()];
        let rules = rules.as_ref().map(AsFd::as_fd);
        let control = self.launch(|keeper| keeper.launch(&plan, stdio, rules)).map_err(refused)?;
        let birth = await_start(&control).map_err(|(step, source)| {
            match step.and_then(|step| sandbox::lack(&plan, step)) {
                Some(lack) => ChildError::Sandbox { lack, source },
                None => refused(source),
            }
        })?;
        Ok(Started { pipes: [stdin, stdout, stderr], spare, control, birth })
    }

    /// Asks the keeper; another one takes the place of a keeper that is gone.
    fn launch(&mut self, ask: impl Fn(&Keeper) -> io::Result<Control>) -> io::Result<Control> {
        if let Some(keeper) = &self.keeper {
            match ask(keeper) {
                Err(error) if is_gone(&error) => {}
                asked => return asked,
            }
        }
        self.keeper = None;
        let keeper = Keeper::start()?;
        let control = ask(&keeper);
        self.keeper = Some(keeper);
        control
    }

    /// Ends what made itself a daemon under any of our children.
    fn sweep(&self) {
        if self.count == 0 {
            return;
        }
        let quarry = Quarry::All { prefix: format!("{}.", self.nonce) };
        let mut tree = Tree::default();
        for _ in 0..SWEEPS {
            tree.look(&quarry);
            if tree.is_empty() {
                return;
            }
            tree.signal(Signal::KILL);
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

/// A child and our ends of what connects us with it.
struct Started {
    pipes: [OwnedFd; 3],
    spare: [OwnedFd; 2],
    control: Control,
    birth: Birth,
}

/// What a guard tells about the birth of its child.
struct Birth {
    leader: Pid,
    guard: i32,
    /// A port inside the child's own network.
    listener: Option<OwnedFd>,
    /// Sockets of the child's own network.
    doors: Vec<OwnedFd>,
    /// How the child ended, if it was faster than the news of its birth.
    end: Option<Exit>,
}

/// Waits until the program runs; otherwise tells which step of its plan failed, and how.
fn await_start(control: &Control) -> Result<Birth, (Option<usize>, io::Error)> {
    let (mut listener, mut doors, mut end) = (None, Vec::new(), None);
    loop {
        match control.wait().map_err(|error| (None, error))? {
            Some(Message::Listening(socket)) => listener = Some(socket),
            Some(Message::Door(socket)) => doors.push(socket),
            Some(Message::Started { child, guard }) => {
                let invalid = || (None, io::ErrorKind::InvalidData.into());
                let leader = Pid::from_raw(child).ok_or_else(invalid)?;
                return Ok(Birth { leader, guard, listener, doors, end });
            }
            Some(Message::Failed { step, error }) => return Err((Some(step), error.into())),
            Some(Message::Exited { code, signal }) => end = Some(Exit::of(code, signal)),
            None => {
                let message = "the process that guards it ended before it began";
                return Err((None, io::Error::other(message)));
            }
        }
    }
}

/// Makes the control groups of a child in a strict sandbox.
fn groups(command: &Command, mark: &str) -> Result<Groups, ChildError> {
    let strict = |sandbox: &Sandbox| sandbox.profile == Profile::Strict;
    if !command.sandbox.as_ref().is_some_and(strict) {
        return Ok(Groups::default());
    }
    let limits = command.all_limits();
    let groups = Groups::make(mark, limits);
    if let Some(lack) = groups.lack(limits) {
        groups.abandon();
        return Err(ChildError::Sandbox { lack, source: io::ErrorKind::PermissionDenied.into() });
    }
    Ok(groups)
}

/// Returns how long to wait, rounded up, so that the time has come when the wait is over.
fn until(instant: Instant) -> Timespec {
    let left = instant.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
    Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
}
