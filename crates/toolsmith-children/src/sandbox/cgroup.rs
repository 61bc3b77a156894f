//! Control groups: what a child and everything that comes of it may use together.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rustix::process::getuid;

use crate::Limits;

const MOUNT: &str = "/sys/fs/cgroup";

/// The control groups of one child; its guard removes them when nothing of it is left.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    folders: Vec<PathBuf>,
    holds_memory: bool,
    holds_processes: bool,
}

impl Groups {
    /// Makes groups for a child as far as the system lets us.
    pub(crate) fn make(name: &str, limits: Limits) -> Self {
        let mut groups = Self::default();
        let ours = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let name = format!("toolsmith-{name}");
        if let Some(memory) = limits.memory {
            let files = [("memory.limit_in_bytes", memory), ("memory.max", memory)];
            groups.holds_memory = groups.add("memory", &ours, &name, &files);
        }
        if let Some(processes) = limits.processes {
            // The process that looks after the namespace counts too.
            let most = processes.saturating_add(1);
            let files = [("pids.max", most)];
            groups.holds_processes = groups.add("pids", &ours, &name, &files);
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

    /// Returns the limits that the child has to be held to in another way.
    ///
    /// A limit of the address space is the poorer way: many programs reserve much and use little.
    pub(crate) fn rest(&self, limits: Limits) -> Limits {
        Limits {
            memory: limits.memory.filter(|_| !self.holds_memory),
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

    fn add(&mut self, controller: &str, ours: &str, name: &str, limits: &[(&str, u64)]) -> bool {
        let Some(parent) = parent(controller, ours) else { return false };
        let folder = parent.join(name);
        if !self.folders.contains(&folder) && fs::create_dir(&folder).is_err() {
            return false;
        }
        let set = limits.iter().any(|(file, limit)| write(&folder.join(file), *limit).is_ok());
        if !self.folders.contains(&folder) {
            if !set {
                fs::remove_dir(&folder).ok();
                return false;
            }
            self.folders.push(folder);
        }
        set
    }
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
fn parent(controller: &str, ours: &str) -> Option<PathBuf> {
    let lines = ours.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        rest.split_once(':')
    });
    let (mut first, mut second) = (None, None);
    for (controllers, path) in lines {
        let path = path.trim_start_matches('/');
        if controllers.split(',').any(|known| known == controller) {
            first = Some(Path::new(MOUNT).join(controllers).join(path));
        } else if controllers.is_empty() {
            // A group with members of its own cannot have groups with limits, but its parent can.
            let above = Path::new(path).parent().unwrap_or(Path::new(""));
            second = Some(Path::new(MOUNT).join(above));
        }
    }
    first.or(second).filter(|folder| folder.is_dir())
}

/// Writes into a file that is there; a new one would be of no effect.
fn write(file: &Path, limit: u64) -> io::Result<()> {
    use std::io::Write;

    fs::OpenOptions::new().write(true).open(file)?.write_all(limit.to_string().as_bytes())
}
