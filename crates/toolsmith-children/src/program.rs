//! Finds the file of a program, as a shell would, but without one.

use std::{
    env,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

use crate::ChildError;

/// Finds a program: by its path from `folder` if it has a slash, else in the folders of `path`.
///
/// Folders of `path` that are not absolute are passed over: what stands in the current folder is
/// not a program just because it has the name of one.
pub fn find(program: &str, path: &str, folder: &Path) -> Result<PathBuf, ChildError> {
    if program.contains('/') {
        let file = folder.join(program);
        return if file.is_file() {
            Ok(file)
        } else {
            Err(not_found(program, &file.to_string_lossy()))
        };
    }
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    let mut files = folders.map(|folder| folder.join(program));
    let found = files.find(|file| file.is_file() && access(file, Access::EXEC_OK).is_ok());
    found.filter(|_| !program.is_empty()).ok_or_else(|| not_found(program, &format!("PATH={path}")))
}

fn not_found(program: &str, searched: &str) -> ChildError {
    ChildError::NotFound { program: program.to_owned(), searched: searched.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_looked_for_in_the_path_only() {
        let here = tempfile::tempdir().unwrap();
        std::fs::write(here.path().join("sh"), "").unwrap();
        let found = find("sh", "bin:/nowhere:/usr/bin:/bin", here.path()).unwrap();
        assert!(found.is_absolute() && found.ends_with("sh"));
        assert!(find("sh", ".:", here.path()).is_err());
        assert!(find("", "/usr/bin", here.path()).is_err());
    }

    #[test]
    fn a_path_begins_at_the_folder() {
        let here = tempfile::tempdir().unwrap();
        std::fs::write(here.path().join("run"), "").unwrap();
        assert_eq!(find("./run", "", here.path()).unwrap(), here.path().join("./run"));
        let error = find("./walk", "", here.path()).unwrap_err();
        assert!(error.to_string().starts_with("there is no program `./walk`"), "{error}");
    }
}
