//! What a failure of the file system means for whoever asked.

use std::{error::Error, io};

use rustix::io::Errno;
use toolsmith_core::{ErrorKind, ToolError};

use super::{fence::shown, place::Place};

/// Makes the error of a call out of a failure of the file system.
pub(super) fn failure(place: &Place, error: io::Error) -> ToolError {
    let path = shown(&place.given);
    let message = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => return not_found(place),
        // The sandbox refuses without a code of the operating system.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => return denied(place),
        io::ErrorKind::PermissionDenied => {
            let message = format!("Access denied: the operating system does not allow `{path}`.");
            return ToolError::denied(message).with_source(error);
        }
        io::ErrorKind::InvalidFilename => {
            format!("`{path}` has a name that is too long; use names of at most 255 bytes.")
        }
        io::ErrorKind::IsADirectory => return is_folder(place),
        io::ErrorKind::DirectoryNotEmpty => {
            format!("The folder `{path}` is not empty; delete what is in it first.")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("There is no room left to write `{path}`.")
        }
        io::ErrorKind::ReadOnlyFilesystem => format!("`{path}` is on a read-only file system."),
        io::ErrorKind::AlreadyExists => format!("`{path}` exists already; choose another name."),
        io::ErrorKind::CrossesDevices => {
            format!("`{path}` is on another disk: read it, write it there, and delete it here.")
        }
        io::ErrorKind::Interrupted => return cancelled(),
        _ => match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => return denied(place),
            // Opening a socket, or a device that nobody serves.
            Some(Errno::NXIO | Errno::NODEV) => return special(place),
            Some(Errno::INVAL) => format!("That is not possible with `{path}`."),
            _ => return ToolError::failed(format!("`{path}` cannot be used.")).with_source(error),
        },
    };
    ToolError::try_differently(message).with_source(error)
}

/// Says that nothing is there, and where relative paths begin.
pub(super) fn not_found(place: &Place) -> ToolError {
    ToolError::try_differently(format!(
        "`{}` was not found. Relative paths begin at `{}`; list_files shows what is there.",
        shown(&place.given),
        place.start.display()
    ))
    .with_source(io::Error::from(io::ErrorKind::NotFound))
}

/// Tells whether an error says that nothing is there.
pub(super) fn is_missing(error: &ToolError) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|source| source.kind() == io::ErrorKind::NotFound)
}

/// Says that a path leads outside.
pub(super) fn denied(place: &Place) -> ToolError {
    ToolError::denied(format!(
        "Access denied: `{}` leads outside the folder `{}` that file tools may touch.",
        shown(&place.given),
        place.folder.display()
    ))
}

/// Says that a folder is where a file is wanted.
pub(super) fn is_folder(place: &Place) -> ToolError {
    let path = shown(&place.given);
    ToolError::try_differently(format!(
        "`{path}` is a folder, not a file; list_files shows what is in it."
    ))
}

/// Says that a file is where a folder is wanted.
pub(super) fn is_file(place: &Place) -> ToolError {
    ToolError::try_differently(format!("`{}` is a file, not a folder.", shown(&place.given)))
}

/// Says that a pipe, socket or device is where a file is wanted.
pub(super) fn special(place: &Place) -> ToolError {
    let path = shown(&place.given);
    ToolError::failed(format!(
        "`{path}` is a pipe, a socket or a device; file tools use plain files only."
    ))
}

/// Says that the caller has gone.
pub(super) fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "The call was cancelled before it was done.")
}
