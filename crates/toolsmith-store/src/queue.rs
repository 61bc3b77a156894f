//! Where records wait for the writer, and how the two wake each other.
//!
//! A push takes one short lock and no system call: the writer is woken only when it sleeps, and
//! otherwise comes by itself within the window.

use std::{
    collections::VecDeque,
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{Notify, oneshot},
    time::{Instant, timeout_at},
};
use toolsmith_core::{BoxFuture, Receipt, Record};

use crate::{Durability, StoreConfig, health::Counters, sqlite::Connection};

/// A record on its way, and whoever waits for it to arrive.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) record: Record,
    pub(crate) receipt: Option<oneshot::Sender<()>>,
}

/// Work that the writer does between two batches, with its connection.
pub(crate) type Job = Box<dyn for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, ()> + Send>;

/// What the writer is asked to do besides writing.
#[derive(Default)]
pub(crate) struct Orders {
    pub(crate) jobs: Vec<Job>,
    /// Answered when everything pushed before is written, or known not to be.
    pub(crate) flushes: Vec<oneshot::Sender<()>>,
    /// The writer ends when the queue is empty, or at this instant at the latest.
    pub(crate) closing: Option<Instant>,
}

/// The queue between callers and the writer.
#[derive(Debug)]
pub(crate) struct Queue {
    state: Mutex<State>,
    wake: Notify,
    /// Whether new calls are refused; read on every call.
    refuses: AtomicBool,
    pub(crate) counters: Counters,
    durability: Durability,
    crowd_limit: usize,
    unwritten_limit: usize,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Entry>,
    /// How many records the writer has taken and not yet settled.
    in_hand: usize,
    /// Callers that wait until the queue is shorter.
    room: Vec<oneshot::Sender<()>>,
    orders: Orders,
    /// Whether the writer knows that it is to end.
    is_closing_known: bool,
    mode: Mode,
    is_writer_asleep: bool,
    waited: u64,
}

/// What a push does when the queue is longer than it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Callers wait until there is room.
    #[default]
    Open,
    /// The writer is away on a long job: more may wait than usual.
    Patient,
    /// The store cannot write: nobody waits, and beyond the limit the oldest records go.
    Failing,
    /// Nothing is taken any more.
    Closed,
}

impl Queue {
    pub(crate) fn new(config: &StoreConfig) -> Self {
        Self {
            state: Mutex::default(),
            wake: Notify::new(),
            refuses: AtomicBool::new(false),
            counters: Counters::default(),
            durability: config.durability,
            crowd_limit: config.queue.max(1),
            unwritten_limit: config.unwritten_limit.max(1),
        }
    }

    /// Takes a record.
    pub(crate) fn push(&self, record: Record) -> Receipt {
        let (receipt, sender) = match self.durability {
            Durability::Batched => (Receipt::done(), None),
            Durability::Sync => {
                let (sender, receiver) = oneshot::channel();
                (Receipt::pending(receiver), Some(sender))
            }
        };
        let mut state = self.state.lock();
        state.entries.push_back(Entry { record, receipt: sender });
        let length = state.entries.len();
        let is_crowded = length > self.crowd_limit || state.mode == Mode::Closed;
        let crowded = if is_crowded { self.make_room(&mut state) } else { None };
        let wakes = state.is_writer_asleep || length == self.good_batch();
        state.is_writer_asleep = false;
        drop(state);
        if wakes {
            self.wake.notify_one();
        }
        crowded.unwrap_or(receipt)
    }

    /// Tells whether new calls are to be refused.
    pub(crate) fn refuses(&self) -> bool {
        self.refuses.load(Ordering::Relaxed)
    }

    /// Returns how many records wait, those in the writer's hands included.
    pub(crate) fn len(&self) -> usize {
        let state = self.state.lock();
        state.entries.len() + state.in_hand
    }

    /// Returns how many callers had to wait so far.
    pub(crate) fn waited(&self) -> u64 {
        self.state.lock().waited
    }

    /// Returns what a push does when the queue is too long.
    pub(crate) fn mode(&self) -> Mode {
        self.state.lock().mode
    }

    /// Asks for a job; false when nobody is there to do it.
    pub(crate) fn order(&self, job: Job) -> bool {
        self.ask(|orders| orders.jobs.push(job))
    }

    /// Asks to be told when everything pushed so far is written; false when nobody writes.
    pub(crate) fn order_flush(&self, answer: oneshot::Sender<()>) -> bool {
        self.ask(|orders| orders.flushes.push(answer))
    }

    /// Asks the writer to end when it has written everything, or after the limit.
    pub(crate) fn order_close(&self, limit: Duration) -> bool {
        self.ask(|orders| {
            orders.closing.get_or_insert_with(|| Instant::now() + limit);
        })
    }

    fn ask(&self, order: impl FnOnce(&mut Orders)) -> bool {
        let mut state = self.state.lock();
        if state.mode == Mode::Closed {
            return false;
        }
        order(&mut state.orders);
        drop(state);
        self.wake.notify_one();
        true
    }

    /// Decides what happens to a push that finds the queue full or closed.
    #[cold]
    fn make_room(&self, state: &mut State) -> Option<Receipt> {
        match state.mode {
            Mode::Closed => {
                state.entries.pop_back();
                self.counters.gave_up(1);
                None
            }
            Mode::Failing => {
                self.trim(state);
                None
            }
            Mode::Patient if state.entries.len() <= self.unwritten_limit => None,
            Mode::Open | Mode::Patient if self.durability == Durability::Sync => None,
            Mode::Open | Mode::Patient => {
                let (sender, receiver) = oneshot::channel();
                state.room.push(sender);
                state.waited += 1;
                Some(Receipt::pending(receiver))
            }
        }
    }

    fn trim(&self, state: &mut State) {
        let surplus = state.entries.len().saturating_sub(self.unwritten_limit);
        state.entries.drain(..surplus);
        self.counters.gave_up(surplus);
    }

    /// How many records make it worth writing before the window is over.
    fn good_batch(&self) -> usize {
        self.crowd_limit.div_ceil(2)
    }
}

/// The writer's side.
impl Queue {
    /// Sleeps until there is something to do, then until the window is over or it is urgent.
    ///
    /// `emptied` is when the writer last took everything: no record is older than that.
    pub(crate) async fn gathered(&self, window: Duration, emptied: Instant) {
        let mut oldest = emptied;
        while self.falls_asleep() {
            self.wake.notified().await;
            oldest = Instant::now();
        }
        while !self.is_urgent() {
            if timeout_at(oldest + window, self.wake.notified()).await.is_err() {
                return;
            }
        }
    }

    /// Sleeps until that instant, or until there are orders.
    pub(crate) async fn ordered(&self, until: Instant) {
        while !self.has_orders() {
            if timeout_at(until, self.wake.notified()).await.is_err() {
                return;
            }
        }
    }

    fn falls_asleep(&self) -> bool {
        let mut state = self.state.lock();
        state.is_writer_asleep = state.entries.is_empty() && !state.has_orders();
        state.is_writer_asleep
    }

    fn is_urgent(&self) -> bool {
        let state = self.state.lock();
        state.has_orders() || state.entries.len() >= self.good_batch()
    }

    fn has_orders(&self) -> bool {
        self.state.lock().has_orders()
    }

    /// Takes the orders; the one to close stays, since it holds until the end.
    pub(crate) fn take_orders(&self) -> Orders {
        let mut state = self.state.lock();
        let closing = state.orders.closing;
        state.is_closing_known = closing.is_some();
        let orders = std::mem::take(&mut state.orders);
        state.orders.closing = closing;
        Orders { closing, ..orders }
    }

    /// Takes up to that many records, the oldest first; `spare` lends its memory to the queue.
    pub(crate) fn take(&self, at_most: usize, spare: VecDeque<Entry>) -> VecDeque<Entry> {
        let mut batch = spare;
        let mut state = self.state.lock();
        if state.entries.len() <= at_most {
            std::mem::swap(&mut batch, &mut state.entries);
        } else {
            batch.extend(state.entries.drain(..at_most));
        }
        state.in_hand = batch.len();
        let room = std::mem::take(&mut state.room);
        drop(state);
        for caller in room {
            caller.send(()).ok();
        }
        batch
    }

    /// Gives memory back that only a burst needed.
    pub(crate) fn shrink(&self, capacity: usize) {
        self.state.lock().entries.shrink_to(capacity);
    }

    /// Says that what was taken is written.
    pub(crate) fn settle(&self) {
        self.state.lock().in_hand = 0;
    }

    /// Puts records that could not be written back where they were.
    pub(crate) fn put_back(&self, batch: &mut VecDeque<Entry>) {
        let mut state = self.state.lock();
        state.in_hand = 0;
        for entry in batch.drain(..).rev() {
            state.entries.push_front(entry);
        }
        self.trim(&mut state);
    }

    /// Changes what a push does when the queue is too long.
    pub(crate) fn set_mode(&self, mode: Mode) {
        let mut state = self.state.lock();
        state.mode = mode;
        let cannot_promise = mode == Mode::Failing && self.durability == Durability::Sync;
        self.refuses.store(cannot_promise || mode == Mode::Closed, Ordering::Relaxed);
        let released = match mode {
            // Those who wait for room must not wait for a disk.
            Mode::Failing | Mode::Closed => std::mem::take(&mut state.room),
            Mode::Open | Mode::Patient => Vec::new(),
        };
        drop(state);
        for caller in released {
            caller.send(()).ok();
        }
    }

    /// Ends the queue: what is left is lost, and whoever waits is let go.
    pub(crate) fn close(&self) {
        self.set_mode(Mode::Closed);
        let mut state = self.state.lock();
        let left = std::mem::take(&mut state.entries);
        let orders = std::mem::take(&mut state.orders);
        self.counters.gave_up(left.len() + std::mem::take(&mut state.in_hand));
        drop(state);
        drop((left, orders));
    }
}

impl State {
    fn has_orders(&self) -> bool {
        let is_closing_news = self.orders.closing.is_some() && !self.is_closing_known;
        is_closing_news || !self.orders.jobs.is_empty() || !self.orders.flushes.is_empty()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("entries", &self.entries.len())
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
