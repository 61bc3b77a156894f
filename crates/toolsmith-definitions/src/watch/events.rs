//! Listens to the file system, folder by folder.

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf, absolute},
    sync::Arc,
};

use notify::{
    Config, ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, ModifyKind},
};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Wakes whoever waits when something happens in the folders that are followed.
///
/// Folders are followed one by one, as the walk finds them: links to folders and folders that come
/// later are then treated like any other.
pub(super) struct FileEvents {
    watcher: RecommendedWatcher,
    shared: Arc<Shared>,
    roots: Vec<PathBuf>,
    followed: BTreeSet<PathBuf>,
}

#[derive(Default)]
struct Shared {
    happened: Notify,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The folders whose entries matter.
    folders: BTreeSet<PathBuf>,
    /// The folders that were opened; each matters in its parent too, where it may be put back.
    roots: Vec<PathBuf>,
    /// The folders that those stand in.
    parents: BTreeSet<PathBuf>,
    /// Folders that were removed or moved: the system follows the old one, not what took its place.
    lost: BTreeSet<PathBuf>,
}

impl FileEvents {
    /// Begins to listen; nothing, with a warning, where the system does not allow it.
    pub(super) fn open(roots: &[PathBuf]) -> Option<Self> {
        let roots: Vec<PathBuf> = roots.iter().filter_map(|root| absolute(root).ok()).collect();
        let shared = Arc::new(Shared::default());
        {
            let mut known = shared.known.lock();
            known.roots.clone_from(&roots);
            let parents = roots.iter().filter_map(|root| root.parent());
            known.parents = parents.map(Path::to_owned).collect();
        }
        let heard = Arc::clone(&shared);
        let handler = move |event: notify::Result<notify::Event>| heard.hear(event);
        match RecommendedWatcher::new(handler, Config::default()) {
            Ok(watcher) => Some(Self { watcher, shared, roots, followed: BTreeSet::new() }),
            Err(error) => {
                tracing::warn!(%error, "cannot listen to file events; polling instead");
                None
            }
        }
    }

    /// Waits until something happens; what happened since the last wait counts.
    pub(super) async fn next(&self) {
        self.shared.happened.notified().await;
    }

    /// Tells whether the folder of a file is followed, so that nothing happens to it unheard.
    pub(super) fn hears(&self, file: &Path) -> bool {
        let file = absolute(file).ok();
        file.as_deref().and_then(Path::parent).is_some_and(|folder| self.followed.contains(folder))
    }

    /// Follows these folders and no others; tells whether one is new.
    pub(super) fn follow(&mut self, folders: &BTreeSet<PathBuf>) -> notify::Result<bool> {
        let folders: BTreeSet<PathBuf> =
            folders.iter().filter_map(|folder| absolute(folder).ok()).collect();
        let lost = {
            let mut known = self.shared.known.lock();
            known.folders.clone_from(&folders);
            std::mem::take(&mut known.lost)
        };
        let parents = self.roots.iter().filter_map(|root| root.parent());
        let wanted: BTreeSet<PathBuf> =
            folders.iter().map(PathBuf::as_path).chain(parents).map(Path::to_owned).collect();
        let is_over = |folder: &&PathBuf| lost.contains(*folder) || !wanted.contains(*folder);
        let over: Vec<PathBuf> = self.followed.iter().filter(is_over).cloned().collect();
        for folder in over {
            // It fails when the folder is gone, and then there is nothing to end.
            self.watcher.unwatch(&folder).ok();
            self.followed.remove(&folder);
        }
        let mut is_new = false;
        for folder in wanted {
            if self.followed.contains(&folder) {
                continue;
            }
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    is_new = true;
                    self.followed.insert(folder);
                }
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(is_new)
    }
}

/// A folder may go between the walk and the listening, or its parent may never have been there.
fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

impl Shared {
    fn hear(&self, event: notify::Result<notify::Event>) {
        let is_worth_a_look = match event {
            // Reading is what we do ourselves.
            Ok(event) if is_reading(event.kind) => false,
            Ok(event) => event.need_rescan() || self.known.lock().concerns(&event),
            Err(_) => true,
        };
        if is_worth_a_look {
            self.happened.notify_one();
        }
    }
}

impl Known {
    fn concerns(&mut self, event: &notify::Event) -> bool {
        let is_leaving =
            matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
        let known = self.lost.len();
        if is_leaving {
            let (folders, parents) = (&self.folders, &self.parents);
            let is_ours = |path: &&PathBuf| folders.contains(*path) || parents.contains(*path);
            self.lost.extend(event.paths.iter().filter(is_ours).cloned());
        }
        let has_lost = self.lost.len() > known;
        has_lost
            || event.paths.iter().any(|path| {
                let is_inside = path.parent().is_some_and(|parent| self.folders.contains(parent));
                is_inside || self.folders.contains(path) || self.roots.contains(path)
            })
    }
}

fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}

impl fmt::Debug for FileEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileEvents({} folders)", self.followed.len())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;

    #[tokio::test]
    async fn a_file_is_heard_as_long_as_its_folder_is_there() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("data/switches.json");
        let mut events = FileEvents::open(std::slice::from_ref(&file)).unwrap();
        let nothing = BTreeSet::new();
        assert!(!events.follow(&nothing).unwrap() && !events.hears(&file));
        for _ in 0..2 {
            fs::create_dir(root.path().join("data")).unwrap();
            assert!(events.follow(&nothing).unwrap() && events.hears(&file));
            fs::remove_dir(root.path().join("data")).unwrap();
            let gone = tokio::time::timeout(Duration::from_secs(10), events.next());
            gone.await.expect("the end of the folder is heard");
            assert!(!events.follow(&nothing).unwrap() && !events.hears(&file));
        }
    }
}
