//! The sandbox of a definition, in the words of what starts children.

use std::path::Path;

use toolsmith_children::{Limits, Profile, Sandbox};
use toolsmith_core::{Confinement, SandboxProfile};

/// Returns the sandbox that a definition asks for; its paths begin at the folder of the definition.
pub(crate) fn sandbox(confinement: &Confinement, folder: &Path) -> Sandbox {
    let profile = match confinement.profile {
        SandboxProfile::Standard => Profile::Standard,
        SandboxProfile::Strict => Profile::Strict,
    };
    let paths = |paths: &[String]| paths.iter().map(|path| folder.join(path)).collect();
    Sandbox {
        read: paths(&confinement.read),
        write: paths(&confinement.write),
        hosts: confinement.hosts.clone(),
        ..Sandbox::new(profile)
    }
}

/// Returns the limits of an entry; what its sandbox says comes before them.
pub(crate) fn limits(confinement: &Confinement, limits: Limits) -> Limits {
    Limits {
        memory: confinement.memory.or(limits.memory),
        cpu_seconds: confinement.cpu_seconds.or(limits.cpu_seconds),
        processes: confinement.processes.or(limits.processes),
        ..limits
    }
}
