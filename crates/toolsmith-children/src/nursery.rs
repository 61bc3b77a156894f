//! The thread that starts, watches, ends and reaps children.
//!
//! It is one thread for all: a child dies with the *thread* that started it, so that one must live
//! as long as we do.

use std::{
    collections::BTreeMap,
    fs, io,
    os::fd::{AsFd, OwnedFd},
    process::{self, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    process::{Pid, PidfdFlags, Signal, pidfd_open},
};
use tokio::sync::oneshot;

use crate::{
    ChildError, Command, Exit, setup,
    tree::{MARK, Quarry, Tree},
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
    let nursery = Nursery { orders, line: line.clone(), nonce, wards, count: 0, closing: None };
    let thread = thread::Builder::new().name("toolsmith-children".to_owned());
    Ok((line, thread.spawn(move || nursery.run())?))
}

struct Nursery {
    orders: mpsc::Receiver<Order>,
    line: Line,
    /// The part that the marks of all our children share, and nobody else's.
    nonce: String,
    wards: BTreeMap<u64, Ward>,
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
            if self.closing.is_some_and(|until| self.wards.is_empty() || now >= until) {
                return self.sweep();
            }
        }
    }

    /// Waits for an order, an exit or the time to act; returns the children that have ended.
    fn wait(&self) -> Vec<u64> {
        let living: Vec<(u64, &Ward)> = self
            .wards
            .iter()
            .filter(|(_, ward)| !ward.has_exited())
            .map(|(number, ward)| (*number, ward))
            .collect();
        let bell = PollFd::from_borrowed_fd(self.line.bell.as_fd(), PollFlags::IN);
        let mut polled = vec![bell];
        for (_, ward) in &living {
            polled.push(PollFd::from_borrowed_fd(ward.pidfd.as_fd(), PollFlags::IN));
        }
        let next = self.wards.values().filter_map(Ward::due).chain(self.closing).min();
        let timeout = next.map(until);
        if poll(&mut polled, timeout.as_ref()).is_err() {
            // Interrupted: whatever is ready will be found by the next wait.
            return Vec::new();
        }
        let mut rings = [0; 8];
        // The bell is emptied before the orders are read, so that none is left unheard.
        rustix::io::read(&*self.line.bell, &mut rings).ok();
        let ended = living.iter().zip(polled.iter().skip(1));
        ended
            .filter(|(_, poll)| !poll.revents().is_empty())
            .map(|((number, _), _)| *number)
            .collect()
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
                for number in self.wards.keys().copied().collect::<Vec<_>>() {
                    self.tend(number, |ward| ward.end(Farewell::Thorough, now));
                }
            }
        }
    }

    fn tend(&mut self, number: u64, act: impl FnOnce(&mut Ward) -> Fate) {
        let Some(ward) = self.wards.get_mut(&number) else { return };
        if act(ward) == Fate::Reaped {
            self.wards.remove(&number);
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
        let mut process = translate(command, &mark).spawn().map_err(refused)?;
        let (stdin, stdout, stderr) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr), Ok(pidfd)) =
            (stdin, stdout, stderr, watch(process.id()))
        else {
            return Err(refused(abandon(process)));
        };
        let (stdout, stderr) = (OwnedFd::from(stdout), OwnedFd::from(stderr));
        let (Ok(own_stdout), Ok(own_stderr)) = (stdout.try_clone(), stderr.try_clone()) else {
            return Err(refused(abandon(process)));
        };
        let pid = process.id();
        let (tell, exit) = oneshot::channel();
        let quarry = Quarry::Child { leader: pid.cast_signed(), mark };
        let pipes = [own_stdout, own_stderr];
        let tell = Some(tell);
        let ward = Ward { process, pidfd, quarry, tell, phase: Phase::Held, _pipes: pipes };
        self.wards.insert(number, ward);
        Ok(Newborn {
            pid,
            stdin: stdin.into(),
            stdout,
            stderr,
            exit,
            hold: Hold { line: self.line.clone(), number, farewell: Farewell::Thorough },
        })
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

fn translate(command: &Command, mark: &str) -> process::Command {
    use std::os::unix::process::CommandExt;

    let mut translated = process::Command::new(&command.program);
    translated
        .args(&command.args)
        .env_clear()
        .envs(&command.env)
        .env(MARK, mark)
        .current_dir(&command.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(name) = &command.name {
        translated.arg0(name);
    }
    setup::prepare(&mut translated, command.limits);
    translated
}

/// Ends a child that cannot be watched; this happens when open files run out.
fn abandon(mut process: process::Child) -> io::Error {
    process.kill().ok();
    process.wait().ok();
    io::Error::other("too many open files")
}

fn watch(pid: u32) -> io::Result<OwnedFd> {
    let pid = Pid::from_raw(pid.cast_signed()).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

/// Returns how long to wait, rounded up, so that the time has come when the wait is over.
fn until(instant: Instant) -> Timespec {
    let left = instant.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
    Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
}
