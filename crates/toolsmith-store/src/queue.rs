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

use crate::{
    Durability, StoreConfig,
    backlog::{Backlog, Entry, Limit},
    health::Counters,
    sqlite::Connection,
};

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
    /// Beyond this, callers wait.
    crowd: Limit,
    /// This is worth writing before the window is over.
    good_batch: Limit,
    /// Beyond this, the oldest records go while the store cannot write.
    unwritten: Limit,
}

#[derive(Default)]
struct State {
    backlog: Backlog,
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
        let limit = |records: usize| Limit { records: records.max(1), bytes: config.queue_bytes };
        let crowd = limit(config.queue);
        Self {
            state: Mutex::default(),
            wake: Notify::new(),
            refuses: AtomicBool::new(false),
            counters: Counters::default(),
            durability: config.durability,
            crowd,
            good_batch: crowd.half(),
            unwritten: limit(config.unwritten_limit),
        }
    }

    /// Takes a record.
    pub(crate) fn push(&self, record: Record) -> Receipt {
        let promise = self.promise();
        let mut state = self.state.lock();
        let (receipt, sender) = match state.mode {
            Mode::Open | Mode::Patient => promise,
            // The record is written when that is possible; its caller must not wait for a disk.
            Mode::Failing => (self.no_promise(), None),
            Mode::Closed => {
                self.counters.gave_up(1);
                return self.no_promise();
            }
        };
        let was_good_batch = state.backlog.reaches(self.good_batch);
        state.backlog.push(Entry { record, receipt: sender });
        let is_crowded = state.backlog.exceeds(self.crowd);
        let crowded = if is_crowded { self.make_room(&mut state) } else { None };
        let is_good_batch = state.backlog.reaches(self.good_batch);
        let wakes = state.is_writer_asleep || (is_good_batch && !was_good_batch);
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
        self.state.lock().backlog.len()
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

    /// Returns the receipt of a record that will be written, and the means to answer it.
    fn promise(&self) -> (Receipt, Option<oneshot::Sender<()>>) {
        match self.durability {
            Durability::Batched => (Receipt::done(), None),
            Durability::Sync => {
                let (sender, receiver) = oneshot::channel();
                (Receipt::pending(receiver), Some(sender))
            }
        }
    }

    /// Returns the receipt of a record that cannot be written at this time.
    fn no_promise(&self) -> Receipt {
        match self.durability {
            Durability::Batched => Receipt::done(),
            Durability::Sync => Receipt::not_safe(),
        }
    }

    /// Decides what happens to a push that finds the queue full.
    #[cold]
    fn make_room(&self, state: &mut State) -> Option<Receipt> {
        match state.mode {
            Mode::Failing => {
                self.trim(state);
                None
            }
            Mode::Patient if !state.backlog.exceeds(self.unwritten) => None,
            // Whoever waits for the disk waits long enough.
            Mode::Open | Mode::Patient if self.durability == Durability::Sync => None,
            Mode::Open | Mode::Patient => {
                let (sender, receiver) = oneshot::channel();
                state.room.push(sender);
                state.waited += 1;
                Some(Receipt::pending(receiver))
            }
            Mode::Closed => None,
        }
    }

    fn trim(&self, state: &mut State) {
        self.counters.gave_up(state.backlog.trim(self.unwritten));
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
        state.is_writer_asleep = state.backlog.is_empty() && !state.has_orders();
        state.is_writer_asleep
    }

    fn is_urgent(&self) -> bool {
        let state = self.state.lock();
        state.has_orders() || state.backlog.reaches(self.good_batch)
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
        let mut state = self.state.lock();
        let batch = state.backlog.take(at_most, spare);
        let room = std::mem::take(&mut state.room);
        drop(state);
        for caller in room {
            caller.send(()).ok();
        }
        batch
    }

    /// Gives memory back that only a burst needed.
    pub(crate) fn shrink(&self, capacity: usize) {
        self.state.lock().backlog.shrink(capacity);
    }

    /// Says that what was taken is written.
    pub(crate) fn settle(&self) {
        self.state.lock().backlog.settle();
    }

    /// Puts records that could not be written back where they were.
    pub(crate) fn put_back(&self, batch: &mut VecDeque<Entry>) {
        let mut state = self.state.lock();
        state.backlog.put_back(batch);
        self.trim(&mut state);
    }

    /// Changes what a push does when the queue is too long.
    pub(crate) fn set_mode(&self, mode: Mode) {
        let mut state = self.state.lock();
        state.mode = mode;
        let cannot_promise = mode == Mode::Failing && self.durability == Durability::Sync;
        self.refuses.store(cannot_promise || mode == Mode::Closed, Ordering::Relaxed);
        // Nobody waits for a disk: those who were promised it hear that it is not so, and those who
        // wait for room have it, unless the queue ends.
        let (promised, room) = match mode {
            Mode::Failing | Mode::Closed => {
                (state.backlog.take_receipts(), std::mem::take(&mut state.room))
            }
            Mode::Open | Mode::Patient => (Vec::new(), Vec::new()),
        };
        drop(state);
        drop(promised);
        if mode != Mode::Closed {
            for caller in room {
                caller.send(()).ok();
            }
        }
    }

    /// Ends the queue: what is left is lost, and whoever waits is let go.
    pub(crate) fn close(&self) {
        self.set_mode(Mode::Closed);
        let mut state = self.state.lock();
        let left = std::mem::take(&mut state.backlog);
        let orders = std::mem::take(&mut state.orders);
        self.counters.gave_up(left.len());
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
            .field("backlog", &self.backlog.len())
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::JsonText;

    use super::*;
    use crate::sqlite::insert::tests::record;

    /// Returns a record of about that many bytes.
    fn sized(random: u64, bytes: usize) -> Record {
        Record { params: JsonText::of(&"x".repeat(bytes)), ..record(random) }
    }

    fn ids(batch: &VecDeque<Entry>) -> Vec<u64> {
        let all = 0..20;
        let place =
            |entry: &Entry| all.clone().find(|&at| record(at).record_id == entry.record.record_id);
        batch.iter().filter_map(place).collect()
    }

    #[tokio::test]
    async fn whoever_waits_for_room_is_let_go_when_the_store_cannot_write_or_is_closed() {
        let queue = Queue::new(&StoreConfig { queue: 1, ..StoreConfig::default() });
        assert!(queue.push(record(1)).is_done());
        let waiting = queue.push(record(2));
        assert!(!waiting.is_done());
        queue.set_mode(Mode::Failing);
        assert!(waiting.wait().await, "`batched` answers while it cannot write");
        assert!(queue.push(record(3)).is_done());
        queue.set_mode(Mode::Open);
        let waiting = queue.push(record(4));
        queue.close();
        assert!(!waiting.wait().await, "what is left at the end is lost");
        assert_eq!(queue.counters.lost(), 4);
    }

    #[tokio::test]
    async fn sync_lets_everyone_go_and_keeps_the_records_when_the_store_cannot_write() {
        let queue =
            Queue::new(&StoreConfig { durability: Durability::Sync, ..StoreConfig::default() });
        let waiting = [queue.push(record(1)), queue.push(record(2))];
        let mut batch = queue.take(1, VecDeque::new());
        queue.put_back(&mut batch);
        queue.set_mode(Mode::Failing);
        for receipt in waiting {
            assert!(!receipt.wait().await);
        }
        assert!(!queue.push(record(3)).wait().await);
        assert_eq!(ids(&queue.take(10, VecDeque::new())), [1, 2, 3]);
    }

    #[test]
    fn callers_wait_when_too_many_bytes_are_in_memory() {
        let queue = Queue::new(&StoreConfig { queue_bytes: 10_000, ..StoreConfig::default() });
        assert!((1..=3).all(|at| queue.push(sized(at, 3_000)).is_done()));
        let batch = queue.take(10, VecDeque::new());
        assert!(!queue.push(sized(4, 3_000)).is_done(), "what is being written counts too");
        queue.settle();
        drop(batch);
        assert!(queue.push(sized(5, 3_000)).is_done());
        assert_eq!(ids(&queue.take(1, VecDeque::new())), [4]);
        queue.settle();
        assert!((6..=7).all(|at| queue.push(sized(at, 3_000)).is_done()));
        assert!(!queue.push(sized(8, 3_000)).is_done());
        queue.set_mode(Mode::Patient);
        assert!(!queue.push(sized(9, 3_000)).is_done());
    }

    #[test]
    fn the_oldest_records_go_when_too_many_unwritten_bytes_are_in_memory() {
        let queue = Queue::new(&StoreConfig { queue_bytes: 10_000, ..StoreConfig::default() });
        queue.set_mode(Mode::Failing);
        assert!((1..=5).all(|at| queue.push(sized(at, 3_000)).is_done()));
        assert_eq!(queue.counters.lost(), 2);
        let mut batch = queue.take(10, VecDeque::new());
        assert_eq!(ids(&batch), [3, 4, 5]);
        assert!(queue.push(sized(6, 5_000)).is_done());
        queue.put_back(&mut batch);
        assert_eq!(queue.counters.lost(), 4);
        assert!(queue.push(sized(7, 50_000)).is_done());
        assert_eq!(ids(&queue.take(10, VecDeque::new())), [7], "the newest stays");
        assert_eq!(queue.counters.lost(), 6);
    }
}
