//! Control groups: what a child and everything that comes of it may use together.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use rustix::process::getuid;

use crate::Limits;

const MOUNT: &str = "/sys/fs/cgroup";

/// The control groups of one child; its guard removes them when nothing of it is left.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    folders: Vec<PathBuf>,
    /// The one that holds memory.
    memory: Option<PathBuf>,
    holds_processes: bool,
}

/// A controller, and the files of both versions that say how much of it there is.
///
/// One of the limits must be taken; the rest is for machines that have it: what is swapped out
/// counts, too.
struct Control {
    controller: &'static str,
    limits: [&'static str; 2],
    rest: &'static [(&'static str, Swap)],
}

/// What is written about swapped memory: as much as the limit in all, or none besides.
#[derive(Clone, Copy)]
enum Swap {
    AsTheLimit,
    None,
}

const MEMORY: Control = Control {
    controller: "memory",
    limits: ["memory.limit_in_bytes", "memory.max"],
    rest: &[("memory.memsw.limit_in_bytes", Swap::AsTheLimit), ("memory.swap.max", Swap::None)],
};

/// The files of both versions that count whom the system killed for its memory.
const COUNTS: [&str; 2] = ["memory.oom_control", "memory.events"];

const PROCESSES: Control =
    Control { controller: "pids", limits: ["pids.max", "pids.max"], rest: &[] };

impl Groups {
    /// Makes groups for a child as far as the system lets us.
    pub(crate) fn make(name: &str, limits: Limits) -> Self {
        let ours = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::make_in(Path::new(MOUNT), &ours, name, limits)
    }

    fn make_in(mount: &Path, ours: &str, name: &str, limits: Limits) -> Self {
        let mut groups = Self::default();
        let name = format!("toolsmith-{name}");
        let folder = |control: &Control| {
            parent(mount, control.controller, ours).map(|parent| parent.join(&name))
        };
        if let (Some(memory), Some(folder)) = (limits.memory, folder(&MEMORY)) {
            let holds = groups.add(folder.clone(), &MEMORY, memory);
            groups.memory = holds.then_some(folder);
        }
        if let (Some(processes), Some(folder)) = (limits.processes, folder(&PROCESSES)) {
            // The process that looks after the namespace counts too.
            groups.holds_processes = groups.add(folder, &PROCESSES, processes.saturating_add(1));
        }
        groups
    }

    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Leaves the groups to the guard of the child, who removes them.
    pub(crate) fn hand_over(&mut self) {
        self.folders.clear();
    }

    /// Tells whether the system killed a process of the child for its memory; not once they are gone.
    pub(crate) fn had_memory_kill(&self) -> bool {
        let Some(folder) = &self.memory else { return false };
        COUNTS.iter().any(|file| {
            let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
            let mut counts = text.lines().filter_map(|line| line.strip_prefix("oom_kill "));
            counts.any(|count| count.trim() != "0")
        })
    }

    /// Returns the limits that the child has to be held to in another way.
    ///
    /// A limit of the address space is the poorer way: many programs reserve much and use little.
    pub(crate) fn rest(&self, limits: Limits) -> Limits {
        Limits {
            memory: limits.memory.filter(|_| self.memory.is_none()),
            processes: limits.processes.filter(|_| !self.holds_processes),
            ..limits
        }
    }

    /// Says what is missing for a limit of processes that nobody else holds.
    pub(crate) fn lack(&self, limits: Limits) -> Option<&'static str> {
        let is_open = limits.processes.is_some() && !self.holds_processes && getuid().is_root();
        is_open.then_some(
            "as root it needs a control group for processes that it may write to (mount one at \
             /sys/fs/cgroup), since the other limit of processes does not hold root; or run as \
             another user",
        )
    }

    /// Makes a group, or takes the one that both controllers share; tells whether it holds.
    fn add(&mut self, folder: PathBuf, control: &Control, limit: u64) -> bool {
        let is_ours = self.folders.contains(&folder);
        if !is_ours && fs::create_dir(&folder).is_err() {
            return false;
        }
        let holds = set(&folder, control, limit);
        if !is_ours && holds {
            self.folders.push(folder);
        } else if !is_ours {
            fs::remove_dir(&folder).ok();
        }
        holds
    }
}

/// Writes down a limit; tells whether the group took it.
fn set(folder: &Path, control: &Control, limit: u64) -> bool {
    let has_taken = control.limits.iter().any(|file| write(&folder.join(file), limit).is_ok());
    for (file, swap) in control.rest {
        let limit = if matches!(swap, Swap::AsTheLimit) { limit } else { 0 };
        // Many machines do not count what is swapped out, or swap nothing.
        write(&folder.join(file), limit).ok();
    }
    has_taken
}

/// Removes the groups of a child that was never born.
impl Drop for Groups {
    fn drop(&mut self) {
        for folder in &self.folders {
            fs::remove_dir(folder).ok();
        }
    }
}

/// Finds the folder that a group can be made in.
fn parent(mount: &Path, controller: &str, ours: &str) -> Option<PathBuf> {
    let lines = ours.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        rest.split_once(':')
    });
    let (mut first, mut second) = (None, None);
    for (controllers, path) in lines {
        let path = path.trim_start_matches('/');
        if controllers.split(',').any(|known| known == controller) {
            first = Some(mount.join(controllers).join(path));
        } else if controllers.is_empty() {
            // A group with members of its own cannot have groups with limits, but its parent can.
            let above = Path::new(path).parent().unwrap_or(Path::new(""));
            second = Some(mount.join(above));
        }
    }
    first.or(second).filter(|folder| folder.is_dir())
}

/// Writes into a file that is there; a new one would be of no effect.
fn write(file: &Path, limit: u64) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(limit.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "8:pids:/\n4:memory:/a/b\n0::/x\n";
    const SECOND: &str = "0::/user.slice/app.slice/run.scope\n";

    fn mount(folders: &[&str]) -> tempfile::TempDir {
        let mount = tempfile::tempdir().unwrap();
        for folder in folders {
            fs::create_dir_all(mount.path().join(folder)).unwrap();
        }
        mount
    }

    #[test]
    fn the_first_version_has_a_tree_for_each_controller() {
        let mount = mount(&["pids", "memory/a/b"]);
        let at = |controller| parent(mount.path(), controller, FIRST);
        assert_eq!(at("memory"), Some(mount.path().join("memory/a/b")));
        assert_eq!(at("pids"), Some(mount.path().join("pids")));
    }

    #[test]
    fn in_the_second_version_groups_are_made_beside_ours() {
        let mount = mount(&["user.slice/app.slice/run.scope"]);
        let beside = Some(mount.path().join("user.slice/app.slice"));
        assert_eq!(parent(mount.path(), "memory", SECOND), beside);
        assert_eq!(parent(mount.path(), "pids", SECOND), beside);
        assert_eq!(parent(mount.path(), "pids", "0::/\n"), Some(mount.path().to_owned()));
        assert_eq!(parent(mount.path(), "pids", "0::/elsewhere/x\n"), None);
        assert_eq!(parent(mount.path(), "pids", ""), None);
    }

    #[test]
    fn a_limit_is_written_into_the_files_of_either_version() {
        let folder = tempfile::tempdir().unwrap();
        let at = |file: &str| folder.path().join(file);
        assert!(!set(folder.path(), &MEMORY, 5));
        for files in [
            ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
            ["memory.max", "memory.swap.max"],
        ] {
            for file in files {
                fs::write(at(file), "").unwrap();
            }
            assert!(set(folder.path(), &MEMORY, 5));
            let swap = if files.contains(&"memory.max") { "0" } else { "5" };
            assert_eq!(files.map(|file| fs::read_to_string(at(file)).unwrap()), ["5", swap]);
            for file in files {
                fs::remove_file(at(file)).unwrap();
            }
        }
    }

    #[test]
    fn a_kill_for_memory_is_counted_in_the_files_of_either_version() {
        let folder = tempfile::tempdir().unwrap();
        let mut groups = Groups::default();
        groups.memory = Some(folder.path().to_owned());
        assert!(!groups.had_memory_kill());
        for (file, before) in
            [("memory.oom_control", "under_oom 0\n"), ("memory.events", "max 9\noom 2\n")]
        {
            let file = folder.path().join(file);
            fs::write(&file, format!("{before}oom_kill 0\n")).unwrap();
            assert!(!groups.had_memory_kill());
            fs::write(&file, format!("{before}oom_kill 1\n")).unwrap();
            assert!(groups.had_memory_kill());
            fs::remove_file(file).unwrap();
        }
        assert!(!Groups::default().had_memory_kill());
    }

    #[test]
    fn a_group_that_holds_nothing_is_not_kept() {
        let mount = mount(&["user.slice/app.slice/run.scope"]);
        let limits = Limits { memory: Some(1), processes: Some(1), ..Limits::default() };
        let groups = Groups::make_in(mount.path(), SECOND, "x", limits);
        assert!(groups.folders().is_empty());
        assert_eq!(groups.rest(limits), limits);
        let beside = fs::read_dir(mount.path().join("user.slice/app.slice")).unwrap();
        assert_eq!(beside.count(), 1);
    }
}
