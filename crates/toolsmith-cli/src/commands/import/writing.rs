//! Definitions in files that an import may renew, and a person may change.
//!
//! A comment at the beginning holds two numbers. The first stands for the rest of the file: while it
//! does, the file is the import's and is renewed; when it does not, somebody has changed the file,
//! and it is theirs. The second stands for what was imported, so that no import touches the files of
//! another.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use toolsmith_core::Value;
use toolsmith_definitions::yaml;

use crate::{files, output::one_line};

/// What stands before the numbers.
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
    /// Another import has written it, so it stays as it is.
    Foreign,
}

/// Where definitions are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writing<'a> {
    pub(super) folder: &'a Path,
    /// What is imported, by a name that is the same the next time.
    pub(super) source: &'a str,
    pub(super) mode: Mode,
}

impl Writing<'_> {
    /// Writes a value into a file, with where it is from at its beginning.
    pub(super) fn put(&self, file: &str, origin: &str, value: &Value) -> Result<(PathBuf, Fate)> {
        let path = self.folder.join(file);
        let text = self.text(origin, value);
        let before = match fs::read(&path) {
            Ok(before) => Some(String::from_utf8_lossy(&before).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => bail!("cannot read {}: {}", path.display(), files::explain(&error)),
        };
        let fate = match before.as_deref() {
            None => Fate::Created,
            Some(before) if before == text => Fate::Unchanged,
            Some(_) if self.mode == Mode::Force => Fate::Renewed,
            Some(before) => match Marked::read(before) {
                Some(marked) if marked.source != number(self.source) => Fate::Foreign,
                Some(marked) if marked.is_untouched => Fate::Renewed,
                _ => Fate::Kept,
            },
        };
        if matches!(fate, Fate::Created | Fate::Renewed) && self.mode != Mode::DryRun {
            self.write(&path, &text)?;
        }
        Ok((path, fate))
    }

    /// Lists the files of an earlier import that are none of these, and whether nobody changed them.
    pub(super) fn others(&self, files: &HashSet<String>) -> Vec<(PathBuf, bool)> {
        let inside = fs::read_dir(self.folder).into_iter().flatten().flatten();
        let mut found = Vec::new();
        for entry in inside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let ending = Path::new(&name).extension();
            let is_ours = ending.is_some_and(|is| is == "yaml") && !name.starts_with('.');
            if !is_ours || files.contains(&name) {
                continue;
            }
            let text = files::read_text(&entry.path(), yaml::MAX_BYTES).unwrap_or_default();
            let marked = Marked::read(&text);
            if let Some(marked) = marked.filter(|mark| mark.source == number(self.source)) {
                found.push((entry.path(), marked.is_untouched));
            }
        }
        found.sort();
        found
    }

    fn text(&self, origin: &str, definition: &Value) -> String {
        let body = yaml::write(definition);
        let (origin, source) = (one_line(origin), number(self.source));
        format!("# From {origin}.\n{MARK}{:016x}-{source:08x}\n{body}", digest(&body))
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

/// Names the file of a tool.
///
/// `groups.yaml` would be read as a list of groups, and a name that begins with a dot not at all.
pub(super) fn file_name(name: &str) -> String {
    let before = if name.starts_with('.') { "tool" } else { "" };
    let more = if name.eq_ignore_ascii_case("groups") { "-tool" } else { "" };
    format!("{before}{name}{more}.yaml")
}

/// What the numbers of a file say.
struct Marked {
    is_untouched: bool,
    source: u64,
}

impl Marked {
    fn read(text: &str) -> Option<Self> {
        // The mark is on the second line; further down it is a text of somebody.
        let (_, below) = text.split_once('\n')?;
        let (numbers, body) = below.strip_prefix(MARK)?.split_once('\n')?;
        let (of_body, source) = numbers.trim_end().split_once('-')?;
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let is_untouched = hex(of_body)? == digest(body);
        Some(Self { is_untouched, source: hex(source)? })
    }
}

/// Makes a short number of what is imported.
fn number(source: &str) -> u64 {
    digest(source) & 0xffff_ffff
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

    fn put(folder: &Path, source: &str, mode: Mode, text: &str) -> Fate {
        let writing = Writing { folder, source, mode };
        let value = json!({ "name": "greet", "description": text });
        writing.put("greet.yaml", "Greetings\n1", &value).unwrap().1
    }

    #[test]
    fn files_are_renewed_until_somebody_changes_them() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("deep");
        let path = deep.join("greet.yaml");
        let put = |mode, text: &str| put(&deep, "greetings", mode, text);
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
    fn no_import_touches_the_files_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let others = |source: &str| {
            let writing = Writing { folder: folder.path(), source, mode: Mode::Careful };
            writing.others(&HashSet::new()).into_iter().map(|(_, is)| is).collect::<Vec<_>>()
        };
        assert_eq!(put(folder.path(), "one", Mode::Careful, "a"), Fate::Created);
        assert_eq!(put(folder.path(), "two", Mode::Careful, "b"), Fate::Foreign);
        assert_eq!((others("one"), others("two")), (vec![true], vec![]));
        let path = folder.path().join("greet.yaml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.clone() + "timeout: 5\n").unwrap();
        assert_eq!(others("one"), [false], "it is known, and that somebody changed it");
        fs::write(&path, format!("description: |\n  x\n  {text}")).unwrap();
        assert!(others("one").is_empty(), "the mark counts in its own place only");
    }

    #[test]
    fn files_have_names_that_are_read() {
        assert_eq!(file_name("Groups"), "Groups-tool.yaml");
        assert_eq!(file_name("list.groups"), "list.groups.yaml");
        assert_eq!(file_name(".hidden"), "tool.hidden.yaml");
    }
}
