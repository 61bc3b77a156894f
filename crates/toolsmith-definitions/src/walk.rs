//! Which files there are, and by which marks a changed one is known; nothing is read.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{problem::Problem, toml_registry};

/// The files of some folders at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// Which look it was: a later one has a higher number.
    pub(crate) number: u64,
    /// The definition files.
    pub(crate) files: BTreeMap<PathBuf, Stamp>,
    /// Every folder whose entries matter: those that were walked, and those of linked files.
    pub(crate) folders: BTreeSet<PathBuf>,
    /// The folders that are there but cannot be read.
    pub(crate) unreadable: Vec<Problem>,
    /// The marks of the file of switches.
    pub(crate) switches: Option<Stamp>,
}

/// Two looks are equal when they show the same, whenever they were.
impl PartialEq for Scan {
    fn eq(&self, other: &Self) -> bool {
        let Self { number: _, files, folders, unreadable, switches } = self;
        *files == other.files
            && *folders == other.folders
            && *unreadable == other.unreadable
            && *switches == other.switches
    }
}

impl Scan {
    /// Tells whether a path lies in a folder that cannot be read: nobody knows what is there.
    pub(crate) fn hides(&self, path: &Path) -> bool {
        self.unreadable.iter().any(|folder| path.starts_with(&folder.file))
    }
}

/// The marks of a file; when one of them differs the file is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) modified: Option<SystemTime>,
    size: u64,
    identity: Identity,
    /// When anything about the file changed; unlike the time of writing it cannot be set back.
    changed: (i64, i64),
}

/// Which file or folder it is, whatever path leads there.
type Identity = (u64, u64);

/// Folders of other programs, full of files that are no definitions.
const FOREIGN: [&str; 2] = ["node_modules", "__pycache__"];

/// Walks folders; a folder that is not there has no files. A file stands for itself.
pub(crate) fn scan(roots: &[PathBuf]) -> Scan {
    let mut walk = Walk::default();
    for root in roots {
        match fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => walk.folders(root.clone(), Wanted::DEFINITIONS),
            // A registry stands for the files beside it that it may name.
            Ok(metadata) if metadata.is_file() && toml_registry::is_registry(root) => {
                let folder = root.parent().unwrap_or(Path::new(""));
                walk.folders(folder.to_owned(), Wanted { yaml: false, toml: true });
            }
            Ok(metadata) if metadata.is_file() => walk.file(root, &metadata),
            _ => {}
        }
    }
    // What a link leads to counts only when it was not reached by its own path: real paths win
    // whatever the links are called, and circles end.
    while let Some((path, metadata, wanted)) = walk.links.pop() {
        if metadata.is_dir() {
            walk.folders(path, wanted);
        } else if !walk.seen_files.contains(&identity_of(&path, &metadata)) {
            walk.linked_file(&path, &metadata);
        }
    }
    // Folders are listed in no order of their own.
    walk.scan.unreadable.sort();
    walk.scan
}

#[derive(Default)]
struct Walk {
    scan: Scan,
    seen_folders: HashSet<Identity>,
    seen_files: HashSet<Identity>,
    links: Vec<(PathBuf, Metadata, Wanted)>,
}

/// Which files of a folder are definitions.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    yaml: bool,
    /// TOML counts at and below a folder with an old registry.
    toml: bool,
}

impl Wanted {
    const DEFINITIONS: Self = Self { yaml: true, toml: false };

    /// Editors' locks, backups and half-made copies have other endings or begin with a dot.
    fn has(self, path: &Path) -> bool {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("yaml" | "yml" | "json") => self.yaml,
            Some("toml") => self.toml,
            _ => false,
        }
    }
}

impl Walk {
    fn folders(&mut self, root: PathBuf, wanted: Wanted) {
        let mut open = vec![(root, wanted)];
        while let Some((folder, wanted)) = open.pop() {
            // A folder that is no longer there has no registry either.
            let has_registry = wanted.toml || folder.join(toml_registry::FILE_NAME).is_file();
            let wanted = Wanted { toml: has_registry, ..wanted };
            match self.folder(&folder, wanted) {
                Ok(inner) => open.extend(inner.into_iter().map(|folder| (folder, wanted))),
                // It vanished while it was walked.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let message = format!("cannot read the folder: {}", explain(&error));
                    self.scan.unreadable.push(Problem::whole(&folder, message));
                }
            }
        }
    }

    /// Looks at the entries of one folder; returns the folders in it.
    fn folder(&mut self, folder: &Path, wanted: Wanted) -> io::Result<Vec<PathBuf>> {
        if !self.seen_folders.insert(identity_of(folder, &fs::metadata(folder)?)) {
            return Ok(Vec::new());
        }
        self.scan.folders.insert(folder.to_owned());
        let mut inner = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let kind = entry.file_type()?;
            if is_hidden(&path) {
                continue;
            }
            if kind.is_symlink() {
                // A link that leads nowhere is no definition yet.
                let target = fs::metadata(&path).ok();
                let fits = |target: &Metadata| target.is_dir() || wanted.has(&path);
                let link = target.filter(fits).map(|target| (path.clone(), target, wanted));
                self.links.extend(link);
            } else if kind.is_dir() {
                inner.push(path);
            } else if kind.is_file()
                && wanted.has(&path)
                && let Ok(metadata) = entry.metadata()
            {
                self.file(&path, &metadata);
            }
        }
        Ok(inner)
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) {
        self.seen_files.insert(identity_of(path, metadata));
        self.scan.files.insert(path.to_owned(), Stamp::of(path, metadata));
    }

    fn linked_file(&mut self, path: &Path, metadata: &Metadata) {
        // Only regular files: opening a pipe would wait for a writer.
        if !metadata.is_file() {
            return;
        }
        let target = fs::canonicalize(path).ok();
        self.scan.folders.extend(target.as_deref().and_then(Path::parent).map(Path::to_owned));
        self.file(path, metadata);
    }
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || FOREIGN.contains(&&*name)
}

impl Stamp {
    /// Takes the marks of one file; nothing when it is not there.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of(path, &metadata))
    }

    /// Tells whether there is nothing in the file.
    pub(crate) fn is_empty(&self) -> bool {
        self.size == 0
    }

    fn of(path: &Path, metadata: &Metadata) -> Self {
        Self {
            modified: metadata.modified().ok(),
            size: metadata.len(),
            identity: identity_of(path, metadata),
            changed: changed_of(metadata),
        }
    }
}

#[cfg(unix)]
fn identity_of(_path: &Path, metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity_of(path: &Path, _metadata: &Metadata) -> Identity {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).hash(&mut hasher);
    (0, hasher.finish())
}

#[cfg(unix)]
fn changed_of(metadata: &Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_of(_metadata: &Metadata) -> (i64, i64) {
    (0, 0)
}

/// Puts an error of reading into the words of a person.
pub(crate) fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there any more".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        _ => error.to_string(),
    }
}
