//! Definitions in files that an import may renew, and a person may change.
//!
//! A comment at the beginning holds a number that stands for the rest. While it does, the file is
//! the import's and is renewed; when it does not, somebody has changed the file, and it is theirs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use toolsmith_core::Value;
use toolsmith_definitions::yaml;

use crate::{files, output::one_line};

/// What stands before the number.
const MARK: &str = "# Importing again renews this file as long as nobody has changed it: ";

/// What happens to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Those that somebody has changed stay.
    Careful,
    /// All are written.
    Force,
    /// None is written.
    DryRun,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Created,
    Renewed,
    Unchanged,
    /// Somebody has changed it, so it stays as it is.
    Kept,
}

/// Where definitions are written, and what is said at their beginning.
#[derive(Debug)]
pub(super) struct Writing<'a> {
    pub(super) folder: &'a Path,
    pub(super) origin: &'a str,
    pub(super) mode: Mode,
}

impl Writing<'_> {
    /// Writes a definition into a file of its name.
    pub(super) fn put(&self, name: &str, definition: &Value) -> Result<(PathBuf, Fate)> {
        self.put_file(&file_name(name), definition)
    }

    /// Writes a value into a file.
    pub(super) fn put_file(&self, file: &str, value: &Value) -> Result<(PathBuf, Fate)> {
        let path = self.folder.join(file);
        let text = self.text(value);
        let before = match fs::read(&path) {
            Ok(before) => Some(String::from_utf8_lossy(&before).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => bail!("cannot read {}: {}", path.display(), files::explain(&error)),
        };
        let fate = match before.as_deref() {
            None => Fate::Created,
            Some(before) if before == text => Fate::Unchanged,
            Some(before) if is_untouched(before) || self.mode == Mode::Force => Fate::Renewed,
            Some(_) => Fate::Kept,
        };
        if matches!(fate, Fate::Created | Fate::Renewed) && self.mode != Mode::DryRun {
            self.write(&path, &text)?;
        }
        Ok((path, fate))
    }

    fn text(&self, definition: &Value) -> String {
        let body = yaml::write(definition);
        let origin = one_line(self.origin);
        format!("# From {origin}.\n{MARK}{:016x}\n{body}", digest(&body))
    }

    /// Writes beside the file first, so that nobody reads half of it.
    fn write(&self, path: &Path, text: &str) -> Result<()> {
        fs::create_dir_all(self.folder)
            .with_context(|| format!("cannot make the folder {}", self.folder.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
        let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
        if let Err(error) = written {
            fs::remove_file(&beside).ok();
            bail!("cannot write {}: {}", path.display(), files::explain(&error));
        }
        Ok(())
    }
}

/// Names the file of a tool; `groups.yaml` would be read as a list of groups.
fn file_name(name: &str) -> String {
    let more = if name.eq_ignore_ascii_case("groups") { "-tool" } else { "" };
    format!("{name}{more}.yaml")
}

fn is_untouched(text: &str) -> bool {
    let Some((_, rest)) = text.split_once(MARK) else { return false };
    let Some((number, body)) = rest.split_once('\n') else { return false };
    u64::from_str_radix(number.trim(), 16).is_ok_and(|number| number == digest(body))
}

/// Makes a number of a text that is the same in every version of this program (FNV-1a).
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_renewed_until_somebody_changes_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/greet.yaml");
        let put = |mode, text: &str| {
            let folder = folder.path().join("deep");
            let writing = Writing { folder: &folder, origin: "Greetings\n1", mode };
            writing.put("greet", &json!({ "name": "greet", "description": text })).unwrap().1
        };
        assert_eq!(put(Mode::DryRun, "a"), Fate::Created);
        assert!(!path.exists());
        assert_eq!(put(Mode::Careful, "a"), Fate::Created);
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .starts_with("# From Greetings 1.\n# Importing again")
        );
        assert_eq!(put(Mode::Careful, "a"), Fate::Unchanged);
        assert_eq!(put(Mode::Careful, "b"), Fate::Renewed);
        let changed =
            fs::read_to_string(&path).unwrap().replace("description: b", "description: mine");
        fs::write(&path, &changed).unwrap();
        assert_eq!(put(Mode::Careful, "c"), Fate::Kept);
        assert_eq!(put(Mode::DryRun, "c"), Fate::Kept);
        assert_eq!(fs::read_to_string(&path).unwrap(), changed);
        assert_eq!(put(Mode::Force, "c"), Fate::Renewed);
        fs::write(&path, "name: greet\n").unwrap();
        assert_eq!(put(Mode::Careful, "c"), Fate::Kept);
        let left: Vec<_> = fs::read_dir(folder.path().join("deep")).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing is left beside the file");
    }

    #[test]
    fn a_tool_called_groups_is_no_list_of_groups() {
        assert_eq!(file_name("Groups"), "Groups-tool.yaml");
        assert_eq!(file_name("list.groups"), "list.groups.yaml");
    }
}
