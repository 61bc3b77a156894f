//! The files and folders that a sandbox names.
//!
//! What lies in a folder that the child may change can be replaced by the child, with a link to
//! anything. So nothing in there is ever looked up from outside: it is open to the child anyway.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::Sandbox;
use crate::Command;

/// What a child is shown besides the system, by absolute paths.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
    /// What holds the rules of a repository in a folder of `write`, and is not listed itself.
    pub(super) repositories: Vec<PathBuf>,
}

impl Places {
    /// Collects the program, the folder that it starts in, and what the sandbox lists.
    pub(super) fn of(command: &Command, sandbox: &Sandbox) -> io::Result<Self> {
        let absolute = |path: &PathBuf| std::path::absolute(path);
        let listed = sandbox.write.iter().map(absolute).collect::<io::Result<Vec<PathBuf>>>()?;
        let own = [&command.program, &command.folder];
        // A program that starts in `/` is not meant to see everything.
        let own = own.into_iter().filter(|path| path.parent().is_some());
        let read = own.chain(&sandbox.read).map(absolute).collect::<io::Result<Vec<PathBuf>>>()?;
        let write = outside(listed.clone(), &listed)?;
        let repositories = write.iter().map(|folder| folder.join(".git"));
        let is_kept =
            |path: &PathBuf| !listed.contains(path) && !path.is_symlink() && path.exists();
        Ok(Self {
            repositories: repositories.filter(is_kept).collect(),
            read: outside(read, &listed)?,
            write,
        })
    }
}

/// Keeps the paths that do not lie in a folder of the list.
fn outside(paths: Vec<PathBuf>, folders: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let folders: Vec<(&PathBuf, PathBuf)> = folders
        .iter()
        .map(|folder| (folder, folder.canonicalize().unwrap_or_else(|_| folder.clone())))
        .collect();
    let mut kept = Vec::new();
    for path in paths {
        let holder = folders.iter().find(|(_, real)| is_inside(&path, real));
        match holder {
            None => kept.push(path),
            Some((folder, real)) if path.starts_with(folder) || path.starts_with(real) => {}
            Some((folder, _)) => {
                let (path, folder) = (path.display(), folder.display());
                let message = format!("`{path}` lies in `{folder}` but does not begin like it");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        }
    }
    Ok(kept)
}

/// Tells whether the way to a path leads through a folder, by whatever name.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let mut above = path.ancestors().skip(1);
    above.any(|above| above.canonicalize().is_ok_and(|above| above.starts_with(folder)))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;
    use crate::Profile;

    #[test]
    fn what_the_child_can_replace_is_not_looked_up() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("own/inner")).unwrap();
        fs::create_dir_all(at("other")).unwrap();
        symlink("/etc", at("own/link")).unwrap();
        symlink(at("own"), at("alias")).unwrap();
        for repository in ["own/.git", "own/inner/.git", "other/.git"] {
            fs::create_dir(at(repository)).unwrap();
        }
        let command = Command::new("/bin/sh", &at("own/link"));
        let sandbox = |read: &[&str]| Sandbox {
            read: read.iter().map(|path| at(path)).collect(),
            write: vec![at("own"), at("own/inner")],
            ..Sandbox::new(Profile::Strict)
        };
        let places = Places::of(&command, &sandbox(&["other", "own/link"])).unwrap();
        assert_eq!(places.read, [Path::new("/bin/sh"), &at("other")]);
        assert_eq!((places.write, places.repositories), (vec![at("own")], vec![at("own/.git")]));
        let error = Places::of(&command, &sandbox(&["alias/link"])).unwrap_err();
        assert!(error.to_string().contains("does not begin like it"), "{error}");
    }
}
