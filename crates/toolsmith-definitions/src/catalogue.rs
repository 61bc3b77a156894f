//! What each file defined when it was last good, so that only changed files are read again.

use std::{
    collections::BTreeMap,
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read},
    num::NonZero,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, UNIX_EPOCH},
};

use toolsmith_core::{Clock, SystemClock};

use crate::{
    Switches,
    contents::{self, Contents, Workshop},
    problem::{Problem, Strictness},
    walk::{Scan, Stamp, explain},
    yaml,
};

/// Two writes this close may carry the same time: such a file is looked at once more.
const SAME_TICK: Duration = Duration::from_millis(50);

/// Above this many files, reading is shared between threads.
const FEW: usize = 64;

/// The files, by path.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) files: BTreeMap<PathBuf, Kept>,
    pub(crate) unreadable: Vec<Problem>,
    /// Which tools were switched on and off by hand.
    pub(crate) switched: BTreeMap<String, bool>,
    switches: Option<Stamp>,
    unread_switches: Option<Problem>,
}

/// What is known of one file.
#[derive(Debug)]
pub(crate) struct Kept {
    stamp: Stamp,
    digest: u64,
    /// Why the file is read again though its marks are the same.
    doubt: Option<Doubt>,
    /// What it defined when it was last good.
    pub(crate) good: Arc<Contents>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

/// Why a file may not be what it seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// It was written a moment ago, so the next write may leave the same marks.
    JustWritten,
    /// It is empty, as files are in the middle of a save.
    Emptied,
}

/// What files are read with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) workshop: &'a Workshop,
    pub(crate) strictness: Strictness,
    pub(crate) reads: &'a AtomicU64,
    pub(crate) switches: Option<&'a Switches>,
}

impl Catalogue {
    /// Tells whether the files are those that were read.
    pub(crate) fn is_current(&self, scan: &Scan) -> bool {
        self.unreadable == scan.unreadable
            && self.switches == scan.switches
            && self.files.keys().all(|path| scan.files.contains_key(path) || scan.hides(path))
            && scan.files.iter().all(|(path, stamp)| {
                let kept = self.files.get(path);
                kept.is_some_and(|kept| kept.stamp == *stamp && kept.doubt.is_none())
            })
    }

    /// Tells whether the switches with these marks are those that were read.
    pub(crate) fn has_read_switches(&self, stamp: Option<Stamp>) -> bool {
        self.switches == stamp
    }

    /// Tells whether a file is gone or empty that was not when it was read.
    pub(crate) fn is_less(&self, scan: &Scan) -> bool {
        self.files.iter().any(|(path, kept)| match scan.files.get(path) {
            Some(stamp) => stamp.is_empty() && kept.stamp != *stamp,
            None => !scan.hides(path),
        })
    }

    /// Returns the last of three looks, with files that were not at rest as they were when read.
    ///
    /// A file is at rest when the last two looks show the same of it, and gone when none shows it.
    /// Tells too whether there was one that was not.
    pub(crate) fn settle(&self, [first, second]: [&Scan; 2], mut last: Scan) -> (Scan, bool) {
        let is_moving = |(path, stamp): &(&PathBuf, &Stamp)| second.files.get(*path) != Some(stamp);
        let moving = last.files.iter().filter(is_moving).map(|(path, _)| path.clone());
        let was_there = |path: &&PathBuf| {
            let looks = [first, second];
            !last.files.contains_key(*path)
                && looks.iter().any(|look| look.files.contains_key(*path))
        };
        let going = self.files.keys().filter(was_there).cloned();
        let restless: Vec<PathBuf> = moving.chain(going).collect();
        let has_any = !restless.is_empty();
        for path in restless {
            match self.files.get(&path) {
                Some(kept) => last.files.insert(path, kept.stamp),
                None => last.files.remove(&path),
            };
        }
        (last, has_any)
    }

    /// Tells whether a file is empty that was not, and may be in the middle of a save.
    pub(crate) fn has_doubts(&self) -> bool {
        self.files.values().any(|kept| kept.doubt == Some(Doubt::Emptied))
    }

    /// Reads what has changed and forgets what has gone.
    pub(crate) fn refresh(&mut self, scan: Scan, reader: Reader<'_>) {
        self.refresh_switches(scan.switches, reader);
        // The files of a folder that cannot be read for a while are not gone.
        self.files.retain(|path, _| scan.files.contains_key(path) || scan.hides(path));
        let Scan { files, unreadable, .. } = scan;
        self.unreadable = unreadable;
        let is_due = |path: &PathBuf, stamp: &Stamp| {
            let kept = self.files.get(path);
            kept.is_none_or(|kept| kept.stamp != *stamp || kept.doubt.is_some())
        };
        let due: Vec<(PathBuf, Stamp)> =
            files.into_iter().filter(|(path, stamp)| is_due(path, stamp)).collect();
        for ((path, stamp), found) in due.iter().zip(self.read_all(&due, reader)) {
            self.keep(path, *stamp, found);
        }
    }

    /// Returns what is wrong besides the files of definitions.
    pub(crate) fn other_problems(&self) -> impl Iterator<Item = &Problem> {
        self.unreadable.iter().chain(&self.unread_switches)
    }

    /// Reads the switches when they have changed; what was read last stays when that fails.
    fn refresh_switches(&mut self, stamp: Option<Stamp>, reader: Reader<'_>) {
        let Some(switches) = reader.switches.filter(|_| self.switches != stamp) else { return };
        self.switches = stamp;
        self.unread_switches = None;
        match switches.read() {
            Ok(positions) => self.switched = positions.tools,
            Err(error) => {
                let message = format!("cannot read the switches: {}", explain(&error));
                self.unread_switches = Some(Problem::whole(switches.path(), message));
            }
        }
    }

    fn read_all(&self, due: &[(PathBuf, Stamp)], reader: Reader<'_>) -> Vec<Found> {
        let read = |(path, stamp): &(PathBuf, Stamp)| {
            let known = self.files.get(path).map(|kept| kept.digest);
            let found = read_file(path, known, reader);
            // What is written at this moment may be half of it; the next walk will tell.
            let is_moving = || Stamp::at(path).is_some_and(|current| current != *stamp);
            if known.is_some() && is_moving() { Found::Gone } else { found }
        };
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        if due.len() <= FEW || threads == 1 {
            return due.iter().map(read).collect();
        }
        let share = due.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let shares: Vec<_> = due
                .chunks(share)
                .map(|chunk| scope.spawn(move || chunk.iter().map(read).collect::<Vec<Found>>()))
                .collect();
            let join = |share: std::thread::ScopedJoinHandle<'_, Vec<Found>>| {
                share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            shares.into_iter().flat_map(join).collect()
        })
    }

    fn keep(&mut self, path: &Path, stamp: Stamp, found: Found) {
        let before = self.files.remove(path);
        let just_written = is_just_written(stamp).then_some(Doubt::JustWritten);
        let kept = match (found, before) {
            (Found::Gone, before) => before,
            // Empty once may be the middle of a save; empty twice is what somebody wants.
            (Found::Emptied { digest }, Some(before))
                if before.doubt != Some(Doubt::Emptied) && !before.good.is_empty() =>
            {
                Some(Kept { stamp, digest, doubt: Some(Doubt::Emptied), ..before })
            }
            (Found::Same, Some(before)) => Some(Kept { stamp, doubt: just_written, ..before }),
            (Found::Same, None) => None,
            (Found::Emptied { digest }, _) => {
                let warning = Problem::whole(path, "the file is empty and defines nothing");
                let contents = Contents { warnings: vec![warning], ..Contents::default() };
                Some(Kept::of(stamp, digest, contents, None))
            }
            (Found::Read { digest, contents }, before) => {
                Some(Kept { doubt: just_written, ..Kept::of(stamp, digest, contents, before) })
            }
        };
        if let Some(kept) = kept {
            self.files.insert(path.to_owned(), kept);
        }
    }
}

impl Kept {
    /// Keeps what a file defines, or when something is wrong with it what it defined before.
    fn of(stamp: Stamp, digest: u64, mut contents: Contents, before: Option<Self>) -> Self {
        let problems = std::mem::take(&mut contents.problems);
        let warnings = std::mem::take(&mut contents.warnings);
        let good = match before {
            _ if problems.is_empty() => Arc::new(contents),
            Some(before) => before.good,
            None => Arc::default(),
        };
        Self { stamp, digest, doubt: None, good, problems, warnings }
    }
}

impl Contents {
    fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.groups.is_empty() && self.registry.is_none()
    }
}

/// What a look at a file has shown.
enum Found {
    /// It was gone before it could be read, or changed meanwhile; the next walk will tell.
    Gone,
    /// It says what it said.
    Same,
    /// There is nothing in it.
    Emptied { digest: u64 },
    /// It was read.
    Read { digest: u64, contents: Contents },
}

fn read_file(path: &Path, known: Option<u64>, reader: Reader<'_>) -> Found {
    reader.reads.fetch_add(1, Relaxed);
    let text = match read_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Gone,
        Err(error) => {
            let problem =
                Problem::whole(path, format!("cannot read the file: {}", explain(&error)));
            let contents = Contents { problems: vec![problem], ..Contents::default() };
            return Found::Read { digest: 0, contents };
        }
    };
    let digest = digest_of(&text);
    if text.trim().is_empty() {
        return Found::Emptied { digest };
    }
    if known == Some(digest) {
        return Found::Same;
    }
    let contents = contents::read(&path.into(), &text, reader.workshop, reader.strictness);
    Found::Read { digest, contents }
}

/// Reads UTF-8 text, no more than the reader of YAML takes.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let limit = yaml::MAX_BYTES as u64;
    let length = File::open(path)?.take(limit + 1).read_to_string(&mut text)?;
    if length > yaml::MAX_BYTES {
        return Err(io::Error::other(format!("it is longer than {limit} bytes")));
    }
    Ok(text)
}

fn digest_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    // 0 stands for a file that could not be read.
    hasher.finish().max(1)
}

fn is_just_written(stamp: Stamp) -> bool {
    let since = stamp.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let Some(written) = since.and_then(|since| i64::try_from(since.as_micros()).ok()) else {
        return false;
    };
    let age = SystemClock.now().as_micros().abs_diff(written);
    u128::from(age) < SAME_TICK.as_micros()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use toolsmith_core::{Redactor, Vault};

    use super::*;
    use crate::{Makers, walk};

    /// A folder of files, each looked at when asked.
    struct Files(tempfile::TempDir);

    impl Files {
        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.path().join(name), text).unwrap();
        }

        fn look(&self) -> Scan {
            walk::scan(&[self.0.path().to_owned()])
        }

        fn names(&self, scan: &Scan) -> Vec<String> {
            let name =
                |path: &Path| path.strip_prefix(self.0.path()).unwrap().display().to_string();
            scan.files.keys().map(|path| name(path)).collect()
        }
    }

    /// Three files that were read.
    fn three() -> (Files, Catalogue) {
        let files = Files(tempfile::tempdir().unwrap());
        for name in ["a", "b", "c"] {
            files.write(&format!("{name}.yaml"), &format!("name: {name}\n"));
        }
        let mut catalogue = Catalogue::default();
        catalogue.refresh_with_nothing(files.look());
        (files, catalogue)
    }

    impl Catalogue {
        /// Reads files for which nothing is needed.
        fn refresh_with_nothing(&mut self, scan: Scan) {
            let vault = Vault::with_values([("NONE", "")], Redactor::default());
            let workshop = Workshop { makers: Makers::new(), vault };
            let (strictness, reads) = (Strictness::Lenient, &AtomicU64::new(0));
            self.refresh(scan, Reader { workshop: &workshop, strictness, reads, switches: None });
        }
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_no_reason_to_reload_again_and_again() {
        let (files, mut catalogue) = three();
        let root = files.0.path();
        let unreadable = Problem::whole(root, "cannot read the folder: permission denied");
        let locked = Scan { unreadable: vec![unreadable], ..Scan::default() };
        assert!(!catalogue.is_current(&locked) && !catalogue.is_less(&locked));
        catalogue.refresh_with_nothing(locked.clone());
        assert_eq!(catalogue.files.len(), 3, "they are not gone");
        assert!(catalogue.is_current(&locked) && !catalogue.is_less(&locked));
        assert!(!catalogue.is_current(&files.look()), "it can be read again");
    }

    #[test]
    fn a_file_that_is_gone_for_a_moment_is_not_gone() {
        let (files, catalogue) = three();
        let away = files.0.path().join("a.away");
        let first = files.look();
        fs::rename(files.0.path().join("a.yaml"), &away).unwrap();
        let gone = files.look();
        let (scan, is_restless) = catalogue.settle([&first, &gone], gone.clone());
        assert!(is_restless && scan == first, "one look must show that it was gone before");
        let (scan, is_restless) = catalogue.settle([&gone, &gone], gone.clone());
        assert!(!is_restless);
        assert_eq!(files.names(&scan), ["b.yaml", "c.yaml"]);
        fs::rename(&away, files.0.path().join("a.yaml")).unwrap();
        let back = files.look();
        let (scan, is_restless) = catalogue.settle([&gone, &gone], back);
        assert!(is_restless && scan.files == first.files, "it may be in the middle of its return");
    }

    #[test]
    fn a_file_that_is_written_just_now_waits_and_the_others_do_not() {
        let (files, catalogue) = three();
        let first = files.look();
        files.write("b.yaml", "name: other\n");
        let second = files.look();
        files.write("a.yaml", "name: half of it, and");
        files.write("d.yaml", "name: new");
        let (scan, is_restless) = catalogue.settle([&first, &second], files.look());
        assert!(is_restless);
        assert_eq!(files.names(&scan), ["a.yaml", "b.yaml", "c.yaml"]);
        let is_as = |name: &str, look: &Scan| {
            let path = files.0.path().join(name);
            scan.files.get(&path) == look.files.get(&path)
        };
        assert!(is_as("a.yaml", &first) && is_as("b.yaml", &second) && !is_as("b.yaml", &first));
    }
}
