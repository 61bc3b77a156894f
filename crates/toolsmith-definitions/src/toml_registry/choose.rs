//! Which files of a folder a registry wants, and what stands for those that are not there.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

use super::registry::{Discovery, Registry, Said, Type};
use crate::problem::Problem;

/// The files that count.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) files: BTreeMap<PathBuf, Standing>,
    pub(crate) warnings: Vec<Problem>,
}

/// Whether a tool can be called, by the word of its registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As its own file says.
    Own,
    /// Its type is switched off.
    Disabled,
}

/// Chooses among the files of TOML at or below the folder of a registry.
///
/// Nothing outside that folder is ever named, whatever the registry says.
pub(crate) fn choose<'a>(
    file: &Path,
    registry: &Registry,
    files: impl IntoIterator<Item = &'a Path>,
) -> Chosen {
    let root = file.parent().unwrap_or(Path::new(""));
    let inside = files.into_iter().filter_map(|path| path.strip_prefix(root).ok());
    let inside: BTreeSet<&Path> = inside.filter(|path| !super::is_registry(path)).collect();
    let folders: BTreeSet<&Path> =
        inside.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let mut choosing = Choosing { file, root, inside, folders, chosen: Chosen::default() };
    let mut disabled = BTreeSet::new();
    for r#type in &registry.types {
        let folder = choosing.take(r#type);
        disabled.extend(folder.filter(|_| !r#type.is_enabled));
    }
    if let Some(discovery) = &registry.discovery {
        choosing.discover(discovery, &disabled);
    }
    choosing.chosen
}

struct Choosing<'a> {
    file: &'a Path,
    root: &'a Path,
    /// The files, from the folder of the registry on.
    inside: BTreeSet<&'a Path>,
    folders: BTreeSet<&'a Path>,
    chosen: Chosen,
}

impl<'a> Choosing<'a> {
    /// Takes the files of a type; returns its folder.
    fn take(&mut self, r#type: &Type) -> Option<&'a Path> {
        let said = &r#type.folder;
        let Some(parts) = parts(&said.text) else {
            self.warn(said, "leads out of the folder of the registry: nothing is read there");
            return None;
        };
        let exact = self.find_folder(&parts);
        let folder = exact.or_else(|| self.near_folder(&parts, &r#type.files));
        match folder {
            Some(folder) if exact.is_none() => {
                let message =
                    format!("there is no such folder; `{}` was taken for it", folder.display());
                self.warn(said, &message);
            }
            None if !r#type.files.is_empty() => {
                self.warn(said, "there is no such folder with files of TOML in it");
            }
            _ => {}
        }
        let standing = if r#type.is_enabled { Standing::Own } else { Standing::Disabled };
        for name in &r#type.files {
            if let Some(path) = self.find_file(name, folder) {
                self.chosen.files.insert(self.root.join(path), standing);
            }
        }
        folder
    }

    fn discover(&mut self, discovery: &Discovery, disabled: &BTreeSet<&Path>) {
        for said in &discovery.folders {
            let Some(parts) = parts(&said.text) else {
                self.warn(said, "leads out of the folder of the registry: nothing is read there");
                continue;
            };
            let folder = self.find_folder(&parts).or_else(|| {
                let near = self.near_folder(&parts, &[])?;
                let message =
                    format!("there is no such folder; `{}` was taken for it", near.display());
                self.warn(said, &message);
                Some(near)
            });
            // An empty folder is nothing to complain about.
            let Some(folder) = folder else { continue };
            for path in self.inside.iter().filter(|path| path.starts_with(folder)) {
                if !discovery.wants(path) {
                    continue;
                }
                let is_disabled = path.parent().is_some_and(|parent| disabled.contains(parent));
                let standing = if is_disabled { Standing::Disabled } else { Standing::Own };
                self.chosen.files.entry(self.root.join(path)).or_insert(standing);
            }
        }
    }

    /// Finds a folder by its path, which may begin at the registry or somewhere above it.
    fn find_folder(&self, parts: &[&str]) -> Option<&'a Path> {
        if parts.is_empty() {
            return Some(Path::new(""));
        }
        (0..parts.len()).find_map(|skipped| {
            let path: PathBuf = parts.iter().skip(skipped).collect();
            let inside = self.folders.get(path.as_path()).copied();
            inside.or_else(|| self.root.ends_with(&path).then_some(Path::new("")))
        })
    }

    /// Finds the folder that is meant: one of nearly that name, or the one that has the files.
    fn near_folder(&self, parts: &[&str], files: &[Said]) -> Option<&'a Path> {
        let wanted = plain_name(parts.last()?);
        let name =
            |folder: &Path| folder.file_name().map(|name| plain_name(&name.to_string_lossy()));
        let near = self.folders.iter().find(|folder| name(folder).as_ref() == Some(&wanted));
        if let Some(near) = near {
            return Some(near);
        }
        let count = |folder: &Path| {
            files
                .iter()
                .filter(|file| self.inside.contains(folder.join(&file.text).as_path()))
                .count()
        };
        let best = self.folders.iter().max_by_key(|folder| count(folder));
        best.filter(|folder| count(folder) > 0).copied()
    }

    /// Finds a file in its folder, or where else it may be.
    fn find_file(&mut self, said: &Said, folder: Option<&Path>) -> Option<&'a Path> {
        let Some(parts) = parts(&said.text).filter(|parts| !parts.is_empty()) else {
            self.warn(said, "leads out of the folder of the registry: it is not read");
            return None;
        };
        let path: PathBuf = parts.iter().collect();
        let named = |folder: &Path| self.inside.get(folder.join(&path).as_path()).copied();
        // The name may say the folder once more.
        if let Some(found) = folder.and_then(named).or_else(|| named(Path::new(""))) {
            return Some(found);
        }
        let wanted = plain_name(&path.file_stem().unwrap_or_default().to_string_lossy());
        let is_near = |other: &&&Path| {
            other.file_stem().is_some_and(|stem| plain_name(&stem.to_string_lossy()) == wanted)
        };
        let near: Vec<&Path> = self.inside.iter().filter(is_near).copied().collect();
        let beside = near.iter().find(|other| other.parent() == folder);
        match (beside, near.as_slice()) {
            (Some(found), _) | (None, [found]) => {
                let message =
                    format!("there is no such file; `{}` was taken for it", found.display());
                self.warn(said, &message);
                Some(*found)
            }
            (None, []) => {
                self.warn(said, "there is no such file: nothing was loaded for it");
                None
            }
            (None, _) => {
                self.warn(
                    said,
                    "there is no such file here, and several elsewhere: none was loaded",
                );
                None
            }
        }
    }

    fn warn(&mut self, said: &Said, message: &str) {
        let message = format!("`{}`: {message}", said.text);
        let problem = Problem::at(self.file, said.place, message);
        if !self.chosen.warnings.contains(&problem) {
            self.chosen.warnings.push(problem);
        }
    }
}

impl Discovery {
    fn wants(&self, path: &Path) -> bool {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
        let fits = |patterns: &[String]| patterns.iter().any(|pattern| fits(pattern, name));
        fits(&self.patterns) && !fits(&self.excluded)
    }
}

/// Splits a path; nothing when it leads up or begins at the root of the disk.
fn parts(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for component in Path::new(text).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(parts)
}

/// Reduces a name to what people remember of it: `REST_Tools` and `rest` are one.
fn plain_name(name: &str) -> String {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let name = letters.to_lowercase();
    let bare = name.strip_suffix("tools").or_else(|| name.strip_suffix("tool"));
    let bare = bare.filter(|bare| !bare.is_empty()).unwrap_or(&name);
    bare.strip_suffix('s').filter(|bare| bare.len() > 2).unwrap_or(bare).to_owned()
}

/// Tells whether a name fits a pattern with `*` for anything and `?` for one character.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last `*` stands, and how far it reaches.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || Some(c) == name.get(n) => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, reach)) = star else { return false };
                star = Some((at, reach + 1));
                p = at + 1;
                n = reach + 1;
            }
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_a_shell() {
        for (pattern, name, is_fit) in [
            ("*.toml", "a.toml", true),
            ("*.toml", "a.yaml", false),
            ("test_*", "test_a.toml", true),
            ("_*", "a_.toml", false),
            ("?.*l", "a.toml", true),
            ("*", "", true),
            ("", "a", false),
            ("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(fits(pattern, name), is_fit, "{pattern} {name}");
        }
    }

    #[test]
    fn names_are_compared_without_what_people_forget() {
        for name in ["rest", "REST", "rest_tools", "Rests", "rest-tool"] {
            assert_eq!(plain_name(name), "rest", "{name}");
        }
        assert_eq!(plain_name("tools"), "tool");
    }

    #[test]
    fn paths_that_lead_out_are_no_paths() {
        assert_eq!(parts("./a/b").unwrap(), ["a", "b"]);
        assert!(["../a", "/a", "a/../../b"].iter().all(|path| parts(path).is_none()));
    }
}
