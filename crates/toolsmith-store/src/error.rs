//! What can go wrong with a store, by what its user can do about it.

use std::{error::Error, io, path::PathBuf};

/// Why a store cannot be opened or asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder cannot be made or read.
    #[error("cannot use the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no database to read.
    #[error("there are no records at {}: the file does not exist", path.display())]
    Missing {
        /// The database file.
        path: PathBuf,
    },
    /// The database was written by a newer Toolsmith.
    #[error(
        "{} has schema version {found}, and this toolsmith knows versions up to {known}; \
         upgrade toolsmith",
        path.display()
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The version of the file.
        found: i64,
        /// The newest version that this build knows.
        known: i64,
    },
    /// The database is older than this build, and may not be changed.
    #[error(
        "{} has schema version {found}, and this toolsmith reads version {known}; \
         open it once for writing, and it is brought up to date",
        path.display()
    )]
    Older {
        /// The database file.
        path: PathBuf,
        /// The version of the file.
        found: i64,
        /// The version that this build reads.
        known: i64,
    },
    /// The file is something else, or broken.
    #[error("{} is not a Toolsmith database or is damaged ({reason}); move it away to start anew", path.display())]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be opened or written at this time.
    #[error("cannot write to {}: {reason}", path.display())]
    CannotWrite {
        /// The database file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The file cannot be opened or read at this time.
    #[error("cannot read {}: {reason}", path.display())]
    CannotRead {
        /// The database file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The store was opened for reading only.
    #[error("the record store is open for reading only")]
    ReadOnly,
    /// The store is closed.
    #[error("the record store is closed")]
    Closed,
    /// The records are gone, but copies of their text may still lie in the file.
    #[error(
        "the records are erased, but traces of their text may remain in {} ({reason}); \
         erase again to clear them",
        path.display()
    )]
    Traces {
        /// The database file.
        path: PathBuf,
        /// Why the file could not be cleaned.
        reason: String,
    },
    /// An artifact cannot be written, read or removed.
    #[error("cannot use the artifact file {}: {source}", path.display())]
    Artifact {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An export cannot be written out.
    #[error("cannot write the export")]
    Export {
        /// What the receiving end said.
        source: Box<dyn Error + Send + Sync>,
    },
}
