//! What to start, with what, where and within which limits.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

use crate::Sandbox;

/// A program to start; no shell ever reads it.
#[derive(Clone)]
pub struct Command {
    /// The file of the program, as [`find`](crate::find) returns it.
    pub program: PathBuf,
    /// What the program is told its name is; the file otherwise.
    pub name: Option<OsString>,
    /// Its arguments, each one exactly as it arrives.
    pub args: Vec<OsString>,
    /// Its whole environment; nothing of ours is added but the mark.
    pub env: BTreeMap<String, String>,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// What it may use.
    pub limits: Limits,
    /// What it may see and reach; everything that we may, otherwise.
    pub sandbox: Option<Sandbox>,
}

impl Command {
    /// Makes a command without arguments, environment and limits.
    pub fn new(program: impl Into<PathBuf>, folder: &Path) -> Self {
        Self {
            program: program.into(),
            name: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            folder: folder.to_owned(),
            limits: Limits::default(),
            sandbox: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn with_args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the environment.
    #[must_use]
    pub fn with_env(mut self, env: BTreeMap<String, String>) -> Self {
        self.env = env;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the sandbox.
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Returns the limits, with those that the sandbox brings.
    pub(crate) fn all_limits(&self) -> Limits {
        self.sandbox.as_ref().map_or(self.limits, |sandbox| sandbox.limits(self.limits))
    }
}

/// Arguments and environment may hold secrets, so only their number and names are shown.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("folder", &self.folder)
            .field("limits", &self.limits)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

/// What a child may use; the kernel holds it and its descendants to it, each for itself.
///
/// In a strict sandbox memory and processes are counted together, where control groups allow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Seconds of processor time.
    pub cpu_seconds: Option<u64>,
    /// Bytes of address space.
    pub memory: Option<u64>,
    /// Bytes of the largest file that it writes.
    pub file_size: Option<u64>,
    /// Open files.
    pub open_files: Option<u64>,
    /// Processes of the same user, ours and others' included; not held against root.
    pub processes: Option<u64>,
}
