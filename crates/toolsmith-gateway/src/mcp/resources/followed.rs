//! The resources that a client follows.

use std::{collections::BTreeMap, fmt, sync::Arc};

use parking_lot::Mutex;
use toolsmith_core::{Rights, Watched};
use toolsmith_engine::registry::Entry;

use super::TOOLS;
use crate::Gateway;

/// How many resources a client may follow.
const MOST: usize = 1_000;

/// The resources that a client follows, and what it has seen of them.
#[derive(Clone, Default)]
pub(crate) struct Followed(Arc<Mutex<BTreeMap<String, Seen>>>);

/// What a client has seen of a resource.
enum Seen {
    /// The page of a tool; nothing while it may see no such tool.
    Page(Option<Arc<Entry>>),
    /// A resource of others.
    Other(Watched),
    /// Something that does not change, or of which nobody tells.
    Still,
}

impl Followed {
    /// Follows one more; false when there are too many.
    pub(crate) async fn follow(&self, gateway: &Gateway, rights: &Rights, uri: &str) -> bool {
        if !self.has_room(uri) {
            return false;
        }
        let seen = look(gateway, rights, uri).await;
        let has_room = self.has_room(uri);
        if has_room {
            self.0.lock().insert(uri.to_owned(), seen);
        }
        has_room
    }

    fn has_room(&self, uri: &str) -> bool {
        let followed = self.0.lock();
        followed.len() < MOST || followed.contains_key(uri)
    }

    /// Follows one no longer.
    pub(crate) fn leave(&self, uri: &str) {
        self.0.lock().remove(uri);
    }

    /// Returns those that are others than when they were last looked at.
    pub(crate) fn changed(&self, gateway: &Gateway, rights: &Rights) -> Vec<String> {
        let mut changed = Vec::new();
        for (uri, seen) in self.0.lock().iter_mut() {
            let is_same = match seen {
                Seen::Page(seen) => is_same_page(seen, shown(gateway, rights, uri)),
                Seen::Other(watched) => !watched.take_change(),
                Seen::Still => true,
            };
            if !is_same {
                changed.push(uri.clone());
            }
        }
        changed
    }
}

/// Looks at a resource for the first time.
async fn look(gateway: &Gateway, rights: &Rights, uri: &str) -> Seen {
    if uri.starts_with(TOOLS) {
        return Seen::Page(shown(gateway, rights, uri));
    }
    let watched = match gateway.0.house.library() {
        Some(library) => library.watch(uri, rights).await,
        None => None,
    };
    watched.map_or(Seen::Still, Seen::Other)
}

/// Tells whether a page is the one that was seen last, and remembers it.
fn is_same_page(seen: &mut Option<Arc<Entry>>, now: Option<Arc<Entry>>) -> bool {
    let is_same = match (&now, &*seen) {
        (Some(now), Some(seen)) => Arc::ptr_eq(now, seen),
        (now, seen) => now.is_none() && seen.is_none(),
    };
    *seen = now;
    is_same
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
