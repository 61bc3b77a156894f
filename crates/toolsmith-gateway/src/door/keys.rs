//! The keys that open the door, as they are in the store.

use std::{collections::HashMap, fmt, time::Duration};

use arc_swap::ArcSwap;
use tokio::{sync::Semaphore, time::Instant};
use toolsmith_core::{Rights, Text, Timestamp};
use toolsmith_store::{Key, Seal, Store};

use super::refused::Refused;
use crate::{Visitor, visitor::Entrance};

/// How old what is known of keys may be: a key that is taken back elsewhere opens no longer.
const FRESH: Duration = Duration::from_secs(1);

/// The longest text that could be a key.
const LONGEST: usize = 256;

/// What is said about a key that does not open the door: not why, for whoever has none.
pub(super) const UNKNOWN: &str = "The key is unknown, revoked or has expired.";

/// How thoroughly a key is looked for that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// In the store, where it may have been made a moment ago.
    Fresh,
    /// Among those that are known already.
    Known,
}

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

    /// Finds out who holds a key, or why it does not open the door.
    pub(super) async fn holder_of(
        &self,
        text: &str,
        look: impl Fn() -> Look,
        now: Timestamp,
    ) -> Result<Visitor, Refused> {
        let unknown = || Refused::credential(UNKNOWN);
        // What is no key by its length is never digested.
        let id = Some(text).filter(|text| text.len() <= LONGEST).and_then(Key::id_of);
        let id = id.ok_or_else(unknown)?;
        self.know_from(Instant::now().checked_sub(FRESH)).await;
        if !self.known.load().keys.contains_key(id) && look() == Look::Fresh {
            // It may have been made a moment ago.
            self.know_from(Some(Instant::now())).await;
        }
        let known = self.known.load();
        let key = known.keys.get(id).ok_or_else(unknown)?;
        if self.seal.fits(key, text) && key.is_good(now) {
            return Ok(visitor(key));
        }
        Err(unknown().by(Some(format!("key {id}").into())))
    }

    /// Tells whether there are keys at all, or have been.
    ///
    /// Nobody waits for more than the very first look: who comes without a key is not kept by those
    /// who have one.
    pub(super) async fn has_any(&self) -> bool {
        if !self.known.load().is_from(Instant::now().checked_sub(FRESH)) {
            // What is rare is boxed: the work of every request holds it.
            Box::pin(self.look_again()).await;
        }
        !self.known.load().keys.is_empty()
    }

    async fn look_again(&self) {
        self.know_from(None).await;
        if let Ok(_reading) = self.reading.try_acquire() {
            self.read().await;
        }
    }

    /// Reads the keys unless they were read at that moment or later; those who wait share a look.
    async fn know_from(&self, moment: Option<Instant>) {
        if !self.known.load().is_from(moment) {
            // What is rare is boxed: the work of every request holds it.
            Box::pin(self.read_unless_from(moment)).await;
        }
    }

    async fn read_unless_from(&self, moment: Option<Instant>) {
        let Ok(_reading) = self.reading.acquire().await else { return };
        if !self.known.load().is_from(moment) {
            self.read().await;
        }
    }

    async fn read(&self) {
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
        entrance: Entrance::Key,
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyRing")
    }
}
