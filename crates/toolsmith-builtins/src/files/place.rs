//! A place beneath an allowed folder, and the handles by which it is reached.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, Metadata, OpenOptions, OpenOptionsExt},
};
use rustix::fs::OFlags;
use toolsmith_core::ToolError;

use super::failure::{failure, is_file, is_folder, special};

/// How many links in a row are followed to the file that is to be written.
const MOST_LINKS: usize = 8;

/// A place beneath an allowed folder, as the text of a path says.
#[derive(Debug)]
pub(super) struct Place {
    /// The allowed folder.
    pub(super) folder: PathBuf,
    /// The way from there, without `.` and `..`; empty for the folder itself.
    pub(super) rest: PathBuf,
    /// The path as it was given.
    pub(super) given: String,
    /// Where relative paths begin.
    pub(super) start: PathBuf,
}

impl Place {
    /// Opens the allowed folder; everything else is opened beneath it.
    pub(super) fn root(&self) -> Result<Dir, ToolError> {
        Dir::open_ambient_dir(&self.folder, ambient_authority())
            .map_err(|error| failure(self, error))
    }

    /// Opens the allowed folder, and makes it first if need be.
    pub(super) fn root_or_new(&self) -> Result<Dir, ToolError> {
        Dir::create_ambient_dir_all(&self.folder, ambient_authority())
            .map_err(|error| failure(self, error))?;
        self.root()
    }

    /// Returns the way from the allowed folder as the sandbox takes it.
    pub(super) fn way(&self) -> &Path {
        if self.rest.as_os_str().is_empty() { Path::new(".") } else { &self.rest }
    }

    /// Tells whether it is the allowed folder itself.
    pub(super) fn is_root(&self) -> bool {
        self.rest.as_os_str().is_empty()
    }

    /// Asks what is there; links are followed inside the folder only.
    pub(super) fn metadata(&self, root: &Dir) -> io::Result<Metadata> {
        root.metadata(self.way())
    }

    /// Opens a plain file for reading.
    pub(super) fn open(&self, root: &Dir) -> Result<(File, Metadata), ToolError> {
        let fail = |error| failure(self, error);
        // Opening a device can act on it, so what is there is asked before and after.
        self.plain(&self.metadata(root).map_err(fail)?)?;
        let file = open_plain(root, self.way()).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        self.plain(&metadata)?;
        Ok((file, metadata))
    }

    /// Opens a folder.
    pub(super) fn open_folder(&self) -> Result<Dir, ToolError> {
        let root = self.root()?;
        if !self.metadata(&root).map_err(|error| failure(self, error))?.is_dir() {
            return Err(is_file(self));
        }
        root.open_dir(self.way()).map_err(|error| failure(self, error))
    }

    /// Opens the folder that the file is in, and makes it if need be; returns the file's name.
    ///
    /// Links in the place of the file are followed, so that what is written is what they mean.
    pub(super) fn slot(&self, root: &Dir) -> Result<(Dir, OsString), ToolError> {
        let fail = |error| failure(self, error);
        let mut way = self.rest.clone();
        for _ in 0..MOST_LINKS {
            let (Some(name), Some(parent)) = (way.file_name(), way.parent()) else {
                // A link to `..` or to the allowed folder: a folder, or a way out.
                let way = if way.as_os_str().is_empty() { Path::new(".") } else { &way };
                root.metadata(way).map_err(fail)?;
                return Err(is_folder(self));
            };
            let dir = open_or_create(root, parent).map_err(fail)?;
            match dir.symlink_metadata(name) {
                Ok(metadata) if metadata.is_symlink() => {
                    way = parent.join(dir.read_link_contents(name).map_err(fail)?);
                }
                Ok(metadata) => {
                    self.plain(&metadata)?;
                    return Ok((dir, name.to_owned()));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok((dir, name.to_owned()));
                }
                Err(error) => return Err(fail(error)),
            }
        }
        Err(super::failure::denied(self))
    }

    /// Writes the path of something beneath this place so that it can be given back.
    pub(super) fn beneath(&self, relative: &str) -> String {
        let given = self.given.trim_end_matches('/');
        match given.trim_start_matches("./") {
            "" if self.given.starts_with('/') => format!("/{relative}"),
            "" | "." => relative.to_owned(),
            folder => format!("{folder}/{relative}"),
        }
    }

    fn plain(&self, metadata: &Metadata) -> Result<(), ToolError> {
        if metadata.is_dir() {
            return Err(is_folder(self));
        }
        if metadata.is_file() { Ok(()) } else { Err(special(self)) }
    }
}

/// Opens a file for reading; a pipe or a device that was swapped in does not hold the thread.
pub(super) fn open_plain(dir: &Dir, way: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    dir.open_with(way, OpenOptions::new().read(true).custom_flags(flags))
}

/// Returns when a file was last changed, in Unix milliseconds.
pub(super) fn modified(metadata: &Metadata) -> Option<i64> {
    let moment = metadata.modified().ok()?.into_std();
    match moment.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).ok(),
        Err(before) => i64::try_from(before.duration().as_millis()).ok().map(|millis| -millis),
    }
}

fn open_or_create(root: &Dir, parent: &Path) -> io::Result<Dir> {
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    match root.open_dir(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            root.create_dir_all(parent)?;
            root.open_dir(parent)
        }
        opened => opened,
    }
}
