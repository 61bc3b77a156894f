//! Decides by the text of a path which allowed folder it is in; the file system is not asked.

use std::path::{Component, Path, PathBuf};

use toolsmith_core::{ToolContext, ToolError};

use super::place::Place;
use crate::Settings;

/// The longest path, in bytes; the kernel takes no longer one either.
const LONGEST: usize = 4_096;

/// The folders that file tools may touch, and where relative paths begin.
#[derive(Clone, Debug)]
pub(super) struct Fence {
    allowed: Vec<PathBuf>,
    working_folder: PathBuf,
}

impl Fence {
    /// Takes the folders of the settings.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            allowed: settings.allowed_paths.clone(),
            working_folder: settings.working_folder.clone(),
        }
    }

    /// Finds the place that a path means in a call, or refuses it.
    pub(super) fn find(&self, cx: &ToolContext, path: &str) -> Result<Place, ToolError> {
        check(path)?;
        let allowed = self.allowed(cx);
        let Some(first) = allowed.first() else {
            return Err(ToolError::denied("Access denied: file tools may touch no folder here."));
        };
        let found = self.beneath(&allowed, Path::new(path));
        let Some((folder, rest)) = found else { return Err(outside(path, &allowed)) };
        Ok(Place { folder, rest, given: path.to_owned(), start: first.clone() })
    }

    fn allowed(&self, cx: &ToolContext) -> Vec<PathBuf> {
        let allowed = cx.context().allowed_paths.as_deref().unwrap_or(&self.allowed);
        // A folder that only `..` could describe is dropped: nothing is beneath it for sure.
        allowed.iter().filter_map(|folder| plain(&self.working_folder.join(folder))).collect()
    }

    /// Splits a path into an allowed folder and the rest beneath it.
    fn beneath(&self, allowed: &[PathBuf], path: &Path) -> Option<(PathBuf, PathBuf)> {
        if let Some(whole) = plain(&self.working_folder.join(path)) {
            // The outermost folder: those inside it could be swapped for links by its users.
            let folders = allowed.iter().filter(|folder| whole.starts_with(folder));
            if let Some(folder) = folders.min_by_key(|folder| folder.components().count()) {
                return Some((folder.clone(), whole.strip_prefix(folder).ok()?.to_path_buf()));
            }
        }
        if path.is_absolute() {
            return None;
        }
        Some((allowed.first()?.clone(), plain(path)?))
    }
}

/// Refuses what is no path at all.
fn check(path: &str) -> Result<(), ToolError> {
    let problem = if path.trim().is_empty() {
        "The path is empty; write `.` for the allowed folder itself."
    } else if path.contains('\0') {
        "The path has a NUL character in it, which no file name can have."
    } else if path.len() > LONGEST {
        "The path is too long; at most 4096 bytes are possible."
    } else if path.contains("://") {
        "The path is a URL; write the plain path of a file."
    } else if path == "~" || path.starts_with("~/") {
        "`~` is not expanded; write a path inside the allowed folder."
    } else {
        return Ok(());
    };
    Err(ToolError::validation(problem))
}

/// Takes `.` and `..` out of a path by its text; nothing when `..` leads above its beginning.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.file_name()?;
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    Some(plain)
}

fn outside(path: &str, allowed: &[PathBuf]) -> ToolError {
    let folders: Vec<String> =
        allowed.iter().map(|folder| format!("`{}`", folder.display())).collect();
    ToolError::denied(format!(
        "Access denied: `{}` is outside the folders that file tools may touch. Use a path inside \
         {}.",
        shown(path),
        folders.join(" or ")
    ))
}

/// Shortens a path for a message, and shows control characters as such.
pub(super) fn shown(path: &str) -> String {
    let mut shown: String = path.chars().take(200).flat_map(visible).collect();
    if path.chars().nth(200).is_some() {
        shown.push('…');
    }
    shown
}

fn visible(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beneath(allowed: &[&str], path: &str) -> Option<(String, String)> {
        let fence = Fence { allowed: Vec::new(), working_folder: "/opt/wd".into() };
        let allowed: Vec<PathBuf> = allowed.iter().map(PathBuf::from).collect();
        let (folder, rest) = fence.beneath(&allowed, Path::new(path))?;
        Some((folder.display().to_string(), rest.display().to_string()))
    }

    #[test]
    fn a_path_is_in_the_folder_that_its_text_says() {
        let allowed = ["/opt/wd/data", "/srv/share"];
        for (path, folder, rest) in [
            ("a.txt", "/opt/wd/data", "a.txt"),
            ("./a.txt", "/opt/wd/data", "a.txt"),
            ("data/a.txt", "/opt/wd/data", "a.txt"),
            ("data", "/opt/wd/data", ""),
            (".", "/opt/wd/data", ""),
            ("/opt/wd/data/sub//a.txt/", "/opt/wd/data", "sub/a.txt"),
            ("sub/../a.txt", "/opt/wd/data", "a.txt"),
            ("../wd/data/a.txt", "/opt/wd/data", "a.txt"),
            ("../../srv/share/a.txt", "/srv/share", "a.txt"),
            ("/srv/share/a.txt", "/srv/share", "a.txt"),
        ] {
            let expected = Some((folder.to_owned(), rest.to_owned()));
            assert_eq!(beneath(&allowed, path), expected, "{path}");
        }
    }

    #[test]
    fn a_path_that_leaves_by_its_text_is_in_no_folder() {
        for path in [
            "..",
            "../x",
            "sub/../../x",
            "/opt/wd/data/../x",
            "/opt/wd/database/x",
            "/opt/wd",
            "/",
            "/OPT/WD/DATA/x",
            "../../../../../../../etc/passwd",
            "data/../../data/x",
        ] {
            assert_eq!(beneath(&["/opt/wd/data"], path), None, "{path}");
        }
    }

    #[test]
    fn the_outermost_of_nested_folders_is_opened() {
        let (folder, rest) = beneath(&["/a/b", "/a"], "/a/b/c").unwrap();
        assert_eq!((folder.as_str(), rest.as_str()), ("/a", "b/c"));
    }

    #[test]
    fn long_and_strange_paths_are_shown_short_and_plain() {
        assert_eq!(shown("a\nb\u{1b}"), "a\\nb\\u{1b}");
        assert_eq!(shown(&"x".repeat(5_000)).chars().count(), 201);
    }
}
