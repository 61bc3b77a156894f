//! The resources that a client follows.

use std::{collections::BTreeMap, fmt, sync::Arc};

use parking_lot::Mutex;
use toolsmith_core::Rights;
use toolsmith_engine::registry::Entry;

use super::TOOLS;
use crate::Gateway;

/// How many resources a client may follow.
const MOST: usize = 1_000;

/// The resources that a client follows, and what it has seen of them.
#[derive(Clone, Default)]
pub(crate) struct Followed(Arc<Mutex<BTreeMap<String, Option<Arc<Entry>>>>>);

impl Followed {
    /// Follows one more; false when there are too many.
    pub(crate) fn follow(&self, gateway: &Gateway, rights: &Rights, uri: &str) -> bool {
        let now = shown(gateway, rights, uri);
        let mut followed = self.0.lock();
        let has_room = followed.len() < MOST || followed.contains_key(uri);
        if has_room {
            followed.insert(uri.to_owned(), now);
        }
        has_room
    }

    /// Follows one no longer.
    pub(crate) fn leave(&self, uri: &str) {
        self.0.lock().remove(uri);
    }

    /// Returns those that are others than when they were last looked at.
    pub(crate) fn changed(&self, gateway: &Gateway, rights: &Rights) -> Vec<String> {
        let mut changed = Vec::new();
        for (uri, seen) in self.0.lock().iter_mut() {
            let now = shown(gateway, rights, uri);
            let is_same = match (&now, &*seen) {
                (Some(now), Some(seen)) => Arc::ptr_eq(now, seen),
                (now, seen) => now.is_none() && seen.is_none(),
            };
            if !is_same {
                *seen = now;
                changed.push(uri.clone());
            }
        }
        changed
    }
}

/// Returns the tool that a page is about.
fn shown(gateway: &Gateway, rights: &Rights, uri: &str) -> Option<Arc<Entry>> {
    gateway.0.engine.registry().visible(uri.strip_prefix(TOOLS)?, rights)
}

impl fmt::Debug for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Followed({})", self.0.lock().len())
    }
}
