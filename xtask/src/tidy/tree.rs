//! The project as the rules see it: plain values, so that a test writes one by hand.

/// Every file of the project and every crate of the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The files, in the order of their paths.
    pub(crate) files: Vec<File>,
    /// The member crates.
    pub(crate) packages: Vec<Package>,
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Its path from the root, with `/` between the parts.
    pub(crate) path: String,
    /// Its text; empty when it is not text.
    pub(crate) text: String,
}

/// One member crate.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// What it says it is.
    pub(crate) description: String,
    /// The path of its `Cargo.toml` from the root.
    pub(crate) manifest: String,
    /// What it lists, in all sections.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One crate that another lists.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    /// The crate's own name.
    pub(crate) name: String,
    /// The word at the start of its line: another one when it is renamed.
    pub(crate) key: String,
    /// Where it is listed.
    pub(crate) section: Section,
}

/// The sections of a manifest that list crates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// `[dependencies]`
    Normal,
    /// `[build-dependencies]`
    Build,
    /// `[dev-dependencies]`
    Dev,
}

impl Tree {
    /// Returns the Rust files.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.has_extension("rs"))
    }

    /// Returns the text of a file, nothing when there is none.
    pub(crate) fn text(&self, path: &str) -> &str {
        let file = self.files.iter().find(|file| file.path == path);
        file.map_or("", |file| file.text.as_str())
    }

    /// Returns the line of a manifest that lists a dependency, 1 when it is not found.
    pub(crate) fn line_of(&self, package: &Package, dependency: &Dependency) -> usize {
        let lists = |line: &str| {
            let line = line.trim_start_matches('[').trim_start_matches("dependencies.");
            let rest = line.strip_prefix(dependency.key.as_str());
            rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=', ']']))
        };
        self.text(&package.manifest).lines().position(lists).map_or(1, |index| index + 1)
    }
}

impl File {
    /// Tells whether the name ends so.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.name().rsplit_once('.').is_some_and(|(_, last)| last == extension)
    }

    /// Returns the last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Tells whether the file stands somewhere beneath a folder of that name.
    pub(crate) fn is_beneath(&self, folder: &str) -> bool {
        let folders = self.path.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.split('/').any(|part| part == folder)
    }
}

#[cfg(test)]
impl Tree {
    /// Makes a tree of files without crates.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |&(path, text): &(&str, &str)| File { path: path.into(), text: text.into() };
        Self { files: files.iter().map(file).collect(), packages: Vec::new() }
    }

    /// Adds a crate, with its manifest, that lists others.
    pub(crate) fn with_package(mut self, name: &str, lists: &[(&str, Section)]) -> Self {
        let manifest = format!("crates/{name}/Cargo.toml");
        let keys: Vec<String> =
            lists.iter().map(|(name, _)| format!("{name}.workspace = true\n")).collect();
        let text = format!(
            "[package]\nname = \"{name}\"\n\n[lints]\nworkspace = true\n\n[dependencies]\n{}",
            keys.concat()
        );
        self.files.push(File { path: manifest.clone(), text });
        let dependencies = lists
            .iter()
            .map(|&(name, section)| Dependency { name: name.into(), key: name.into(), section })
            .collect();
        let description = format!("The crate {name}");
        self.packages.push(Package { name: name.into(), description, manifest, dependencies });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_found_on_its_line() {
        let tree = Tree::default().with_package(
            "one",
            &[("two-more", Section::Normal), ("two", Section::Normal), ("three", Section::Dev)],
        );
        let package = &tree.packages[0];
        let lines: Vec<usize> =
            package.dependencies.iter().map(|it| tree.line_of(package, it)).collect();
        assert_eq!(lines, [8, 9, 10]);
    }

    #[test]
    fn folders_are_told_from_file_names() {
        let tree = Tree::of(&[("crates/a/tests/it/main.rs", ""), ("crates/a/src/tests.rs", "")]);
        assert!(tree.files[0].is_beneath("tests") && !tree.files[1].is_beneath("tests"));
        assert_eq!(tree.files[1].name(), "tests.rs");
    }
}
