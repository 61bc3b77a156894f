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
    ChildError, Command, Exit,
    keeper::{Control, Keeper, Message},
    setup,
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
        let refused = |source| {
            let program = command.program.to_string_lossy().into_owned();
            ChildError::Start { program, source }
        };
        self.count += 1;
        let number = self.count;
        let mark = format!("{}.{number}", self.nonce);
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|error| refused(error.into()));
        let ((stdin, its_stdin), (stdout, its_stdout), (stderr, its_stderr)) =
            (pipe().map(|(read, write)| (write, read))?, pipe()?, pipe()?);
        let (own_stdout, own_stderr) =
            (stdout.try_clone().map_err(refused)?, stderr.try_clone().map_err(refused)?);
        let plan = setup::plan(command, &mark).map_err(refused)?;
        let stdio = [its_stdin.as_fd(), its_stdout.as_fd(), its_stderr.as_fd()];
        let control = self.launch(|keeper| keeper.launch(&plan, stdio)).map_err(refused)?;
        let (leader, guard) = await_start(&control).map_err(refused)?;
        let (tell, exit) = oneshot::channel();
        let pid = leader.as_raw_nonzero().get();
        let quarry = Quarry::Child { leader: pid, guard, mark };
        let pipes = [own_stdout, own_stderr];
        let tell = Some(tell);
        let ward = Ward { leader, control, quarry, tell, phase: Phase::Held, _pipes: pipes };
        self.wards.insert(number, ward);
        Ok(Newborn {
            pid: pid.cast_unsigned(),
            stdin,
            stdout,
            stderr,
            exit,
            hold: Hold { line: self.line.clone(), number, farewell: Farewell::Thorough },
        })
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

/// Waits until the program runs; returns its number and that of its guard.
fn await_start(control: &Control) -> io::Result<(Pid, i32)> {
    match control.wait()? {
        Some(Message::Started { child, guard }) => {
            let child = Pid::from_raw(child).ok_or(io::ErrorKind::InvalidData)?;
            Ok((child, guard))
        }
        Some(Message::Failed { error, .. }) => Err(error.into()),
        _ => Err(io::Error::other("the process that guards it ended before it began")),
    }
}

/// Returns how long to wait, rounded up, so that the time has come when the wait is over.
fn until(instant: Instant) -> Timespec {
    let left = instant.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
    Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
}
