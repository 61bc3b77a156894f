//! The cache of one read-only tool.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;
use tokio::time::Instant;
use toolsmith_core::CachePolicy;

use crate::time::later;

use super::flight::{Answer, Landing, Sender};

/// The answers of one tool that are still good, and the calls that are making new ones.
#[derive(Debug)]
pub(crate) struct Cache {
    policy: CachePolicy,
    slots: Mutex<LruCache<String, Slot>>,
}

#[derive(Debug)]
enum Slot {
    UnderWay(Landing),
    Good { answer: Arc<Answer>, until: Instant },
}

/// What a look into the cache shows.
#[derive(Debug)]
pub(crate) enum Cached<'a> {
    /// A good answer.
    Hit(Arc<Answer>),
    /// An equal call is under way.
    UnderWay(Landing),
    /// Nothing: the caller runs, and others wait for it.
    Lead(Lead<'a>),
}

impl Cache {
    pub(crate) fn new(policy: CachePolicy) -> Self {
        // Unbounded as a list, which would otherwise take its whole memory at once; trimmed below.
        Self { policy, slots: Mutex::new(LruCache::unbounded()) }
    }

    /// Tells whether callers share answers.
    pub(crate) fn is_shared(&self) -> bool {
        self.policy.shared
    }

    pub(crate) fn look(&self, key: &str) -> Cached<'_> {
        let mut slots = self.slots.lock();
        match slots.get(key) {
            Some(Slot::UnderWay(landing)) => return Cached::UnderWay(landing.clone()),
            Some(Slot::Good { answer, until }) if *until > Instant::now() => {
                return Cached::Hit(Arc::clone(answer));
            }
            _ => {}
        }
        let (sender, landing) = Landing::new();
        if slots.len() >= self.policy.max_entries.max(1) {
            slots.pop_lru();
        }
        slots.put(key.to_owned(), Slot::UnderWay(landing));
        Cached::Lead(Lead { cache: self, key: key.to_owned(), sender: Some(sender) })
    }
}

/// The duty of the call that runs: leave an answer, or make room for another to run.
#[derive(Debug)]
pub(crate) struct Lead<'a> {
    cache: &'a Cache,
    key: String,
    sender: Option<Sender>,
}

impl Lead<'_> {
    pub(crate) fn land(mut self, answer: &Arc<Answer>) {
        let Some(sender) = self.sender.take() else { return };
        let mut slots = self.cache.slots.lock();
        if answer.result.is_ok() {
            let until = later(Instant::now(), self.cache.policy.ttl);
            slots.put(self.key.clone(), Slot::Good { answer: Arc::clone(answer), until });
            while slots.len() > self.cache.policy.max_entries.max(1) {
                slots.pop_lru();
            }
        } else {
            slots.pop(&self.key);
        }
        drop(slots);
        if answer.holds_for_others() {
            sender.send_replace(Some(Arc::clone(answer)));
        }
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if self.sender.is_some() {
            self.cache.slots.lock().pop(&self.key);
        }
    }
}
