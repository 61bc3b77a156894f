//! The threads for code that blocks: bounded, counted, and a caller can always leave.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering::SeqCst},
    },
    time::Duration,
};

use parking_lot::{Condvar, Mutex};
use serde::Serialize;
use tokio::sync::oneshot;
use toolsmith_core::{ErrorKind, Text, ToolError};

use crate::panics;

/// How long a thread without work waits for more before it ends.
const IDLE: Duration = Duration::from_secs(10);

/// A pool of threads for code that blocks.
///
/// A thread cannot be stopped. When its caller leaves (deadline, cancellation), the thread is
/// counted as stuck until its code returns; the caller's slot is free at once.
#[derive(Clone)]
pub(crate) struct Threads(Arc<Shared>);

struct Shared {
    most: usize,
    state: Mutex<State>,
    work: Condvar,
    on_stuck: OnStuck,
}

/// Hears which tool holds a thread, and how many threads are held in all.
type OnStuck = Box<dyn Fn(&Text, usize) + Send + Sync>;

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
    stuck: BTreeMap<Text, usize>,
    closed: bool,
}

struct Job {
    tool: Text,
    phase: Arc<Phase>,
    /// Runs the code and tells whether its caller had left before it was done.
    run: Box<dyn FnOnce() -> Caller + Send>,
}

/// Whether anybody still waits for a result.
enum Caller {
    Waits,
    Left,
}

/// How many threads there are, and which tools hold those that are stuck.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ThreadMetrics {
    /// How many threads there are.
    pub threads: usize,
    /// How many of them wait for work.
    pub idle: usize,
    /// How many calls wait for a thread.
    pub waiting: usize,
    /// How many threads each tool holds after its caller has left.
    pub stuck: BTreeMap<Text, usize>,
}

/// Whether a job may have a thread beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// It waits for one of the threads.
    Bounded,
    /// It is part of a call that holds a thread already, and waiting could mean waiting for itself.
    Beyond,
}

/// Where a job is: the worker and the caller agree on it by one atomic step.
struct Phase(AtomicU8);

const WAITING: u8 = 0;
const RUNNING: u8 = 1;
const LEFT: u8 = 2;
const DONE: u8 = 3;

impl Threads {
    pub(crate) fn new(
        most: usize,
        on_stuck: impl Fn(&Text, usize) + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shared {
            most: most.max(1),
            state: Mutex::default(),
            work: Condvar::new(),
            on_stuck: Box::new(on_stuck),
        }))
    }

    /// Runs code on a thread; dropping the future leaves the code behind.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        tool: &Text,
        room: Room,
        code: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (sender, receiver) = oneshot::channel();
        let phase = Arc::new(Phase(AtomicU8::new(WAITING)));
        let done = Arc::clone(&phase);
        // Code that blocks may still want to reach the runtime, as tokio's own blocking pool allows.
        let runtime = tokio::runtime::Handle::try_current().ok();
        let run = Box::new(move || {
            let _entered = runtime.as_ref().map(tokio::runtime::Handle::enter);
            let result = panics::or_error(catch_unwind(AssertUnwindSafe(code)));
            // Done comes before the result: a caller that has it must not find its code running.
            if done.0.swap(DONE, SeqCst) == LEFT {
                return Caller::Left;
            }
            sender.send(result).ok();
            Caller::Waits
        });
        self.submit(Job { tool: tool.clone(), phase: Arc::clone(&phase), run }, room)?;
        let _leave = Leave { shared: &self.0, tool, phase: &phase };
        receiver.await.unwrap_or_else(|_| Err(ToolError::closing()))
    }

    pub(crate) fn metrics(&self) -> ThreadMetrics {
        let state = self.0.state.lock();
        ThreadMetrics {
            threads: state.threads,
            idle: state.idle,
            waiting: state.queue.len(),
            stuck: state.stuck.clone(),
        }
    }

    /// Lets idle threads end and refuses more work; stuck threads are left to end by themselves.
    pub(crate) fn close(&self) {
        let mut state = self.0.state.lock();
        state.closed = true;
        state.queue.clear();
        drop(state);
        self.0.work.notify_all();
    }

    fn submit(&self, job: Job, room: Room) -> Result<(), ToolError> {
        let mut state = self.0.state.lock();
        let stuck: usize = state.stuck.values().sum();
        if stuck >= self.0.most {
            return Err(all_stuck(&state.stuck));
        }
        if state.closed {
            return Err(ToolError::closing());
        }
        state.queue.push_back(job);
        if state.idle >= state.queue.len() {
            drop(state);
            self.0.work.notify_one();
            return Ok(());
        }
        if state.threads < self.0.most || room == Room::Beyond {
            state.threads += 1;
            drop(state);
            let shared = Arc::clone(&self.0);
            let spawned = std::thread::Builder::new()
                .name("toolsmith-tool".to_owned())
                .spawn(move || shared.work());
            if let Err(error) = spawned {
                self.0.state.lock().threads -= 1;
                tracing::warn!(%error, "no thread could be started for a tool that blocks");
            }
        }
        Ok(())
    }
}

impl Shared {
    /// What each thread does: one job after the other, until there has been none for a while.
    fn work(&self) {
        while let Some(job) = self.next() {
            let started = job.phase.0.compare_exchange(WAITING, RUNNING, SeqCst, SeqCst);
            if started.is_err() {
                continue;
            }
            if matches!((job.run)(), Caller::Left) {
                self.unstick(&job.tool);
            }
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                return Some(job);
            }
            if state.closed {
                break;
            }
            state.idle += 1;
            let timed_out = self.work.wait_for(&mut state, IDLE).timed_out();
            state.idle -= 1;
            if timed_out && state.queue.is_empty() {
                break;
            }
        }
        state.threads -= 1;
        None
    }

    fn unstick(&self, tool: &Text) {
        let mut state = self.state.lock();
        if let Some(count) = state.stuck.get_mut(tool) {
            *count -= 1;
            if *count == 0 {
                state.stuck.remove(tool);
            }
        }
    }
}

/// Notices that a caller has left while its code is running.
struct Leave<'a> {
    shared: &'a Shared,
    tool: &'a Text,
    phase: &'a Phase,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        // The count goes up before the worker can see that the caller left and take it down.
        let mut state = self.shared.state.lock();
        if self.phase.0.compare_exchange(WAITING, DONE, SeqCst, SeqCst).is_ok() {
            let is_other = |job: &Job| !std::ptr::eq(Arc::as_ptr(&job.phase), self.phase);
            state.queue.retain(is_other);
            return;
        }
        if self.phase.0.compare_exchange(RUNNING, LEFT, SeqCst, SeqCst).is_err() {
            return;
        }
        *state.stuck.entry(self.tool.clone()).or_default() += 1;
        let stuck = state.stuck.values().sum();
        drop(state);
        (self.shared.on_stuck)(self.tool, stuck);
    }
}

fn all_stuck(stuck: &BTreeMap<Text, usize>) -> ToolError {
    let tools: Vec<&str> = stuck.keys().map(Text::as_str).collect();
    ToolError::new(
        ErrorKind::Rejected,
        format!(
            "All threads for tools that block are held by calls that were given up ({}); try again \
             later or use another tool.",
            tools.join(", ")
        ),
    )
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.metrics(), f)
    }
}
