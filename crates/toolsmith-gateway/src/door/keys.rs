//! The keys that open the door, as they are in the store.

use std::{collections::HashMap, fmt, time::Duration};

use arc_swap::ArcSwap;
use tokio::{sync::Semaphore, time::Instant};
use toolsmith_core::{Rights, Text, Timestamp};
use toolsmith_store::{Key, Seal, Store};

use crate::Visitor;

/// How old what is known of keys may be: a key that is taken back elsewhere opens no longer.
const FRESH: Duration = Duration::from_secs(1);

/// The keys of a store, read again now and then; looking a key up reads no file.
pub struct KeyRing {
    store: Store,
    seal: Seal,
    known: ArcSwap<Known>,
    /// One looks at a time.
    reading: Semaphore,
}

#[derive(Default)]
struct Known {
    keys: HashMap<Text, Key>,
    /// Nothing before the first look.
    read_at: Option<Instant>,
}

impl Known {
    fn is_from(&self, moment: Option<Instant>) -> bool {
        self.read_at.is_some() && self.read_at >= moment
    }
}

impl KeyRing {
    /// Makes a ring of the keys in a store.
    pub fn new(store: Store, seal: Seal) -> Self {
        Self { store, seal, known: ArcSwap::default(), reading: Semaphore::new(1) }
    }

    /// Returns who holds a key; nothing when it is none, or none that is good.
    pub(super) async fn holder_of(&self, text: &str, now: Timestamp) -> Option<Visitor> {
        let id = Key::id_of(text)?;
        self.know_from(Instant::now().checked_sub(FRESH)).await;
        if !self.known.load().keys.contains_key(id) {
            // It may have been made a moment ago.
            self.know_from(Some(Instant::now())).await;
        }
        let known = self.known.load();
        let key = known.keys.get(id)?;
        (self.seal.fits(key, text) && key.is_good(now)).then(|| visitor(key))
    }

    /// Reads the keys unless they were read at that moment or later; those who wait share a look.
    async fn know_from(&self, moment: Option<Instant>) {
        if self.known.load().is_from(moment) {
            return;
        }
        let Ok(_reading) = self.reading.acquire().await else { return };
        if self.known.load().is_from(moment) {
            return;
        }
        let read_at = Some(Instant::now());
        match self.store.keys().await {
            Ok(keys) => {
                let keys = keys.into_iter().map(|key| (key.id.clone(), key)).collect();
                self.known.store(Known { keys, read_at }.into());
            }
            // What was known stays good: a store in trouble must not lock everyone out.
            Err(error) => tracing::warn!(%error, "the keys cannot be read"),
        }
    }
}

fn visitor(key: &Key) -> Visitor {
    Visitor {
        id: key.name.clone(),
        rights: Rights {
            tools: key.tools.clone(),
            namespace: None,
            allowance: key.allowance,
            role: key.role,
        },
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyRing")
    }
}
