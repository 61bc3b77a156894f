//! What a child may see, reach and use.
//!
//! | | `standard` | `strict` |
//! |---|---|---|
//! | files | Landlock, where the kernel has it | a file view of its own, private `/tmp` and `/proc` |
//! | network | as ours; none but the listed hosts when there is a list | none but the listed hosts |
//! | processes | sees all, may not look into others | sees its own only |
//! | memory, processes, open files | limits that are set | limits, by default 1 GiB, 64 and 1024 |
//! | rights | gains none from any program; of root's only those over files | none at all, and no system calls that only harm |
//! | where that is not possible | says so in the log and goes on | does not start |

mod cgroup;
mod doors;
mod filter;
mod places;
mod proxy;
mod rules;
mod steps;
mod view;

use std::path::PathBuf;

pub use self::doors::{Doors, Entrance};
pub(crate) use self::{
    cgroup::Groups,
    proxy::{PORT, Proxy},
    steps::{begin, finish, lack},
};
use crate::Limits;

/// What a confined child may use in all when nothing is said about it.
const MEMORY: u64 = 1 << 30;

/// How many processes a confined child may be at once when nothing is said about it.
const PROCESSES: u64 = 64;

/// How many files each process of a confined child may hold open when nothing is said about it.
const OPEN_FILES: u64 = 1024;

/// The bounds of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// How much is held back.
    pub profile: Profile,
    /// Files and folders that it may read besides the system's programs and its own folder.
    pub read: Vec<PathBuf>,
    /// Files and folders that it may change, too.
    pub write: Vec<PathBuf>,
    /// Hosts that it may reach: `example.org`, `example.org:8080`, `*.example.org`.
    ///
    /// They are reached through a proxy of ours, which the usual variables name.
    pub hosts: Vec<String>,
    /// How many connections at once we may make to ports inside, should it have a network of its own.
    pub doors: u16,
}

impl Sandbox {
    /// Makes a sandbox that allows nothing but what its profile always does.
    pub fn new(profile: Profile) -> Self {
        Self { profile, read: Vec::new(), write: Vec::new(), hosts: Vec::new(), doors: 0 }
    }

    /// Tells whether the child has a network of its own.
    pub fn parts_network(&self) -> bool {
        self.profile == Profile::Strict || !self.hosts.is_empty()
    }

    /// Returns the limits of a child, completed by those that the profile brings.
    pub(crate) fn limits(&self, limits: Limits) -> Limits {
        match self.profile {
            Profile::Standard => limits,
            Profile::Strict => Limits {
                memory: limits.memory.or(Some(MEMORY)),
                processes: limits.processes.or(Some(PROCESSES)),
                open_files: limits.open_files.or(Some(OPEN_FILES)),
                ..limits
            },
        }
    }
}

/// How much of a child is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For tools that are trusted but need not see everything.
    Standard,
    /// For code that nobody has looked at.
    Strict,
}
