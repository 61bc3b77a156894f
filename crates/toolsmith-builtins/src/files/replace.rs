//! Puts a whole file in its place at once: readers see the old one or the new one, never a half.

use std::{ffi::OsStr, io, io::Write};

use cap_std::fs::{Dir, File, MetadataExt, OpenOptions, Permissions, PermissionsExt};
use toolsmith_core::ToolContext;

/// How many names are tried for the file that is written first.
const TRIES: u32 = 16;

/// Writes a file beside its place and then moves it there; both in the same open folder.
pub(super) fn replace(cx: &ToolContext, dir: &Dir, name: &OsStr, content: &[u8]) -> io::Result<()> {
    let (mut file, temporary) = create(cx, dir)?;
    let written = fill(dir, name, &mut file, content)
        .and_then(|()| if cx.is_cancelled() { Err(gone()) } else { Ok(()) })
        .and_then(|()| dir.rename(&temporary, dir, name));
    if written.is_err() {
        dir.remove_file(&temporary).ok();
    }
    written
}

fn fill(dir: &Dir, name: &OsStr, file: &mut File, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    // A script stays a script; bits that give rights of the owner away are not taken over.
    if let Ok(before) = dir.symlink_metadata(name)
        && before.is_file()
    {
        file.set_permissions(Permissions::from_mode(before.mode() & 0o777))?;
    }
    // Without this a crash could leave an empty file in the place of a full one.
    file.sync_all()
}

fn create(cx: &ToolContext, dir: &Dir) -> io::Result<(File, String)> {
    for number in 0..TRIES {
        let name = format!(".toolsmith-{}-{number}.tmp", cx.call_id());
        match dir.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, name)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The caller left while the file was written, so it is not put in place.
fn gone() -> io::Error {
    io::ErrorKind::Interrupted.into()
}
