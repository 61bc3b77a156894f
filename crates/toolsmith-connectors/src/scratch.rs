//! Folders that only we may look into, for as long as they are needed.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{
        Once,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::{
    fs::{FlockOperation, flock},
    process::getuid,
};

/// What the names of all such folders begin with.
const PREFIX: &str = "toolsmith-";

/// The file in it that is locked for as long as somebody needs the folder.
const LOCK: &str = "lock";

/// A folder that only we may look into; removed when it is dropped.
///
/// Those of a process that was killed are removed by the next one that makes any.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Makes an empty folder.
    pub(crate) fn make() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        static SWEPT: Once = Once::new();
        // The path of a socket has room for about 100 characters, so the folder stands high up.
        let above = std::env::temp_dir();
        SWEPT.call_once(|| sweep(&above));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = above.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        let lock = File::create(path.join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self { path, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.path).ok();
    }
}

/// Removes folders of ours that nobody needs any more.
fn sweep(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_ours = || {
            // A link is none of ours, wherever it leads.
            let meta = fs::symlink_metadata(entry.path());
            meta.is_ok_and(|meta| meta.is_dir() && meta.uid() == getuid().as_raw())
        };
        if is_named && is_ours() && is_left(&entry.path()) {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// Tells whether the one who made a folder is gone; one without a lock may be in the making.
fn is_left(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return false };
    flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_private_and_goes_with_its_owner() {
        let scratch = Scratch::make().unwrap();
        let path = scratch.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        fs::write(path.join("file"), "x").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn only_what_nobody_needs_any_more_is_swept() {
        let above = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let folder = above.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        };
        let (left, held) = (make("toolsmith-1-1"), make("toolsmith-1-2"));
        let (fresh, other) = (make("toolsmith-1-3"), make("other"));
        for folder in [&left, &held, &other] {
            File::create(folder.join(LOCK)).unwrap();
        }
        let lock = File::open(held.join(LOCK)).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        sweep(above.path());
        assert_eq!(
            [left, held, fresh, other].map(|folder| folder.exists()),
            [false, true, true, true]
        );
    }
}
