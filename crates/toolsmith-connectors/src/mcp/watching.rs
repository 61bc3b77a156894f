//! The resources of a server that somebody follows.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{Notify, watch},
    time::timeout,
};
use toolsmith_core::Watched;

/// How many resources of one server are followed.
const MOST: usize = 1_000;

/// How long it is waited until a server has been asked to tell of a resource.
const PATIENCE: Duration = Duration::from_secs(5);

/// The resources of a server that somebody follows.
#[derive(Debug, Default)]
pub(super) struct Watching {
    table: Mutex<Table>,
    /// Rung when others are followed than before.
    moved: Notify,
    /// Of which state of the table the server knows.
    known: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Table {
    followed: BTreeMap<String, Entry>,
    /// Grows with every change.
    state: u64,
}

#[derive(Debug, Default)]
struct Entry {
    holders: usize,
    changes: watch::Sender<u64>,
}

/// One who follows a resource.
#[derive(Debug)]
struct Hold {
    watching: Arc<Watching>,
    uri: String,
}

impl Watching {
    /// Follows a resource, and waits until the server knows; nothing when there are too many.
    pub(super) async fn follow(self: &Arc<Self>, uri: &str) -> Option<Watched> {
        let (watched, state) = {
            let mut table = self.table.lock();
            if table.followed.len() >= MOST && !table.followed.contains_key(uri) {
                return None;
            }
            let entry = table.followed.entry(uri.to_owned()).or_default();
            entry.holders += 1;
            let (is_new, changes) = (entry.holders == 1, entry.changes.subscribe());
            table.state += u64::from(is_new);
            let hold = Hold { watching: Arc::clone(self), uri: uri.to_owned() };
            (Watched::new(changes, hold), table.state)
        };
        self.moved.notify_one();
        let mut known = self.known.subscribe();
        // A server that takes longer tells of later changes all the same.
        timeout(PATIENCE, known.wait_for(|known| *known >= state)).await.ok();
        Some(watched)
    }

    /// Returns what is followed, and the state of which that is said.
    pub(super) fn followed(&self) -> (BTreeSet<String>, u64) {
        let table = self.table.lock();
        (table.followed.keys().cloned().collect(), table.state)
    }

    /// Says that the server knows of a state.
    pub(super) fn settle(&self, state: u64) {
        self.known.send_replace(state);
    }

    /// Waits until others are followed than before.
    pub(super) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// Tells who follows a resource that it has changed; false when nobody does.
    ///
    /// A server may name a part of what is followed.
    pub(super) fn note(&self, uri: &str) -> bool {
        let table = self.table.lock();
        let is_meant = |followed: &str| {
            uri.strip_prefix(followed).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut is_heard = false;
        for (_, entry) in table.followed.iter().filter(|(followed, _)| is_meant(followed)) {
            entry.changes.send_modify(|times| *times += 1);
            is_heard = true;
        }
        is_heard
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut table = self.watching.table.lock();
        let is_last = table.followed.get_mut(&self.uri).is_some_and(|entry| {
            entry.holders -= 1;
            entry.holders == 0
        });
        if is_last {
            table.followed.remove(&self.uri);
            table.state += 1;
            drop(table);
            self.watching.moved.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_resource_is_followed_for_as_long_as_somebody_does() {
        let watching = Arc::new(Watching::default());
        let server = async {
            watching.moved().await;
            let (followed, state) = watching.followed();
            watching.settle(state);
            followed
        };
        let (one, followed) = tokio::join!(watching.follow("a://x"), server);
        assert_eq!(followed, BTreeSet::from(["a://x".to_owned()]));
        let (mut one, mut two) = (one.unwrap(), watching.follow("a://x").await.unwrap());
        assert!(watching.note("a://x/part") && !watching.note("a://xy"));
        assert!(one.take_change() && two.take_change() && !two.take_change());
        drop(one);
        assert!(watching.note("a://x") && two.take_change());
        drop(two);
        assert!(watching.followed().0.is_empty() && !watching.note("a://x"));
    }
}
