//! The bus: what happens is told to whoever listens; nobody listening costs nothing.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use parking_lot::RwLock;
use tokio::sync::broadcast::{self, error::RecvError};
use toolsmith_core::{CallId, Clock, Event, EventKind, Origin, Text, Value};

/// How many events a subscriber may be behind before it misses some.
const BACKLOG: usize = 4_096;

/// The sending side of the bus.
pub(crate) struct Events {
    listeners: Arc<AtomicUsize>,
    missed: Arc<AtomicU64>,
    next_id: AtomicU64,
    sender: RwLock<Option<broadcast::Sender<Arc<Event>>>>,
    clock: Arc<dyn Clock>,
}

impl Events {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        // The channel's memory is taken when somebody first listens.
        Self {
            listeners: Arc::default(),
            missed: Arc::default(),
            next_id: AtomicU64::new(1),
            sender: RwLock::new(None),
            clock,
        }
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        let mut sender = self.sender.write();
        let sender = sender.get_or_insert_with(|| broadcast::channel(BACKLOG).0);
        self.listeners.fetch_add(1, Relaxed);
        Subscription {
            receiver: sender.subscribe(),
            listeners: Arc::clone(&self.listeners),
            missed: Arc::clone(&self.missed),
        }
    }

    /// Returns how many events subscribers were too slow to hear.
    pub(crate) fn missed(&self) -> u64 {
        self.missed.load(Relaxed)
    }

    /// Tells whether anybody listens; the data of an event is made only then.
    pub(crate) fn is_heard(&self) -> bool {
        self.listeners.load(Relaxed) > 0
    }

    pub(crate) fn emit(
        &self,
        kind: EventKind,
        tool_name: Option<&Text>,
        call: Option<(CallId, Origin)>,
        data: impl FnOnce() -> Value,
    ) {
        if !self.is_heard() {
            return;
        }
        let (call_id, origin) = call.unzip();
        let event = Event {
            id: self.next_id.fetch_add(1, Relaxed),
            kind,
            time: self.clock.now(),
            tool_name: tool_name.cloned(),
            call_id,
            data: data(),
            origin,
        };
        if let Some(sender) = &*self.sender.read() {
            // An error means that the last listener has just gone.
            sender.send(Arc::new(event)).ok();
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Events({} listeners)", self.listeners.load(Relaxed))
    }
}

/// A subscription: the events from its making on.
///
/// It never slows a call: a subscriber that falls too far behind is told how much it missed.
#[derive(Debug)]
pub struct Subscription {
    receiver: broadcast::Receiver<Arc<Event>>,
    listeners: Arc<AtomicUsize>,
    missed: Arc<AtomicU64>,
}

/// What a subscriber hears.
#[derive(Clone, Debug)]
pub enum Heard {
    /// An event.
    Event(Arc<Event>),
    /// The subscriber was too slow and this many events are lost to it.
    Missed(u64),
}

impl Subscription {
    /// Waits for the next event; nothing once the engine has gone.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.receiver.recv().await {
            Ok(event) => Some(Heard::Event(event)),
            Err(RecvError::Lagged(missed)) => Some(self.miss(missed)),
            Err(RecvError::Closed) => None,
        }
    }

    /// Returns the next event if one is there already.
    pub fn try_next(&mut self) -> Option<Heard> {
        match self.receiver.try_recv() {
            Ok(event) => Some(Heard::Event(event)),
            Err(broadcast::error::TryRecvError::Lagged(missed)) => Some(self.miss(missed)),
            Err(_) => None,
        }
    }

    fn miss(&self, missed: u64) -> Heard {
        self.missed.fetch_add(missed, Relaxed);
        Heard::Missed(missed)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.listeners.fetch_sub(1, Relaxed);
    }
}
